// The page Arena: start a tournament, watch its table and ratings grow, replay its games.

import {call, connect} from "./api.js";
import {Board} from "./board.js";
import {el, svg} from "./dom.js";

const KINDS = [["round-robin", "Round robin: all meet all"], ["match", "Match of two"],
  ["gauntlet", "Gauntlet: one meets all"], ["swiss", "Swiss: equals meet"]];
const SUGGESTED = ["random", "alphabeta:depth=2", "alphabeta:depth=4", "mcts:simulations=100", "mcts:simulations=500", "best", "engine:depth=4",
  "engine:time=0.1", "negascout:depth=3", "montecarlo:simulations=200", "fast-mcts:time=0.1", "expectiminimax:depth=2"];
const CLOCKS = [["none", "no clock"], ["time=0.05", "0.05 s a move"], ["time=0.1", "0.1 s a move"], ["time=0.5", "0.5 s a move"],
  ["time=2", "2 s a move"], ["10+0.1", "10 s + 0.1 s a move"], ["60+0.6", "60 s + 0.6 s a move"], ["nodes=1000", "1,000 nodes a move"]];
const STATUS = {starting: "getting ready", running: "running", done: "finished", stopped: "stopped", failed: "failed"};
const whole = number => number.toLocaleString("en");
const signed = number => (number === null ? "∞" : Math.round(number) === 0 ? "0" : `${number < 0 ? "−" : "+"}${Math.abs(Math.round(number))}`);

function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  const minutes = Math.floor(seconds / 60);
  return minutes > 59 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : minutes ? `${minutes} min` : `${Math.max(1, Math.round(seconds))} s`;
}

export async function mount(main, route, shell) {
  const [games, programs] = await Promise.all([call("/api/games"), call("/api/programs")]);
  const players = ["alphabeta:depth=2", "mcts:simulations=100", "random"];
  let key = route.path[0] || "", detail = null, waiting = false, replay = null;

  const socket = connect("/api/arena/live", {
    run(message) {
      if (message.key === key) news(message);
      listSoon();
    },
    started(message) {
      waiting = false;
      start.disabled = false;
      choose(message.key);
    },
    error(message) {
      start.disabled = false;
      waiting = false;
      problem.textContent = message.error;
      shell.tell(message.error);
    },
    refused: reason => shell.tell(reason),
  });

  // The form ----------------------------------------------------------------------------------------------------------
  // A label around a list would be read with all its entries, so the control carries the name itself too.
  const field = (name, input, kind = "lab-field") => {
    input.setAttribute("aria-label", name);
    return el("label", {class: kind}, el("span", {}, name), input);
  };
  const select = (options, value) => el("select", {}, options.map(([id, text]) => el("option", {value: id, selected: id === value}, text)));
  const game = select(games.map(known => [known.name, known.title]), "connect4");
  const parameters = el("input", {type: "text", class: "mono", placeholder: "such as size=9", autocomplete: "off", spellcheck: "false"});
  const kind = select(KINDS, "round-robin");
  const count = el("input", {type: "number", min: 1, max: 20000, value: 10});
  const clock = select(CLOCKS, "none");
  const seed = el("input", {type: "number", min: 0, max: 1000000000, value: 1});
  const processes = select([["1", "1"], ["2", "2"], ["4", "4"]], "1");
  const list = el("ul", {class: "chips", "aria-label": "Players"});
  const adding = el("input", {type: "text", class: "mono", list: "known-players", placeholder: "alphabeta:depth=3", autocomplete: "off", spellcheck: "false",
    onkeydown: event => { if (event.key === "Enter") { event.preventDefault(); add(); } }});
  const start = el("button", {class: "main"}, "Start");
  const problem = el("p", {class: "problem", role: "alert"});

  function add() {
    const name = adding.value.trim();
    if (!name) return;
    if (!players.includes(name)) players.push(name);
    adding.value = "";
    showPlayers();
  }

  function showPlayers() {
    list.replaceChildren(...players.map(name => el("li", {class: "mono"}, name, " ", el("button", {type: "button", "aria-label": `Remove ${name}`, onclick: () => {
      players.splice(players.indexOf(name), 1);
      showPlayers();
      adding.focus();
    }}, "×"))));
  }
  showPlayers();

  const form = el("form", {class: "arena-form panel", onsubmit: event => {
    event.preventDefault();
    problem.textContent = "";
    start.disabled = waiting = true;
    const name = parameters.value.trim() ? `${game.value}:${parameters.value.trim()}` : game.value;
    socket.send({do: "start", kind: kind.value, game: name, players, games: Number(count.value), clock: clock.value, seed: Number(seed.value), processes: Number(processes.value)});
  }}, el("h2", {}, "New tournament"),
    el("div", {class: "fields"}, field("Game", game), field("Parameters", parameters), field("Kind", kind)),
    el("div", {class: "lab-field"}, el("span", {}, "Players"), list),
    el("div", {class: "row"}, adding, el("datalist", {id: "known-players"}, [...programs, ...SUGGESTED].map(name => el("option", {value: name}))),
      el("button", {type: "button", onclick: add}, "Add player")),
    el("div", {class: "fields"}, field("Games of each pairing", count), field("Clock", clock), field("Seed", seed), field("Processes", processes), start),
    problem);
  adding.setAttribute("aria-label", "Another player");
  const earlier = el("div", {class: "earlier panel"}, el("h2", {}, "Tournaments"), el("p", {class: "faint"}, "None yet."));
  const stage = el("section", {class: "arena-stage", "aria-label": "Tournament"});
  main.append(el("h1", {class: "unseen"}, "Arena"), el("div", {class: "arena"}, el("div", {class: "arena-side"}, form, earlier), stage));

  // Earlier tournaments -----------------------------------------------------------------------------------------------
  let listTimer = 0;
  function listSoon() {
    if (!listTimer) listTimer = setTimeout(() => { listTimer = 0; showList(); }, 900);
  }

  async function showList() {
    const known = await call("/api/arena/events").catch(() => null);
    if (!known) return;
    earlier.replaceChildren(el("h2", {}, "Tournaments"), known.length ? el("ul", {class: "event-list"}, known.map(event =>
      el("li", {}, el("button", {type: "button", class: "link", "aria-current": event.key === key ? "true" : null, onclick: () => choose(event.key)},
        `${event.game}, ${event.kind}`), el("span", {class: "faint"}, ` ${whole(event.done)} of ${whole(event.total)} games, ${STATUS[event.status]}`))))
      : el("p", {class: "faint"}, "None yet."));
  }

  function choose(chosen) {
    key = chosen;
    history.replaceState(null, "", key ? `/arena/${key}` : "/arena");
    return show();
  }

  // One tournament ----------------------------------------------------------------------------------------------------
  const parts = {};

  async function show() {
    replay = null;
    if (!detail || detail.key !== key) detail = null;
    if (!key) {
      stage.replaceChildren(el("div", {class: "empty"}, el("p", {}, "Choose a game and players, press Start, and watch them meet."),
        el("p", {class: "faint"}, "Players are searches with their limits: alphabeta:depth=4, mcts:simulations=500, engine:time=0.1, random.")));
      return;
    }
    const mine = key;
    try {
      detail = await call(`/api/arena/events/${encodeURIComponent(key)}`);
    } catch (error) {
      if (mine === key) stage.replaceChildren(el("p", {role: "alert"}, error.message));
      return;
    }
    if (mine === key) frame();
  }

  function frame() {
    const {summary} = detail;
    Object.assign(parts, {
      status: el("p", {class: "status", role: "status"}), bar: el("progress", {max: "1", value: "0", "aria-label": "Games played"}),
      table: el("div", {class: "table-frame", tabindex: "0", role: "region", "aria-label": "Standings"}), plot: el("div", {class: "plot"}), ends: el("p", {class: "faint"}),
      stop: el("button", {type: "button", onclick: () => socket.send({do: "stop", key})}, "Stop"),
      resume: el("button", {type: "button", onclick: () => socket.send({do: "resume", key})}, "Resume"),
      files: el("div", {class: "row files", role: "group", "aria-label": "Save"}), games: el("div", {class: "games"}), replay: el("div", {class: "replay"}),
    });
    parts.files.append(...detail.formats.map(format => el("a", {href: `/api/arena/events/${key}/files/${format}`, download: `${summary.game.replace(/\W+/g, "-")}.${format}`},
      {html: "HTML report", json: "JSON table", jsonl: "JSON games"}[format] || format.toUpperCase())));
    stage.replaceChildren(el("div", {class: "row head"}, el("h2", {}, `${summary.game}: ${summary.kind}`), parts.stop, parts.resume), parts.status, parts.bar,
      parts.table, parts.plot, parts.ends, parts.files, parts.games, parts.replay);
    news(detail);
    showGames();
  }

  function news(message) {
    if (!detail || detail.key !== message.key) {
      if (message.error) stage.replaceChildren(el("p", {class: "problem", role: "alert"}, message.error));
      else if (message.summary) show();
      return;
    }
    message = {...detail, ...message, summary: message.summary || detail.summary, done: message.done ?? detail.done};
    const running = ["starting", "running"].includes(message.status);
    const words = [`${whole(message.done)} of ${whole(message.total)} games`, STATUS[message.status]];
    if (running && message.pace) words.push(`${whole(Math.round(message.pace))} games a minute`);
    if (running && message.left) words.push(`${duration(message.left)} left`);
    parts.status.textContent = words.join(" · ") + (message.error ? ` · ${message.error}` : "");
    parts.bar.value = message.total ? message.done / message.total : 0;
    parts.stop.hidden = !running;
    parts.resume.hidden = running || message.done >= message.total;
    parts.table.replaceChildren(standings(message.summary));
    parts.plot.replaceChildren(plot(message.summary.ratings));
    const ends = message.summary.reasons.map(([reason, number]) => `${whole(number)} × ${reason}`);
    parts.ends.textContent = ends.length ? `How the games ended: ${ends.join("; ")}.` : "";
    if (message.done !== detail.games.length) refreshGames(message);
  }

  let gamesTimer = 0;
  function refreshGames(message) {
    if (gamesTimer) return;
    const wait = ["starting", "running"].includes(message.status) ? 2500 : 50;
    gamesTimer = setTimeout(async () => {
      gamesTimer = 0;
      const mine = key;
      const told = await call(`/api/arena/events/${encodeURIComponent(key)}`).catch(() => null);
      if (!told || mine !== key) return;
      detail = told;
      showGames();
    }, wait);
  }

  function standings(summary) {
    const names = summary.standings.map(row => row.player);
    const elo = new Map(summary.ratings.map(row => [row.player, row]));
    return el("table", {class: "standings"}, el("caption", {class: "unseen"}, "Standings and points against each other"),
      el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "#"), el("th", {scope: "col", class: "name"}, "Player"), el("th", {scope: "col"}, "Elo"), el("th", {scope: "col"}, "Points"),
        el("th", {scope: "col"}, "Games"), el("th", {scope: "col"}, "Won"), el("th", {scope: "col"}, "Drawn"), el("th", {scope: "col"}, "Lost"),
        names.map((name, place) => el("th", {scope: "col", title: `against ${name}`}, `v ${place + 1}`)))),
      el("tbody", {}, summary.standings.map((row, place) => {
        const rated = elo.get(row.player);
        return el("tr", {}, el("td", {}, String(place + 1)), el("th", {scope: "row", class: "name mono"}, row.player),
          el("td", {}, rated ? `${signed(rated.elo)} ± ${rated.error === null ? "∞" : Math.round(rated.error)}` : ""), el("td", {class: "points"}, String(row.points)),
          [row.games, row.wins, row.draws, row.losses].map(number => el("td", {}, whole(number))),
          names.map(other => el("td", {class: "cross"}, other === row.player ? "·" : String(summary.cross_table[row.player]?.[other] ?? ""))));
      })));
  }

  /** Ratings as dots with their 95 % bars on one scale. */
  function plot(ratings) {
    const rated = ratings.filter(row => row.elo !== null && row.error !== null);
    if (!rated.length) return "";
    const low = Math.min(...rated.map(row => row.elo - row.error)), high = Math.max(...rated.map(row => row.elo + row.error));
    const step = [50, 100, 200, 400, 1000, 2000, 5000].find(size => (high - low) / size <= 8) || 10000;
    const from = Math.floor(low / step) * step, to = Math.ceil(high / step) * step || step;
    const [left, wide, line] = [190, 440, 26], tall = line * rated.length + 30;
    const x = elo => left + (elo - from) / (to - from || 1) * wide;
    const ticks = [];
    for (let tick = from; tick <= to; tick += step) {
      ticks.push(svg("path", {class: "tick", d: `M${x(tick)} 4V${tall - 24}`}), svg("text", {class: "tick-text", x: x(tick), y: tall - 8}, signed(tick)));
    }
    return svg("svg", {class: "elo", viewBox: `0 0 ${left + wide + 30} ${tall}`, role: "img", "aria-label": `Elo ratings: ${rated.map(row => `${row.player} ${Math.round(row.elo)} plus or minus ${Math.round(row.error)}`).join("; ")}`},
      ticks, rated.map((row, place) => {
        const y = line * place + 18;
        return svg("g", {}, svg("text", {class: "who", x: left - 10, y: y + 4}, row.player.length > 26 ? `${row.player.slice(0, 25)}…` : row.player),
          svg("path", {class: "error", d: `M${x(row.elo - row.error)} ${y - 5}v10m0-5H${x(row.elo + row.error)}m0-5v10`}),
          svg("circle", {class: "dot", cx: x(row.elo), cy: y, r: 5}));
      }));
  }

  // Games -------------------------------------------------------------------------------------------------------------
  function showGames() {
    if (!detail.games.length) return;
    const recent = detail.games.slice(-500);
    const picker = el("select", {"aria-label": "Game to replay"}, recent.map((known, place) =>
      el("option", {value: String(known.number)}, `${detail.games.length - recent.length + place + 1}: ${known.seats.join(" – ")} (${known.utilities.join(", ")}), ${known.plies} plies`)));
    if (replay !== null) picker.value = String(replay);
    parts.games.replaceChildren(el("h2", {}, "Games"), el("div", {class: "row"}, picker, el("button", {type: "button", onclick: () => openReplay(Number(picker.value))}, "Replay")));
  }

  async function openReplay(number) {
    let told;
    try {
      told = await call(`/api/arena/events/${encodeURIComponent(key)}/games/${number}`);
    } catch (error) {
      shell.tell(error.message);
      return;
    }
    replay = number;
    for (const frame of told.frames) frame.drawing = {...told.frames[0].drawing, ...frame.drawing};
    let ply = 0;
    const holder = el("div", {class: "replay-board"});
    const board = new Board(holder, {label: "Position"});
    const moves = el("ol", {class: "replay-moves"});
    const buttons = told.moves.map((move, place) => el("button", {type: "button", onclick: () => go(place + 1), title: told.notes[place] || null}, move));
    moves.append(...buttons.map((button, place) => el("li", {class: place < told.opening ? "from-opening" : ""}, button)));
    const what = el("p", {class: "status", role: "status"});
    const button = (name, text, action) => el("button", {type: "button", "aria-label": name, title: name, onclick: action}, text);
    function go(to) {
      ply = Math.max(0, Math.min(to, told.frames.length - 1));
      board.show(told.frames[ply]);
      buttons.forEach((known, place) => {
        if (place + 1 === ply) known.setAttribute("aria-current", "true");
        else known.removeAttribute("aria-current");
      });
      const current = buttons[ply - 1];
      if (current) moves.scrollTop = current.offsetTop - moves.offsetTop - moves.clientHeight / 2;
      what.textContent = ply === told.frames.length - 1 ? `${told.reason}. Result: ${told.players.map((name, seat) => `${name} ${told.utilities[seat]}`).join(", ")}.`
        : ply ? `Move ${ply}: ${told.moves[ply - 1]}${told.notes[ply - 1] ? ` (${told.notes[ply - 1]})` : ""}` : "The start.";
    }
    parts.replay.replaceChildren(el("h2", {}, told.players.join(" – ")),
      el("div", {class: "replay-frame"}, holder, el("div", {}, el("div", {class: "row"},
        button("To the start", "|◀", () => go(0)), button("Back", "◀", () => go(ply - 1)), button("Forward", "▶", () => go(ply + 1)), button("To the end", "▶|", () => go(told.frames.length - 1))), what, moves)));
    parts.replay.onkeydown = event => {
      if (event.target.closest("[role=grid], input, select")) return;
      if (event.key === "ArrowLeft") go(ply - 1);
      else if (event.key === "ArrowRight") go(ply + 1);
      else return;
      event.preventDefault();
    };
    go(0);
    parts.replay.scrollIntoView({block: "nearest"});
  }

  showList();
  await show();
  return () => { socket.close(); clearTimeout(listTimer); clearTimeout(gamesTimer); };
}
