// The page Build: the user's own file, as it is in the user's own editor. Nothing is written here, and nothing is sent.

import {call, connect} from "./api.js";
import {Board} from "./board.js";
import {el} from "./dom.js";
import {icon} from "./icons.js";

const TERMS = {draw: "a board of its own", evaluate: "an estimate", action_from_text: "moves that can be typed", state_text: "positions as text", symmetries: "symmetries"};

export async function mount(main, route, shell) {
  const {files, template} = await call("/api/build/files");
  if (!files.length) return begin(main, template, shell);
  const name = files.includes(route.path[0]) ? route.path[0] : files[0];
  return follow(main, name, files, shell);
}

/** How to begin, where no file was named. */
function begin(main, template, shell) {
  const step = (number, words, command) => el("li", {}, el("span", {class: "step"}, String(number)), el("div", {}, el("p", {}, words), command ? copied(command, shell) : null));
  main.append(el("div", {class: "build"}, el("div", {class: "stack"},
    el("h1", {}, "Build a game"),
    el("p", {class: "muted"}, "A game is one Python file: who moves, what may be played, what comes of it, and who has won. The board, the engine, the tree and the ratings come with it."),
    el("ol", {class: "steps"},
      step(1, "Write a first game to change into your own.", "gametree new mygame"),
      step(2, "Start the workbench with it, and come back to this page.", "gametree web mygame.py"),
      step(3, "Edit the file in your own editor. Each time you save it, its board, its mistakes and its checks are here.")),
    el("p", {class: "note"}, icon("code"), el("span", {}, "The file stays in your editor. This page only looks at files that you named in the terminal, and never takes code from a browser."))),
  el("section", {class: "stack"}, el("h2", {}, "What the first file looks like"), el("pre", {class: "source panel", tabindex: "0", role: "region", "aria-label": "The template of a game"}, template))));
  return () => {};
}

function copied(command, shell) {
  return el("p", {class: "command"}, el("code", {}, command), el("button", {type: "button", class: "quiet small", "aria-label": `Copy ${command}`, onclick: async () => {
    try {
      await navigator.clipboard.writeText(command);
      shell.tell("Copied.");
    } catch { shell.tell("The browser does not let pages copy; select the text instead."); }
  }}, icon("copy")));
}

function follow(main, name, files, shell) {
  let views = [], moves = [], at = 0, timer = 0;
  const holder = el("div", {class: "holder"}), board = new Board(holder, {label: `The board of ${name}`});
  const state = el("p", {class: "status", role: "status", id: "build-status"}, "Reading the file …"), saved = el("p", {class: "small muted"}, " ");
  const problem = el("section", {class: "panel problem-card", id: "build-problem", hidden: true, "aria-live": "polite"});
  const findings = el("div", {class: "findings", id: "build-check"}, waiting("Checks", "The rules are being checked …"));
  const facts = el("ul", {class: "facts-list"}), slider = el("input", {type: "range", min: 0, max: 0, value: 0, "aria-label": "Move of the random game", oninput: () => { stop(); go(Number(slider.value)); }});
  const move = el("p", {class: "small num", id: "build-move"}, " ");
  const run = el("button", {type: "button", "aria-label": "Play the random game", onclick: () => (timer ? stop() : play())}, icon("play"));
  const links = el("div", {class: "row"}, [["play", "Play it"], ["analyse", "Analyse"], ["lab?kind=game", "Its tree"]].map(([page, text], place) =>
    el("a", {class: place ? "button" : "button main", href: `/${page}${page.includes("?") ? "&" : "?"}game=${encodeURIComponent(name)}`}, place ? null : icon("play"), text)));
  const pick = files.length > 1 ? el("select", {"aria-label": "File", onchange: () => shell.go(`/build/${encodeURIComponent(pick.value)}`)}, files.map(file => el("option", {value: file, selected: file === name}, file))) : null;
  main.append(el("div", {class: "two table build-table"},
    el("div", {}, holder, el("div", {class: "replay"}, run, slider, move)),
    el("div", {class: "side"}, el("h1", {}, name), pick, state, saved, problem, findings, facts, links,
      el("p", {class: "small muted"}, "Save the file in your editor: this page follows it."))));

  const socket = connect(`/api/build/files/${encodeURIComponent(name)}/socket`, {
    reading: message => {
      state.textContent = "Reading the file …";
      saved.textContent = `Saved at ${new Date(message.saved * 1000).toLocaleTimeString()}.`;
      findings.replaceChildren(waiting("Checks", "The rules are being checked …"));
    },
    loaded: ({loaded}) => {
      problem.hidden = true;
      state.textContent = "The file loads. This is how its game begins.";
      show(loaded.views, []);
      const {players, chance, hidden} = loaded.facts;
      facts.replaceChildren(...[`${players} ${players === 1 ? "player" : "players"}`, chance ? "with chance" : "no chance", hidden ? "hidden information" : "everything is open", ...loaded.offers.map(verb => TERMS[verb])]
        .map(text => el("li", {class: "pill"}, text)));
    },
    game: ({game}) => {
      state.textContent = `The file loads. A random game of ${game.moves.length} moves:`;
      show(game.views, game.moves);
      play();
    },
    check: ({check}) => {
      findings.replaceChildren(el("p", {class: "note good"}, icon("check"), el("span", {}, check.text)));
      shell.say(check.text);
    },
    problem: message => fail(message.problem),
    error: message => shell.tell(message.error),
    lost: () => { state.textContent = "The connection is lost; trying again …"; },
    refused: reason => { state.textContent = reason; },
  });

  function waiting(title, text) {
    return el("p", {class: "note"}, el("span", {class: "ring spin"}), el("span", {}, text));
  }

  function fail({text, line, lines}) {
    problem.hidden = false;
    problem.replaceChildren(el("h2", {}, line ? `Line ${line}` : "It does not work yet"), el("p", {}, text),
      lines.length ? el("pre", {class: "source", tabindex: "0", role: "region", "aria-label": `The lines around line ${line}`}, lines.map(([number, code]) => el("span", {class: number === line ? "code-line bad-line" : "code-line"}, el("span", {class: "line-number"}, String(number)), `${code}\n`))) : null,
      views.length ? el("p", {class: "small muted"}, "The board shows the last game that loaded.") : null);
    state.textContent = "There is a mistake.";
    findings.replaceChildren(el("p", {class: "note bad"}, icon("warn"), el("span", {}, "Not checked to the end.")));
    shell.say(text);
    if (!views.length) holder.replaceChildren(el("div", {class: "empty"}, "The board comes with the first version that loads."));
  }

  function show(found, texts) {
    views = found;
    moves = texts;
    slider.max = views.length - 1;
    go(0);
  }

  function go(to) {
    at = to;
    slider.value = at;
    board.show(views[at]);
    move.textContent = at ? `${at}. ${moves[at - 1]}` : "The start";
  }

  function play() {
    stop();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || views.length < 2) return;
    if (at >= views.length - 1) go(0);
    run.replaceChildren(icon("pause"));
    timer = setInterval(() => { if (at < views.length - 1) go(at + 1); else stop(); }, 700);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    run.replaceChildren(icon("play"));
  }

  return () => { stop(); socket.close(); };
}
