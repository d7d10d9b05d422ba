// The page Analyse: step through a game, watch the engine think, ask why not another move.

import {call, connect} from "./api.js";
import {Board} from "./board.js";
import {el, rounds, svg} from "./dom.js";
import {icon} from "./icons.js";

const percent = chance => chance === null || chance === undefined ? "–" : `${Math.round(100 * chance)} %`;
const count = number => number >= 1e6 ? `${(number / 1e6).toFixed(1)} M` : number >= 1e4 ? `${Math.round(number / 1e3)} k` : `${number}`;
const points = value => `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(Math.round(value * 100) / 100)}`;
const WORDS = {"??": "blunder", "?": "mistake", "?!": "inaccuracy"};

export async function mount(main, route, shell) {
  const games = await call("/api/games");
  let left = false, on = true, token = 0, asked = 0;
  const state = {game: "chess", start: null, line: [], main: [], at: 0, view: null, facts: null, judged: [], title: "", movers: [], counted: null};

  // What is on the page ---------------------------------------------------------------------------------------------

  const holder = el("div", {class: "holder"});
  const board = new Board(holder, {onmove: play, label: "Position"});
  const bar = el("div", {class: "bar", role: "img", "aria-label": "Winning chance of player 1"}, el("div", {class: "bar-fill"}), el("span", {class: "bar-text"}));
  const pick = el("select", {id: "game", "aria-label": "Game", onchange: () => reset(pick.value)},
    games.map(game => el("option", {value: game.name}, game.title)));
  const button = (text, id, act, label) => el("button", {type: "button", id, onclick: act, "aria-label": label || null}, text);
  const engine = button("Stop engine", "engine", () => { on = !on; engine.textContent = on ? "Stop engine" : "Start engine"; think(); });
  const many = el("select", {id: "lines", "aria-label": "Number of lines", onchange: () => think()}, [1, 2, 3, 5].map(n => el("option", {value: n}, `${n} line${n > 1 ? "s" : ""}`)));
  many.value = "3";
  const by = el("select", {id: "algorithm", "aria-label": "Algorithm", onchange: () => think()});
  const speed = el("p", {class: "faint", id: "speed"}, " ");
  const winning = el("th", {scope: "col"}, "Player 1 wins");
  const table = el("table", {class: "lines"}, el("caption", {class: "unseen"}, "Best lines"),
    el("thead", {}, el("tr", {}, winning, el("th", {scope: "col"}, "Value"), el("th", {scope: "col"}, "Line"))), el("tbody"));
  const status = el("p", {class: "status", id: "status"}, " ");
  const curve = el("div", {class: "curve", id: "curve"});
  const list = el("ol", {class: "movelist", id: "moves", "aria-label": "Moves"});
  const progress = el("progress", {id: "progress", max: "1", value: "0", hidden: true, "aria-label": "Review"});
  const reviewing = button("Find blunders", "review", review);
  const back = button("Back to the game", "back", () => { state.line = state.main.slice(); go(Math.min(state.at, state.line.length)); });
  const ask = button("Why not this move?", "why", why);
  const answer = el("div", {class: "panel", id: "answer", hidden: true, "aria-live": "polite"});
  const file = el("input", {type: "file", id: "file", "aria-label": "A file with games", onchange: readFile});
  const text = el("textarea", {id: "text", rows: "4", "aria-label": "PGN, SGF, a record, or moves", placeholder: "PGN, SGF, a record, or plain moves: e4 e5 Nf3"});
  const choose = el("select", {id: "choose", hidden: true, "aria-label": "Game of the file", onchange: () => load(Number(choose.value))});
  main.append(el("h1", {class: "unseen"}, "Analyse"), el("div", {class: "two table"},
    el("div", {}, el("div", {class: "with-bar"}, bar, holder), curve),
    el("div", {class: "side"},
      el("div", {class: "row"}, pick,
        button(icon("first"), "first", () => go(0), "First position"), button(icon("back"), "previous", () => go(state.at - 1), "Previous position"),
        button(icon("next"), "next", () => go(state.at + 1), "Next position"), button(icon("last"), "last", () => go(state.line.length), "Last position"),
        button([icon("flip"), "Turn"], "flip", () => board.flip())),
      status,
      el("div", {class: "row"}, engine, many, by),
      speed, table,
      el("div", {class: "row"}, ask, reviewing, back, progress), answer, list,
      el("details", {}, el("summary", {}, "Load a game"),
        el("p", {}, file), text, el("p", {class: "row"}, button("Load", "load", () => load(0)), choose)))));

  // Speaking with the server ----------------------------------------------------------------------------------------

  const socket = connect("/api/analyse/socket", {
    lines: message => { if (message.token === token) showLines(message); },
    thought: message => { if (message.token === token && message.done) speed.textContent += " · proven"; },
    judged, reviewed, why: showWhy,
    wait: message => { speed.textContent = `One moment: ${message.text} …`; },
    error: message => {
      if (message.do === "analyse") speed.textContent = message.error;
      else shell.tell(message.error);
      if (message.do === "review") reviewed();
    },
    lost: () => { speed.textContent = "The connection is lost; trying again …"; },
    open: () => think(),
  });

  function named(extra = {}) {
    return {game: state.game, start: state.start, moves: state.line.slice(0, state.at), ...extra};
  }

  async function go(at) {
    if (at < 0 || at > state.line.length) return;
    state.at = at;
    const mine = ++asked;
    try {
      const {line} = state;
      const found = await call("/api/analyse/position", named(state.counted === line ? {} : {ahead: line.slice(at)}));
      if (left || mine !== asked) return;
      // Nobody makes the moves that cannot be played; they stand alone.
      if (found.movers) Object.assign(state, {movers: line.map((_, ply) => found.movers[ply] ?? -2), counted: line});
      state.view = found.view;
      state.facts = found.facts;
      if (by.dataset.game !== state.game) {
        by.dataset.game = state.game;
        by.replaceChildren(...found.algorithms.map((name, place) => el("option", {value: place ? name : ""}, name)));
      }
    } catch (error) {
      if (!left && mine === asked) shell.tell(error.message);
      return;
    }
    answer.hidden = true;
    paint();
    think();
  }

  function reset(game) {
    Object.assign(state, {game, start: null, line: [], main: [], judged: [], title: ""});
    choose.hidden = true;
    go(0);
  }

  function play(move) {
    if (state.line[state.at] !== move) {
      if (state.at === state.line.length && state.line === state.main) state.main.push(move);
      else if (inGame() && state.at === state.main.length) state.main.push(move);
      state.line = [...state.line.slice(0, state.at), move];
    }
    go(state.at + 1);
  }

  function inGame() {
    return state.line.slice(0, state.at).every((move, ply) => state.main[ply] === move);
  }

  function think() {
    token++;
    table.tBodies[0].replaceChildren();
    if (!on || !state.view || state.view.over) {
      socket.send({do: "stop", what: "analyse"});
      speed.textContent = state.view && state.view.over ? "The game is over here." : "The engine is off.";
      return;
    }
    speed.textContent = "Thinking …";
    socket.send({do: "analyse", ...named(), lines: Number(many.value), algorithm: by.value || "", token});
  }

  // Showing ---------------------------------------------------------------------------------------------------------

  /** "3." before the move of the first seat in the third round, "3…" before one of a later seat. */
  function numbered(ply) {
    const round = rounds(state.movers).findIndex(plies => plies.includes(ply));
    return `${round + 1}${state.movers[ply] > 0 ? "…" : "."}`;
  }

  function plyButton(ply) {
    const word = state.line[ply];
    const known = state.main[ply] === word && state.judged[ply + 1] ? state.judged[ply + 1].mark : "";
    return el("button", {type: "button", class: ["ply", known ? "marked" : ""].join(" "), "aria-current": ply + 1 === state.at ? "step" : null,
      title: known ? `${WORDS[known]}; better was ${state.judged[ply].best}` : null, onclick: () => go(ply + 1)}, word + known);
  }

  function paint() {
    const {view} = state;
    pick.value = state.game.split(":")[0];
    winning.textContent = `${first()} wins`;
    board.show(view, {active: !view.over});
    const mark = state.judged[state.at] && inGame() ? state.judged[state.at].mark : "";
    const move = state.at ? state.line[state.at - 1] : null;
    status.textContent = (state.title ? `${state.title} · ` : "") + (move ? `${numbered(state.at - 1)} ${move}${mark ? ` ${mark} (${WORDS[mark]})` : ""}` : "The beginning");
    shell.say(status.textContent);
    back.hidden = inGame() && state.line.length === state.main.length;
    ask.disabled = !state.at;
    ask.textContent = move ? `Why not ${move}?` : "Why not this move?";
    reviewing.disabled = !state.main.length;
    list.replaceChildren(...rounds(state.movers).map(plies => el("li", {}, state.movers[plies[0]] > 0 ? "… " : "", plies.map(plyButton))));
    const current = list.querySelector("[aria-current]");
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - 60;
    const judgement = inGame() ? state.judged[state.at] : null;
    showBar(judgement ? judgement.chance : null);
    drawCurve();
    remember();
  }

  /** The name of the first seat, whose winning chance is shown. */
  function first() {
    return state.facts && state.facts.named ? state.facts.names[0] : "Player 1";
  }

  function remember() {
    const query = new URLSearchParams({game: state.game});
    if (state.start) query.set("start", state.start);
    if (state.line.length) query.set("moves", state.line.join(" "));
    if (state.at) query.set("at", state.at);
    const address = `/analyse?${query}`;
    // A long game stays in the page only: servers and browsers cut long addresses off.
    if (address.length < 6000) history.replaceState(null, "", address);
  }

  function showBar(chance) {
    if (chance === null || chance === undefined) return;
    bar.querySelector(".bar-fill").style.height = `${100 * chance}%`;
    bar.style.setProperty("--share", `${100 * chance}%`);
    bar.querySelector(".bar-text").textContent = percent(chance);
    bar.setAttribute("aria-label", `Winning chance of ${first()}: ${percent(chance)}`);
  }

  function depths(message) {
    return message.selective > message.depth ? `${message.depth} (up to ${message.selective})` : `${message.depth}`;
  }

  function showLines(message) {
    speed.textContent = `${message.algorithm}: depth ${depths(message)}, ${count(message.total)} nodes, ${count(message.speed)} nodes/s`;
    table.tBodies[0].replaceChildren(...message.lines.map(line => el("tr", {},
      el("td", {}, percent(line.chance)), el("td", {}, line.end || points(line.value)),
      el("td", {class: "pv"}, line.moves.map((move, place) => place
        ? ` ${move}` : el("button", {type: "button", class: "ply", onclick: () => play(line.moves[0])}, move))))));
    if (message.lines.length) showBar(message.lines[0].chance);
    board.annotate(message.lines.filter(line => line.moves.length).map((line, place) => ({text: line.moves[0], label: String(place + 1), value: 1 / (1 + place)})));
  }

  function drawCurve() {
    const known = state.judged.filter(found => found && found.chance !== null);
    if (!known.length) {
      curve.replaceChildren();
      return;
    }
    const width = 300, height = 80, last = Math.max(1, state.main.length);
    const x = ply => ply / last * width, y = chance => (1 - chance) * height;
    const picture = svg("svg", {viewBox: `-4 -4 ${width + 8} ${height + 8}`, role: "img", "aria-label": `Winning chance of ${first()} over the game`},
      svg("rect", {class: "ground", width, height}), svg("path", {class: "share", d: `M${x(known[0].ply).toFixed(1)} ${height}${known.map(found => `L${x(found.ply).toFixed(1)} ${y(found.chance).toFixed(1)}`).join("")}V${height}Z`}),
      svg("path", {class: "middle", d: `M0 ${height / 2}H${width}`}),
      svg("path", {class: "trace", d: known.map((found, place) => `${place ? "L" : "M"}${x(found.ply).toFixed(1)} ${y(found.chance).toFixed(1)}`).join("")}),
      known.filter(found => found.mark && found.mark !== "?!").map(found => svg("text", {class: "flag", x: x(found.ply), y: Math.max(8, y(found.chance) - 3)}, found.mark)),
      inGame() ? svg("path", {class: "now", d: `M${x(state.at)} 0V${height}`}) : null);
    picture.addEventListener("click", event => {
      const box = picture.getBoundingClientRect();
      state.line = state.main.slice();
      go(Math.max(0, Math.min(state.main.length, Math.round(((event.clientX - box.left) / box.width * (width + 8) - 4) / width * last))));
    });
    curve.replaceChildren(picture);
  }

  // The whole game, and why not -------------------------------------------------------------------------------------

  function review() {
    if (reviewing.dataset.running) {
      socket.send({do: "stop", what: "review"});
      reviewed();
      return;
    }
    state.judged = [];
    reviewing.dataset.running = "yes";
    reviewing.textContent = "Stop";
    progress.hidden = false;
    progress.value = 0;
    socket.send({do: "review", game: state.game, start: state.start, moves: state.main});
  }

  function judged(message) {
    if (!reviewing.dataset.running || message.total !== state.main.length) return;
    state.judged[message.ply] = message;
    progress.value = message.ply / Math.max(1, message.total);
    if (message.mark || message.ply === message.total) paint();
    else drawCurve();
  }

  function reviewed() {
    delete reviewing.dataset.running;
    reviewing.textContent = "Find blunders";
    progress.hidden = true;
    const bad = state.judged.filter(found => found && found.mark);
    if (state.judged.length > state.main.length) shell.say(`${bad.length} moves are marked.`);
    if (state.view) paint();
  }

  function why() {
    if (!state.at) return;
    answer.hidden = false;
    answer.replaceChildren("Looking for the answer to it …");
    socket.send({do: "why", game: state.game, start: state.start, moves: state.line.slice(0, state.at - 1), move: state.line[state.at - 1]});
  }

  function called(seat) {
    return state.facts && state.facts.named ? state.facts.names[seat] : `player ${seat + 1}`;
  }

  function showWhy({move, seat, best, played, terms}) {
    const mine = chance => chance === null ? null : seat === 0 ? chance : 1 - chance;
    const lost = best.chance === null ? 0 : mine(best.chance) - mine(played.chance);
    const words = best.moves[0] === move ? `${move} is the engine's own choice.`
      : lost < .03 ? `${move} is about as good as ${best.moves[0]}.`
        : `${move} lowers ${called(seat)}'s winning chance from ${percent(mine(best.chance))} to ${percent(mine(played.chance))}.`;
    const rows = terms.filter(term => Math.abs(term.best) + Math.abs(term.played) > 1e-9).slice(0, 8);
    answer.hidden = false;
    answer.replaceChildren(...[
      el("p", {}, el("strong", {}, words)),
      el("p", {}, "After it: ", played.moves.join(" "), played.end && ` (${played.end})`),
      el("p", {}, "Instead: ", best.moves.join(" "), best.end && ` (${best.end})`),
      rows.length ? el("table", {class: "terms"}, el("caption", {}, `The estimate at the end of each line, for ${called(seat)}`),
        el("thead", {}, el("tr", {}, ["Term", `after ${move}`, `after ${best.moves[0]}`, "difference"].map(word => el("th", {scope: "col"}, word)))),
        el("tbody", {}, rows.map(term => el("tr", {}, el("th", {scope: "row"}, term.name), el("td", {}, points(term.played)), el("td", {}, points(term.best)),
          el("td", {}, points(term.played - term.best)))))) : null,
    ].filter(Boolean));
  }

  // Loading ---------------------------------------------------------------------------------------------------------

  async function readFile() {
    if (!file.files.length) return;
    if (file.files[0].size > 1_000_000) {
      shell.tell("This file is too large; expected at most a million characters.");
      return;
    }
    text.value = await file.files[0].text();
    load(0);
  }

  async function load(number) {
    try {
      const found = await call("/api/analyse/load", {game: state.game, text: text.value, number});
      if (left) return;
      Object.assign(state, {game: found.game, start: found.start, line: found.moves, main: found.moves.slice(), judged: [], title: found.title});
      choose.hidden = found.games.length < 2;
      choose.replaceChildren(...found.games.map((title, place) => el("option", {value: place}, title)));
      choose.value = `${number}`;
      if (found.error) shell.tell(found.error);
      go(0);
    } catch (error) {
      shell.tell(error.message);
    }
  }

  function key(event) {
    if (event.target.closest("input, textarea, select, [data-cell]") || event.altKey || event.ctrlKey || event.metaKey) return;
    const act = {ArrowLeft: () => go(state.at - 1), ArrowRight: () => go(state.at + 1), Home: () => go(0), End: () => go(state.line.length)}[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  document.addEventListener("keydown", key);
  const {query} = route;
  if (query.get("play")) {
    const kept = await call(`/api/play/games/${encodeURIComponent(query.get("play"))}`);
    Object.assign(state, {game: kept.game, start: kept.start, line: kept.moves, main: kept.moves.slice()});
    go(kept.moves.length);
  } else {
    const moves = (query.get("moves") || "").split(" ").filter(Boolean);
    Object.assign(state, {game: query.get("game") || "chess", start: query.get("start"), line: moves, main: moves.slice()});
    go(Math.min(Number(query.get("at")) || 0, moves.length));
  }
  return () => {
    left = true;
    document.removeEventListener("keydown", key);
    socket.close();
  };
}
