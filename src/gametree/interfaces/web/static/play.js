// The page Play: set a game up, or sit down at one.

import {call, connect} from "./api.js";
import {Board, unpacked} from "./board.js";
import {el, rounds} from "./dom.js";
import {icon} from "./icons.js";

const OWN = "gametree.games";

function ownGames() {
  try {
    return JSON.parse(localStorage.getItem(OWN)) || [];
  } catch {
    return [];
  }
}

/** Keep the way back to a game, and the links that were made for others. */
function remember(id, game, invited) {
  try {
    const known = ownGames().find(other => other.id === id);
    const others = ownGames().filter(other => other.id !== id);
    const links = invited || (known && known.invited) || null;
    localStorage.setItem(OWN, JSON.stringify([{id, game, when: Date.now(), invited: links}, ...others].slice(0, 20)));
  } catch { /* then the link is the only way back */ }
}

function forget(id) {
  try {
    localStorage.setItem(OWN, JSON.stringify(ownGames().filter(known => known.id !== id)));
  } catch { /* there is nothing to forget */ }
}

export function mount(main, route, shell) {
  return route.path.length ? sit(main, route.path[0], shell) : setUp(main, route, shell);
}

// Setting up ------------------------------------------------------------------------------------------------------------

async function setUp(main, route, shell) {
  const [games, programs] = await Promise.all([call("/api/games"), call("/api/programs")]);
  let players = 2, left = false, asked = 0, levels = [], names = [];
  const pick = el("select", {id: "game", onchange: describe}, games.map(game => el("option", {value: game.name}, game.title)));
  pick.value = games.some(game => game.name === route.query.get("game")) ? route.query.get("game") : "tictactoe";
  const more = el("input", {id: "parameters", placeholder: "for example 1-5-4-2", autocomplete: "off", onchange: describe});
  const summary = el("p", {class: "faint", id: "summary"});
  const seats = el("div", {id: "seats"});
  const minutes = el("input", {id: "minutes", type: "number", min: "0.01", max: "600", step: "any", placeholder: "none", class: "short"});
  const increment = el("input", {id: "increment", type: "number", min: "0", max: "600", step: "any", placeholder: "0", class: "short"});
  const start = el("input", {id: "start", placeholder: "the usual beginning", autocomplete: "off"});
  const preview = el("div", {class: "preview"});
  const board = new Board(preview, {label: "How the game begins"});
  const form = el("form", {class: "setup panel", onsubmit: begin},
    el("h1", {}, "Play"),
    el("p", {class: "row"}, el("label", {for: "game", class: "unseen"}, "Game"), pick, el("button", {class: "main", id: "begin"}, icon("play"), "Start")),
    summary,
    el("fieldset", {}, el("legend", {}, "Who plays"), seats),
    el("details", {}, el("summary", {}, "Clocks, parameters and position"),
      el("p", {class: "row"},
        el("label", {}, "Minutes each", minutes), el("label", {}, "seconds a move", increment)),
      el("p", {}, el("label", {}, "Parameters", more)),
      el("p", {}, el("label", {}, "Position", start))),
    recent(shell));
  main.append(el("div", {class: "two"}, form, preview));
  fillSeats();
  describe();

  function name() {
    return more.value.trim() ? `${pick.value}:${more.value.trim()}` : pick.value;
  }

  function fillSeats() {
    // What a person has chosen stays, also if the levels of the game come only then.
    const before = [...seats.querySelectorAll("select")].map(select => select.dataset.chosen ? select.value : "");
    seats.replaceChildren(...[...Array(players).keys()].map(seat => {
      const choose = el("select", {"aria-label": `Player ${seat + 1}`, "data-seat": seat, "data-chosen": before[seat] ? "yes" : null,
        onchange: () => { choose.dataset.chosen = "yes"; }},
        el("option", {value: "person"}, "person"),
        el("option", {value: "guest"}, "person elsewhere, by a link"),
        levels.map(level => el("option", {value: level}, `engine, ${level}`)),
        [1, 5, 20].map(seconds => el("option", {value: `${seconds}`}, `engine, ${seconds} s a move`)),
        programs.flatMap(program => [1, 5].map(seconds => el("option", {value: `${seconds} ${program}`}, `${program}, ${seconds} s a move`))));
      choose.value = before[seat] || (seat === 0 || !levels.length ? "person" : "club");
      return el("p", {}, el("label", {}, names[seat] || `Player ${seat + 1}`, choose));
    }));
  }

  async function describe() {
    const mine = ++asked;
    summary.textContent = (games.find(game => game.name === pick.value) || {}).summary || "";
    try {
      const found = await call(`/api/play/about?game=${encodeURIComponent(name())}`);
      if (left || mine !== asked) return;
      board.show(found.view);
      const called = found.facts.named ? found.facts.names : [];
      if (found.facts.players !== players || !levels.length || called.join() !== names.join()) {
        names = called;
        players = found.facts.players;
        levels = found.levels;
        fillSeats();
      }
    } catch (error) {
      if (!left && mine === asked) {
        preview.replaceChildren();
        shell.tell(error.message);
      }
    }
  }

  async function begin(event) {
    event.preventDefault();
    const chosen = [...seats.querySelectorAll("select")].map(({value}) => {
      if (value === "person" || value === "guest") return {kind: value};
      if (levels.includes(value)) return {kind: "engine", level: value};
      const [seconds, program] = value.split(" ");
      return program ? {kind: "program", program, seconds: Number(seconds)} : {kind: "engine", seconds: Number(seconds)};
    });
    const patience = setTimeout(() => shell.tell("One moment: a game that is new on this machine is compiled first, once."), 1500);
    try {
      const made = await call("/api/play/games", {
        game: name(), seats: chosen, start: start.value.trim() || null,
        minutes: minutes.value ? Number(minutes.value) : null, increment: Number(increment.value || 0),
      });
      remember(made.id, name(), {links: made.links, spectators: made.spectators});
      shell.go(`/play/${made.id}`);
    } catch (error) {
      shell.tell(error.message);
    } finally {
      clearTimeout(patience);
    }
  }

  return () => { left = true; };
}

/** A seat's name in the middle of a sentence. */
function mid(name) {
  return name.replace(/^Player (?=\d)/, "player ");
}

function recent(shell) {
  const games = ownGames();
  if (!games.length) return null;
  return el("section", {}, el("h2", {}, "Go on with"), el("ul", {class: "recent"}, games.slice(0, 6).map(game => {
    const item = el("li", {}, el("a", {href: `/play/${game.id}`}, game.game), " ", el("span", {class: "faint"}, new Date(game.when).toLocaleString()),
      el("button", {type: "button", class: "small quiet", "aria-label": `Delete this game of ${game.game}`, title: "Delete this game", onclick: async () => {
        try {
          await call(`/api/play/games/${encodeURIComponent(game.id)}`, undefined, "DELETE");
          forget(game.id);
          item.remove();
          shell.say("The game is deleted.");
        } catch (error) {
          shell.tell(error.message);
        }
      }}, "✕"));
    return item;
  })));
}

// Playing ---------------------------------------------------------------------------------------------------------------

async function sit(main, id, shell) {
  const titles = new Map((await call("/api/games")).map(known => [known.name, known.title]));
  let game = null, received = 0, sound = false, seen = -1, hint = null, audio = null, looking = null;
  const holder = el("div", {class: "holder"});
  const board = new Board(holder, {onmove: send, label: "Board"});
  const status = el("p", {class: "status", id: "status"}, "One moment …");
  const players = el("ul", {class: "players"});
  const list = el("ol", {class: "movelist", id: "moves", tabindex: "0", "aria-label": "Moves"});
  const typed = el("input", {id: "typed", autocomplete: "off", spellcheck: "false", "aria-label": "Type a move"});
  const button = (text, id, act) => el("button", {type: "button", id, onclick: act}, text);
  const act = (sign, text, id, todo) => el("button", {type: "button", id, onclick: todo}, icon(sign), text);
  const undo = act("undo", "Take back", "undo", () => socket.send({do: "undo"}));
  const help = act("hint", "Hint", "hint-button", () => socket.send({do: "hint", ply: game.moves.length}));
  const resign = act("flag", "Resign", "resign", () => socket.send({do: "resign"}));
  const again = act("again", "Play again", "again", () => socket.send({do: "rematch"}));
  again.classList.add("main");
  const flip = act("flip", "Turn", "flip", () => board.flip());
  const link = el("a", {href: `/analyse?play=${id}`}, "Analyse this game");
  const loud = el("input", {type: "checkbox", id: "sound", onchange: () => { sound = loud.checked; }});
  const title = el("h1", {}, "Game");
  const offers = el("div", {class: "row", id: "offers"});
  const invited = (ownGames().find(known => known.id === id) || {}).invited;
  const way = link => `${location.origin}/play/${link}`;
  const invitations = invited ? el("details", {id: "links", open: Object.keys(invited.links).length > 0}, el("summary", {}, "Links for others"),
    Object.entries(invited.links).map(([seat, link]) => el("p", {}, el("label", {}, `Player ${Number(seat) + 1}`,
      el("input", {readonly: true, value: way(link), "data-guest": seat, onfocus: event => event.target.select()})))),
    el("p", {}, el("label", {}, "Who looks on", el("input", {readonly: true, value: way(invited.spectators), id: "spectators", onfocus: event => event.target.select()})))) : null;
  main.append(el("div", {class: "two table"},
    holder,
    el("div", {class: "side"},
      title, players, status, offers,
      el("div", {class: "acts"}, help, undo, flip, resign, again),
      list,
      el("form", {class: "entry", onsubmit: type}, typed, el("button", {}, "Play move")),
      el("p", {class: "row faint"}, el("label", {}, loud, "Sound"), link, el("span", {}, "The address of this page is the link to your seat.")),
      invitations)));

  const socket = connect(`/api/play/games/${encodeURIComponent(id)}/socket?packed`, {
    game: message => show({...message.game, view: unpacked(message.game.view)}),
    error: message => shell.tell(message.error),
    hint: message => {
      if (game && message.ply === game.moves.length) {
        hint = message.text;
        paint();
        const worth = message.end || (message.chance === null ? "" : `winning chance ${Math.round(100 * message.chance)} %`);
        status.textContent = `Hint: ${message.text}${worth && ` (${worth})`}`;
        shell.say(status.textContent);
      }
    },
    wait: message => { status.textContent = `One moment: ${message.text}.`; },
    rematch: message => {
      remember(message.id, game.game);
      shell.go(`/play/${message.id}`);
    },
    lost: () => { status.textContent = "The connection is lost; trying again …"; },
    refused: reason => { status.textContent = reason; },
  });

  function send(text) {
    if (game) socket.send({do: "move", text, ply: game.moves.length});
  }

  function type(event) {
    event.preventDefault();
    if (typed.value.trim()) send(typed.value.trim());
    typed.value = "";
  }

  /** The one name of a seat: the game's own, else its number. */
  function called(seat) {
    return game.facts.named ? game.facts.names[seat] : `Player ${seat + 1}`;
  }

  /** The colour of a seat's things on the board, for the sign beside its name. */
  function colour(seat) {
    const {drawing} = game.view, told = (drawing.seats || [])[seat];
    if (told && told.colour) return `is-${told.colour}`;
    const letters = drawing.items.some(item => (item.kind || "piece") === "piece" && !"♔♕♖♗♘♙♚♛♜♝♞♟".includes(item.text || "-"));
    if (game.facts.names[seat] === "White" || game.facts.names[seat] === "Black") return `is-${game.facts.names[seat].toLowerCase()}`;
    if (drawing.surface === "blue") return ["is-red", "is-yellow"][seat];
    return letters && game.seats.length === 2 ? ["is-max", "is-min"][seat] : `of-${seat % 8}`;
  }

  /** Whether the seat is played from this page. */
  function own(seat) {
    return seat !== null && game.own.includes(seat);
  }

  function seatName(seat) {
    const who = game.seats[seat];
    if (who.kind === "person" || who.kind === "guest") return own(seat) && game.own.length === 1 ? "you" : "person";
    if (who.kind === "program") return `${who.program}, ${who.seconds} s`;
    return who.seconds ? `engine, ${who.seconds} s` : `engine, ${who.level}`;
  }

  function show(now) {
    const fresh = now.moves.length !== seen;
    game = now;
    received = performance.now();
    hint = null;
    if (seen === -1) {
      remember(id, game.game);
      if (game.own.length === 1 && game.own[0] === 1 && game.view.drawing && game.view.drawing.checkered) board.flipped = true;
    }
    const [name, ...more] = game.game.split(":");
    title.textContent = [titles.get(name) || name, ...more].join(": ");
    if (fresh && seen >= 0 && now.moves.length > seen) beep();
    seen = now.moves.length;
    paint();
    const words = describe();
    status.textContent = words;
    const last = game.moves.length ? `${game.moves[game.moves.length - 1]}. ` : "";
    if (fresh) shell.say(last + words);
  }

  function describe() {
    if (game.note) return game.note;
    if (game.result) return verdict();
    if (game.view.seat === null) return "One moment …";
    if (own(game.view.seat)) {
      return game.own.length === 1 ? "Your turn: click, drag or type a move." : `${called(game.view.seat)}'s turn.`;
    }
    return ["person", "guest"].includes(game.seats[game.view.seat].kind) ? `${called(game.view.seat)}'s turn.` : `${called(game.view.seat)} thinks …`;
  }

  function verdict() {
    const {utilities, reason, seat} = game.result;
    const best = Math.max(...utilities);
    const winners = utilities.map((value, number) => number).filter(number => utilities[number] === best);
    const why = {resigned: `${called(seat)} resigned. `, time: `${called(seat)}'s time is up. `}[reason] || "";
    if (winners.length === utilities.length) return `${why}A draw.`;
    const names = winners.map(number => seatName(number) === "you" ? "You" : called(number));
    return `${why}${names.join(" and ")} ${names.length > 1 || names[0] === "You" ? "win" : "wins"}. (${utilities.map(value => Math.round(value * 100) / 100).join(" : ")})`;
  }

  /** Whether what is on the screen is for one of several persons only, who has not said yet that the others look away. */
  function covered() {
    return game.own.length > 1 && game.view.eye !== null && game.view.eye !== looking;
  }

  function curtain() {
    const ready = el("button", {type: "button", class: "main", id: "ready", onclick: () => {
      looking = game.view.eye;
      paint();
      const first = holder.querySelector("button, [tabindex='0']");
      if (first) first.focus();
    }}, `I am ${mid(called(game.view.eye))}`);
    holder.replaceChildren(el("div", {class: "curtain panel"},
      el("p", {}, `Only ${mid(called(game.view.eye))} may see what comes now. Pass the device on.`), ready));
    ready.focus();
  }

  function paint() {
    const hidden = covered();
    const active = !game.result && !hidden && own(game.view.seat);
    if (hidden) curtain();
    else board.show(game.view, {active, hint});
    players.replaceChildren(...game.seats.map((_, seat) => el("li", {class: game.view.seat === seat && !game.result ? "turn" : ""},
      el("span", {class: `chip ${colour(seat)}`, "aria-hidden": "true"}), el("span", {}, called(seat), el("span", {class: "who"}, `, ${seatName(seat)}`)), game.chosen.includes(seat) ? " ✓" : "",
      game.clocks ? el("span", {class: "clock", "data-clock": seat}) : null)));
    tick();
    typed.disabled = !active;
    typed.placeholder = active && game.view.moves.length ? `such as ${game.view.moves[0].text}` : "";
    help.disabled = !active;
    const persons = game.seats.some(seat => ["person", "guest"].includes(seat.kind));
    resign.disabled = Boolean(game.result) || !game.own.length;
    undo.disabled = (!game.moves.length && !game.chosen.length) || (persons && !game.own.length);
    again.hidden = !game.result || (persons && !game.own.length);
    link.hidden = game.facts.hidden;
    fillOffers();
    fillMoves();
  }

  /** What another player offers, to be answered. */
  function fillOffers() {
    const words = {draw: "offers a draw", "take-back": "would like to take a move back"};
    const open = game.offers.filter(offer => !game.own.every(seat => offer.agreed.includes(seat)));
    offers.replaceChildren(...open.flatMap(offer => [el("span", {}, `${called(offer.by)} ${words[offer.what]}.`),
      button("Agree", "agree", () => socket.send({do: "answer", yes: true})), button("Decline", "decline", () => socket.send({do: "answer", yes: false}))]));
  }

  function fillMoves() {
    const word = ply => {
      const chance = game.movers[ply] === -1;
      const kind = [chance ? "chance" : "", ply === game.moves.length - 1 ? "now" : ""].join(" ").trim();
      return el("span", {class: kind || null, title: chance ? "chance" : mid(called(game.movers[ply]))}, game.moves[ply]);
    };
    list.replaceChildren(...rounds(game.movers).map(plies => el("li", {}, game.movers[plies[0]] > 0 ? "… " : "", plies.flatMap(ply => [word(ply), " "]))));
    list.scrollTop = list.scrollHeight;
  }

  function tick() {
    if (!game || !game.clocks) return;
    for (const shown of players.querySelectorAll("[data-clock]")) {
      const seat = Number(shown.dataset.clock);
      let left = game.clocks.left[seat];
      if (game.clocks.running.includes(seat)) left = Math.max(0, left - (performance.now() - received) / 1000);
      const whole = Math.floor(left);
      shown.textContent = left < 10 ? left.toFixed(1) : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
    }
  }

  function beep() {
    if (!sound) return;
    audio = audio || new AudioContext();
    const tone = audio.createOscillator(), volume = audio.createGain();
    tone.frequency.value = 520;
    volume.gain.setValueAtTime(.08, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(.0001, audio.currentTime + .12);
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + .12);
  }

  const ticking = setInterval(tick, 200);
  return () => {
    clearInterval(ticking);
    socket.close();
    if (audio) audio.close();
  };
}
