// The page Tree lab. The address holds everything that is shown, so that a link brings it back.

import {call} from "./api.js";
import {el} from "./dom.js";
import {makeBoards} from "./lab_board.js";
import {makePanel} from "./lab_panel.js";
import {makePlayer} from "./lab_player.js";
import {makeBranches} from "./lab_branches.js";

const TEXTBOOK = "((3 12 8) (2 4 6) (14 5 2))";
const KINDS = [["tree", "Drawn tree"], ["random", "Random tree"], ["example", "Lecture example"], ["game", "Position of a game"]];
const ORDERS = [["random", "by chance"], ["best", "best first"], ["worst", "worst first"], ["0.8", "best first, 8 times in 10"]];

/** Reads the address. */
function read(query) {
  const kind = KINDS.some(([name]) => name === query.get("kind")) ? query.get("kind") : "tree";
  const number = (key, otherwise) => (/^\d+$/.test(query.get(key) || "") ? Number(query.get(key)) : otherwise);
  return {
    kind, tree: query.get("tree") || TEXTBOOK, example: query.get("example") || "textbook",
    branching: number("branching", 3), levels: number("levels", 3), seed: number("seed", 7),
    values: query.get("values") || "-9..9", order: query.get("order") || "random",
    game: query.get("game") || "tictactoe", position: query.get("position") || "", moves: query.get("moves") || "",
    a: query.get("a") || "", b: query.get("b") || "", depth: number("depth", null), step: number("step", 0),
    folded: (query.get("folded") || "").split(".").filter(Boolean).map(Number),
    mode: query.get("mode") === "branches" ? "branches" : "steps", nodes: number("nodes", 100000),
    sort: query.get("sort") || "size", open: query.get("open") || "",
  };
}

/** Writes the address, with what differs from an empty page. */
function write(view) {
  const query = new URLSearchParams();
  const put = (key, value) => { if (value !== "" && value !== null && value !== undefined) query.set(key, value); };
  put("kind", view.kind);
  if (view.kind === "tree") put("tree", view.tree);
  if (view.kind === "example") put("example", view.example);
  if (view.kind === "random") for (const key of ["branching", "levels", "seed", "values", "order"]) put(key, view[key]);
  if (view.kind === "game") for (const key of ["game", "position", "moves"]) put(key, view[key]);
  put("a", view.a);
  put("b", view.mode === "steps" ? view.b : "");
  put("depth", view.depth);
  if (view.mode === "branches") for (const key of ["mode", "nodes", "sort", "open"]) put(key, view[key]);
  else {
    put("step", view.step || "");
    put("folded", view.folded.join("."));
  }
  return `/lab?${query}`;
}

function source(view) {
  if (view.kind === "tree") return {kind: "tree", text: view.tree};
  if (view.kind === "example") return {kind: "example", name: view.example};
  if (view.kind === "random") {
    return {kind: "random", branching: view.branching, depth: view.levels, seed: view.seed, values: view.values, ordering: view.order};
  }
  return {kind: "game", game: view.game, position: view.position, moves: view.moves};
}

export async function mount(main, route, shell) {
  const view = read(route.query);
  const [examples, games] = await Promise.all([call("/api/lab/examples"), call("/api/games")]);
  let player = null, branches = null, turn = 0, described = null;

  // A label around a list would be read with all its entries, so the control carries the name itself too.
  const field = (name, input, attributes = {}) => {
    const control = input.matches("input, select") ? input : input.querySelector("input, select");
    if (control) control.setAttribute("aria-label", name);
    return el("label", {class: "lab-field", ...attributes}, el("span", {}, name), input);
  };
  const choice = (options, value, onchange) => {
    const made = el("select", {onchange: () => onchange(made.value)},
      options.map(([key, text]) => el("option", {value: key, selected: key === value}, text)));
    return made;
  };
  const number = (key, low, high) => el("input", {
    type: "number", min: low, max: high, value: view[key] ?? "", onchange: event => {
      view[key] = event.target.value === "" ? null : Number(event.target.value);
      fresh();
    },
  });
  const text = (key, attributes = {}) => el("input", {
    type: "text", value: view[key], autocomplete: "off", spellcheck: "false", ...attributes,
    onchange: event => { view[key] = event.target.value.trim(); fresh(); },
  });

  // What to search -----------------------------------------------------------------------------------------------------
  const seed = number("seed", 0, 1000000000);
  const parts = {
    tree: el("div", {class: "fields"}, field("Tree", text("tree", {class: "mono"}), {class: "lab-field grow"}),
      el("details", {}, el("summary", {}, "How to write a tree"), el("ul", {},
        [["((3 12 8) (2 4 6))", "MAX at the root, levels in turn"], ["max(3 min(2 x y))", "whose move it is; x and y have no value"],
          ["A(B=3 C(2 4))", "labels"], ["(4 [0.5:3 0.5:(1 2)])", "a chance node with probabilities"],
          ["((1/2/6 4/2/3) (6/1/2 7/4/1))", "three players"]].map(([code, words]) =>
          el("li", {}, el("button", {type: "button", class: "link mono", onclick: () => {
            view.tree = code;
            parts.tree.querySelector("input").value = code;
            fresh();
          }}, code), ` ${words}`))))),
    random: el("div", {class: "fields"}, field("Branching", number("branching", 1, 30)), field("Levels", number("levels", 1, 12)),
      field("Seed", seed), field("Leaves from..to", text("values", {pattern: "-?\\d+\\.\\.-?\\d+"})),
      field("Order of moves", choice(ORDERS, view.order, value => { view.order = value; fresh(); })),
      el("button", {type: "button", onclick: () => {
        view.seed = Math.floor(Math.random() * 10000);
        seed.value = view.seed;
        fresh();
      }}, "Another tree")),
    example: el("div", {class: "fields"}, field("Example", choice(examples.map(shown => [shown.name, shown.title]), view.example,
      value => { view.example = value; view.a = view.b = ""; view.depth = null; depth.value = ""; fresh(); }), {class: "lab-field grow"})),
    game: el("div", {class: "fields"}, field("Game", choice(games.map(game => [game.name, game.title]), view.game, value => {
      Object.assign(view, {game: value, position: "", moves: "", a: "", b: "", depth: view.mode === "steps" ? 2 : null});
      depth.value = view.depth ?? "";
      parts.game.querySelectorAll("input").forEach(input => { input.value = ""; });
      fresh();
    })), field("Position", text("position", {placeholder: "the start", class: "mono"}), {class: "lab-field grow"}),
      field("Moves from there", text("moves", {placeholder: "none", class: "mono"}), {class: "lab-field grow"})),
  };
  const kind = el("div", {class: "tabs", role: "group", "aria-label": "What to search"}, KINDS.map(([name, title]) =>
    el("button", {type: "button", "data-kind": name, onclick: () => {
      view.kind = name;
      view.a = view.b = "";
      if (name === "game" && view.depth === null) { view.depth = 2; depth.value = "2"; }
      if (name !== "game") { view.depth = null; depth.value = ""; setMode("steps"); }
      fresh();
    }}, title)));

  // How ---------------------------------------------------------------------------------------------------------------
  const depth = number("depth", 0, 60);
  const algorithmA = choice([], "", value => { view.a = withOptions(value, optionsA.value); keep(); });
  const algorithmB = choice([], "", value => { view.b = withOptions(value, optionsB.value); keep(); });
  const options = key => el("input", {
    type: "text", class: "mono options", placeholder: "key=value", autocomplete: "off", spellcheck: "false", onchange: event => {
      const chosen = (key === "a" ? algorithmA : algorithmB).value;
      if (chosen) view[key] = withOptions(chosen, event.target.value);
      keep();
    },
  });
  const optionsA = options("a"), optionsB = options("b");
  const withOptions = (name, more) => (name && more.trim() ? `${name}:${more.trim()}` : name);
  const nodes = choice([["10000", "10,000"], ["100000", "100,000"], ["300000", "300,000"], ["1000000", "1,000,000"]],
    String(view.nodes), value => { view.nodes = Number(value); view.open = ""; show(); });
  const modes = el("div", {class: "tabs", role: "group", "aria-label": "How to look at it"},
    [["steps", "Step by step"], ["branches", "Branch by branch"]].map(([name, title]) =>
      el("button", {type: "button", "data-mode": name, onclick: () => { setMode(name); fresh(); }}, title)));
  const compare = field("Compare with", el("span", {class: "row"}, algorithmB, optionsB));
  const most = field("Nodes at most", nodes);
  const about = el("div", {class: "about"});
  const stage = el("div", {class: "stage", "aria-busy": "true"});

  main.append(
    el("h1", {class: "unseen"}, "Tree lab"),
    el("form", {class: "lab-form panel", onsubmit: event => { event.preventDefault(); fresh(); }},
      el("div", {class: "row"}, kind, modes), Object.values(parts),
      el("div", {class: "fields"}, field("Algorithm", el("span", {class: "row"}, algorithmA, optionsA)), compare,
        field("Depth at most", depth), most, el("button", {class: "main"}, "Search"))),
    about, stage);
  for (const [input, name] of [[optionsA, "Options of the algorithm"], [optionsB, "Options of the second algorithm"]])
    input.setAttribute("aria-label", name);
  algorithmB.setAttribute("aria-label", "Second algorithm");
  algorithmA.setAttribute("aria-label", "Algorithm");

  function setMode(mode) {
    view.mode = mode;
    if (mode === "branches" && view.depth === 2) { view.depth = null; depth.value = ""; }
    if (mode === "branches") view.a = "";
    if (mode === "steps" && view.kind === "game" && view.depth === null) { view.depth = 2; depth.value = "2"; view.a = ""; }
  }

  /** Something about what to search has changed. */
  function fresh() {
    Object.assign(view, {step: 0, folded: [], open: ""});
    described = null;
    return show();
  }

  /** The same tree with other algorithms: the step stays. */
  function keep() {
    view.open = "";
    return show();
  }

  function clear() {
    if (player) player.stop();
    if (branches) branches.stop();
    player = branches = null;
  }

  const remember = () => history.replaceState(null, "", write(view));

  async function show() {
    const mine = ++turn;
    for (const [name, part] of Object.entries(parts)) part.hidden = name !== view.kind;
    for (const button of kind.children) button.setAttribute("aria-pressed", String(button.dataset.kind === view.kind));
    for (const button of modes.children) button.setAttribute("aria-pressed", String(button.dataset.mode === view.mode));
    modes.hidden = view.kind !== "game" && view.mode === "steps";
    compare.hidden = view.mode === "branches";
    most.hidden = view.mode !== "branches";
    stage.setAttribute("aria-busy", "true");
    try {
      if (!described) described = await call("/api/lab/describe", {source: source(view)});
      if (mine !== turn) return;
      offer();
      remember();
      if (view.mode === "branches") showBranches(mine);
      else await showSteps(mine);
    } catch (error) {
      if (mine !== turn) return;
      clear();
      stage.replaceChildren(el("p", {class: "problem", role: "alert"}, error.message), wayOut(error.message));
    } finally {
      if (mine === turn) stage.setAttribute("aria-busy", "false");
    }
  }

  /** Where a search is too large to step through, the other way to look at it. */
  function wayOut(message) {
    if (!message.includes("branch by branch")) return "";
    return el("p", {}, el("button", {type: "button", class: "main", onclick: () => {
      view.kind === "game" ? setMode("branches") : (view.mode = "branches");
      fresh();
    }}, "Open it branch by branch"));
  }

  /** Fill the lists of algorithms with those that fit. */
  function offer() {
    const shown = described.example;
    if (shown && !view.a) {
      view.a = shown.algorithm;
      if (view.depth === null && shown.depth !== null) { view.depth = shown.depth; depth.value = shown.depth; }
    }
    const names = described.algorithms.map(known => known.name);
    if (!names.includes(view.a.split(":")[0])) view.a = "";
    if (!names.includes(view.b.split(":")[0])) view.b = "";
    if (!view.a) {
      view.a = [view.mode === "branches" ? described.strongest : described.plainest, ...names].find(name => names.includes(name)) || "";
    }
    depth.disabled = !described.evaluates;
    depth.title = described.evaluates ? "" : "This game has no estimate, so a search goes to its end.";
    if (depth.disabled) { view.depth = null; depth.value = ""; }
    const list = described.algorithms.map(known => el("option", {value: known.name}, known.title));
    algorithmA.replaceChildren(...list.map(option => option.cloneNode(true)));
    algorithmB.replaceChildren(el("option", {value: ""}, "nothing"), ...list);
    for (const [select, input, key] of [[algorithmA, optionsA, "a"], [algorithmB, optionsB, "b"]]) {
      const [name, ...rest] = view[key].split(":");
      select.value = name;
      input.value = rest.join(":");
      const known = described.algorithms.find(other => other.name === name);
      input.hidden = !known || !known.options.length;
      input.placeholder = known ? known.options.map(option => `${option}=`).join(",") : "";
      input.title = known ? `Options: ${known.options.join(", ")}` : "";
    }
    about.replaceChildren(...(shown ? [el("p", {}, el("strong", {}, shown.question)),
      el("details", {}, el("summary", {}, "What the lecture says"), el("p", {}, shown.explanation), el("p", {class: "faint"}, shown.source))] : []));
  }

  async function showSteps(mine) {
    const asked = [view.a, view.b].filter(Boolean);
    const found = await Promise.all(asked.map(algorithm =>
      call("/api/lab/search", {source: source(view), algorithm, depth: view.depth})));
    if (mine !== turn) return;
    clear();
    const onfold = () => { view.folded = [...panels[0].picture.closed]; remember(); };
    const panels = found.map((search, place) => makePanel(search, {
      title: asked[place], onfold, boards: search.drawn ? null : makeBoards(source(view)),
    }));
    if (view.folded.length) panels.forEach(panel => panel.picture.fold(view.folded));
    let saved = 0;
    player = makePlayer(panels, {
      position: view.step, speak: shell.say, onstep: at => {
        view.step = at;
        clearTimeout(saved);  // browsers allow only so many changes of the address
        saved = setTimeout(remember, 150);
      },
    });
    stage.replaceChildren(player.element,
      el("div", {class: found.length > 1 ? "searches two" : "searches"},
        panels.map((panel, place) => { panel.element.append(exports(asked[place], found[place])); return panel.element; })),
      found.length > 1 ? comparison(found, asked) : "", legend(found));
    player.go(view.step, true);  // once more, now that there is something to scroll
  }

  function comparison(found, asked) {
    const rows = [["nodes", "Nodes entered"], ["leaves", "Leaves looked at"], ["cuts", "Cut-offs"], ["skipped", found[0].drawn ? "Leaves skipped" : "Moves not tried"]];
    return el("table", {class: "comparison panel"}, el("caption", {}, "The whole searches compared"),
      el("thead", {}, el("tr", {}, el("td", {}), asked.map(name => el("th", {scope: "col"}, name)))),
      el("tbody", {}, rows.map(([key, words]) => el("tr", {"data-row": key}, el("th", {scope: "row"}, words),
        found.map(search => el("td", {}, search.result[key].toLocaleString("en"))))),
      el("tr", {"data-row": "value"}, el("th", {scope: "row"}, "Value"), found.map(search => el("td", {}, String(Number(search.result.value?.toPrecision(6))))))));
  }

  function legend(found) {
    const windows = found.some(search => search.windows);
    const several = found.some(search => search.tree.several);
    const chance = found.some(search => search.tree.player.includes(-1));
    const item = (sign, words) => el("li", {}, el("span", {class: "sign", "aria-hidden": "true"}, sign), words);
    return el("ul", {class: "legend"},
      several ? item("□", "each player maximises its own number") : [item("□", "MAX"), item("○", "MIN")],
      chance ? item("◇", "chance") : null, item("?", "so far"), windows ? item("[α, β]", "window") : null,
      item("≤ ≥", "at most, at least"), el("li", {}, el("span", {class: "sign strike-sign", "aria-hidden": "true"}, "//"), "not looked at"),
      item("━", "best play"), el("li", {class: "faint"}, "Space plays; ← → step; inside a tree the arrow keys move and Enter folds a branch."));
  }

  // Export ------------------------------------------------------------------------------------------------------------
  function exports(algorithm, search) {
    const fetchText = async format => {
      const at = Math.min(view.step, search.steps.length);
      const whole = at === 0 || at === search.steps.length;
      const response = await fetch("/api/lab/export", {
        method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify({source: source(view), algorithm, depth: view.depth, format, step: whole ? null : at - 1}),
      });
      const body = await response.text();
      if (!response.ok) throw new Error(JSON.parse(body).error);
      return body;
    };
    const save = (blob, ending) => {
      const link = el("a", {href: URL.createObjectURL(blob), download: `${algorithm.split(":")[0]}.${ending}`});
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    };
    const guarded = action => () => action().catch(error => shell.tell(error.message));
    const button = (name, title, action) => el("button", {type: "button", title, onclick: guarded(action)}, name);
    return el("div", {class: "row exports", role: "group", "aria-label": `Save the search of ${algorithm}`},
      button("SVG", "The picture as it stands, to scale to any size", async () => save(new Blob([await fetchText("svg")], {type: "image/svg+xml"}), "svg")),
      button("PNG", "The picture as it stands, in pixels", async () => save(await pixels(await fetchText("svg")), "png")),
      button("JSON", "The record with every node and event", async () => save(new Blob([await fetchText("json")], {type: "application/json"}), "json")),
      button("Copy link", "An address that brings this view back", async () => {
        remember();
        await navigator.clipboard.writeText(location.href);
        shell.tell("The link is in the clipboard.");
      }));
  }

  /** The SVG as pixels, twice as fine as on a plain screen. */
  async function pixels(text) {
    const address = URL.createObjectURL(new Blob([text], {type: "image/svg+xml"}));
    try {
      const image = new Image();
      image.src = address;
      await image.decode();
      const fine = Math.min(2, 16000 / Math.max(image.width, image.height));
      const canvas = el("canvas", {width: Math.ceil(image.width * fine), height: Math.ceil(image.height * fine)});
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      return await new Promise((resolve, reject) => canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error("The picture is too large for this browser."))), "image/png"));
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  // Large searches ----------------------------------------------------------------------------------------------------
  function showBranches() {
    clear();
    branches = makeBranches({
      request: {source: source(view), algorithm: view.a, depth: view.depth, nodes: view.nodes},
      sort: view.sort, open: view.open, say: shell.say, tell: shell.tell,
      onchange: (open, sort) => { Object.assign(view, {open, sort}); remember(); },
    });
    stage.replaceChildren(branches.element);
  }

  show();
  return () => { turn++; clear(); };
}
