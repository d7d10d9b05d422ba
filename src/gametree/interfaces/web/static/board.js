// Draws any position from its drawing data and turns clicks, drags, fingers and keys into the text of a legal move.
// It knows no rules: the server says which places, clicked one after the other, make which move.

import {ask, el, svg} from "./dom.js";
import {animate} from "./motion.js";
import {Painter, SIZE} from "./paint.js";
import {isBand, unfold, unpack} from "./scene.js";

const FRAME = .38, FINGER = 60, MOST_DOTS = 40, MOST_BUTTONS = 60;
const known = new Map();  // boards that were sent once, by their key

/** A view as it is used here; `show` takes packed ones as well. */
export const unpacked = view => unpack(view, known);

export class Board {
  /** `onmove(text)` is called with the move that the person makes; without it the board is a picture. `still`: it is
   *  only looked at, and read out as one picture. */
  constructor(holder, {onmove = null, label = "Board", still = false} = {}) {
    Object.assign(this, {holder, onmove, label, still, view: null, flipped: false, active: false, path: [], hinted: [], focused: 0, drag: null, laid: [], notes: [], quiet: false});
    // Assistive technology need not come by the arrow keys. Not at the SVG itself, which would become a stop of Tab.
    holder.addEventListener("focusin", event => {
      const found = event.target.closest("[data-cell]");
      if (found) this.focused = Number(found.dataset.cell);
    });
  }

  /** Show a view. `active`: whether the person may move. `hint`: text of a move to point at. `notes`: moves with arrows. */
  show(view, {active = false, hint = null, notes = []} = {}) {
    const before = this.laid, key = this.view ? keyOf(this.view) : "";
    this.view = unpack(view, known);
    const same = key === keyOf(this.view);
    this.scene = unfold(this.view.drawing);
    this.active = active && Boolean(this.onmove);
    this.path = [];
    this.notes = notes;
    const hinted = hint === null ? null : this.view.moves.find(move => move.text === hint);
    this.hinted = hinted ? [...hinted.path.slice(0, -1).map(step => step[0]), hinted.mark].filter(cell => cell !== null) : [];
    this.draw();
    const [last] = this.view.last.slice(-1);
    const quiet = this.quiet;
    this.quiet = false;
    if (same && this.layer && !quiet) {
      animate(before, this.laid, this.layer, {enter: this.scene.enter, top: this.scene.box.top * SIZE, origin: last === undefined ? null : this.where(last)});
    }
  }

  flip() {
    this.flipped = !this.flipped;
    if (this.view) this.draw();
  }

  /** Arrows and values for moves: [{text, label, value}], best first; [] takes them away. */
  annotate(notes) {
    this.notes = notes;
    if (this.overNotes) this.overNotes.replaceChildren(...this.arrows());
  }

  // Drawing -----------------------------------------------------------------------------------------------------------

  draw() {
    const {scene} = this;
    const hadFocus = this.holder.contains(document.activeElement) && document.activeElement.dataset.cell !== undefined;
    const parts = [];
    this.cells = [];
    this.laid = [];
    this.layer = null;
    if (scene.text || !scene.picture) parts.push(el("pre", {class: "board-text", ...this.still ? {} : {tabindex: "0", role: "region", "aria-label": this.label}}, scene.text));
    if (scene.picture) parts.push(this.picture(scene));
    if (!this.still) {
      if (scene.caption) parts.push(el("p", {class: "board-caption"}, scene.caption));
      parts.push(this.buttons());
    }
    this.holder.replaceChildren(...parts);
    if (hadFocus && this.cells[this.focused]) this.cells[this.focused].focus({preventScroll: true});
  }

  /** Where a point in cells is seen, in units of the picture. */
  seen(x, y) {
    const {left, right, top, bottom} = this.scene.box;
    return this.flipped ? [(left + right - x) * SIZE, (top + bottom - y) * SIZE] : [x * SIZE, y * SIZE];
  }

  where(cell) {
    const {x, y} = this.scene.places[cell];
    return this.seen(x, y);
  }

  /** A place as it is seen: triangles of a turned board point the other way. */
  place(cell) {
    const place = this.scene.places[cell];
    return this.flipped ? {...place, shape: {up: "down", down: "up"}[place.shape] || place.shape} : place;
  }

  picture(scene) {
    const {only, box, framed} = scene, wood = only && scene.surface === "wood";
    const space = framed || wood ? FRAME : !only ? .35 : scene.lines.some(isBand) ? .2 : .05, edges = this.edges(scene);
    const names = svg("g", {class: `edges${framed ? " inside" : ""}`, "aria-hidden": "true"}, edges.map(([x, y, text]) => svg("text", {x, y: y + 9}, text)));
    const reach = (side, at, room) => edges.reduce((so, edge) => side(so, edge[at] / SIZE + room), side === Math.min ? Infinity : -Infinity);
    const inside = framed || wood;
    const left = inside ? box.left - space : Math.min(box.left - space, reach(Math.min, 0, -.23)), below = inside ? box.bottom + space : Math.max(box.bottom + space, reach(Math.max, 1, .25));
    const width = (inside ? box.right + space : Math.max(box.right + space, reach(Math.max, 0, .2))) - left, height = below - box.top + space;
    const said = [this.label, scene.alt].filter(Boolean).join(": ");
    const board = svg("svg", {
      class: `board board-${scene.layout}${scene.surface ? ` on-${scene.surface}` : ""}`, role: this.still ? "img" : only ? "grid" : "group", "aria-label": said,
      "aria-rowcount": only && !this.still ? scene.rows : null, "aria-colcount": only && !this.still ? scene.columns : null,
      viewBox: [left, box.top - space, width, height].map(length => (length * SIZE).toFixed(1)).join(" "),
    });
    board.style.setProperty("--shape", width / height);
    board.style.setProperty("--columns", only ? Math.max(scene.columns, 3) : width);
    this.painter = new Painter(scene);
    const layer = (kind, ...parts) => svg("g", {class: kind, "aria-hidden": "true"}, parts);
    const under = layer("under"), pieces = layer("above"), over = layer("over"), places = this.still ? layer("places") : board;
    board.append(this.painter.patterns(), layer("grounds", this.surface(scene, only && !framed && !wood ? 0 : space),
      scene.regions.map(region => this.painter.region(region, (x, y) => this.seen(x, y)))));
    const contents = scene.places.map(() => []);
    for (const item of scene.items) contents[item.place].push(item);
    const able = this.able();
    if (!this.usable(this.focused)) this.focused = Math.max(0, scene.places.findIndex((place, cell) => this.usable(cell)));
    const make = cell => {
      if (scene.places[cell].shape === "none") return [];
      this.fill(cell, contents[cell], able, under, pieces, over);
      return this.cell(scene, cell, contents[cell], able);
    };
    if (this.still) board.append(places);
    if (scene.cells) {
      const lines = [...Array(scene.rows).keys()].map(row =>
        svg("g", this.still ? {} : {role: "row"}, [...Array(scene.columns).keys()].map(column => make(row * scene.columns + column))));
      if (only || this.still) places.append(...lines);
      else board.append(svg("g", {role: "grid", "aria-label": "Board", "aria-rowcount": scene.rows, "aria-colcount": scene.columns}, lines));
    }
    for (let cell = scene.cells; cell < scene.racked; cell++) places.append(...make(cell));
    for (const rack of scene.racks) places.append(this.rack(rack, make, scene));
    this.marks(scene, under, over);
    this.overNotes = layer("notes", this.arrows());
    this.layer = pieces;
    board.append(layer("ground-lines", this.lines(scene, false)), under, pieces, this.front(scene), layer("over", this.lines(scene, true)), over, this.overNotes);
    const labels = svg("g", {class: "labels"});
    board.append(...scene.tracks.map(track => this.painter.track(track)), names, labels);
    for (const {x, y, text, size = .28, tone = "", align = "middle"} of scene.labels) {
      const [across, down] = this.seen(x, y);
      labels.append(svg("text", {x: across, y: down + size * 35, "font-size": size * SIZE, class: tone || null, "text-anchor": align === "middle" ? null : align}, text));
    }
    if (!this.still) this.listen(board);
    return board;
  }

  listen(board) {
    board.addEventListener("pointerdown", event => this.press(event));
    board.addEventListener("pointermove", event => this.carry(event));
    board.addEventListener("pointerup", event => this.release(event));
    board.addEventListener("pointercancel", () => this.putBack());
    board.addEventListener("click", event => {
      // Assistive technology clicks without a pointer.
      if (event.detail === 0 && event.target.closest("[data-cell]")) this.choose(Number(event.target.closest("[data-cell]").dataset.cell));
    });
    board.addEventListener("keydown", event => this.key(event));
  }

  /** What the whole lies on, and the frame around a grid. */
  surface({surface, box, framed, only}, space) {
    const around = (kind, room, round) => svg("rect", {class: kind, x: (box.left - room) * SIZE, y: (box.top - room) * SIZE, rx: round,
      width: (box.right - box.left + 2 * room) * SIZE, height: (box.bottom - box.top + 2 * room) * SIZE});
    if (surface === "blue") return around("blue-back", space, 26);
    if (framed) return [around(surface === "green" ? "green-frame" : "frame", space, 14), surface === "green" ? around("green-ground", 0, 0) : null];
    if (!surface) return null;
    return around(surface, surface === "felt" && !only ? space - .11 : space, surface === "felt" ? 60 : 14);
  }

  /** A frame in front of what falls into it, with a hole at every place. */
  front({surface, box, places, cells}) {
    if (surface !== "blue") return svg("g", {class: "front"});
    const [x, y] = [(box.left - FRAME) * SIZE, (box.top - FRAME) * SIZE], [wide, high] = [(box.right - box.left + 2 * FRAME) * SIZE, (box.bottom - box.top + 2 * FRAME) * SIZE];
    const holes = places.slice(0, cells).map((place, cell) => this.where(cell));
    return svg("g", {class: "front", "aria-hidden": "true"},
      svg("path", {class: "hole-frame", "fill-rule": "evenodd", d: `M${x + 26} ${y}h${wide - 52}a26 26 0 0 1 26 26v${high - 52}a26 26 0 0 1-26 26h${52 - wide}a26 26 0 0 1-26-26v${52 - high}a26 26 0 0 1 26-26Z`
        + holes.map(([a, b]) => `M${a - 41} ${b}a41 41 0 1 0 82 0a41 41 0 1 0-82 0`).join("")}),
      holes.map(([a, b]) => svg("circle", {class: "hole-rim", cx: a, cy: b, r: 42})));
  }

  /** Lines of nobody as one path, those of a seat as bands in its colour; chains are above everything. */
  lines({lines, layout, rows, columns}, above) {
    const path = ({points}) => points.map(([x, y], at) => `${at ? "L" : "M"}${this.seen(x, y).join(" ")}`).join("");
    const wanted = lines.filter(line => Boolean(line.above) === above), plain = wanted.filter(line => !isBand(line) && !line.tone);
    const stars = layout === "points" && !above ? starPoints(rows, columns).map(([x, y]) => this.seen(x, y)) : [];
    return [plain.length ? svg("path", {class: "lines", d: plain.map(path).join("")}) : null,
      stars.map(([x, y]) => svg("circle", {class: "star", cx: x, cy: y, r: rows > 9 ? 9 : 7})),
      wanted.filter(isBand).map(line => [svg("path", {class: "band-rim", d: path(line)}), svg("path", {class: `band ${this.painter.seat(line.player)}`, d: path(line)})]),
      wanted.filter(line => line.tone).map(line => [line.tone === "chain" ? svg("path", {class: "chain-rim", d: path(line)}) : null,
        svg("path", {class: line.tone === "chain" ? "chain" : line.tone === "pen" ? "pen" : "lines", d: path(line)})])];
  }

  /** [x, y, text] of the names of rows, left of them, and of columns, below them, whichever way the board is turned. */
  edges({rows, columns, places, left, below, lines}) {
    const range = count => [...Array(count).keys()], band = lines.some(isBand) ? 20 : 0, hex = places.some(place => place.shape === "hex");
    const end = (cells, beyond) => cells.filter(cell => this.usable(cell)).map(cell => this.where(cell)).reduce((one, two) => beyond(two, one) ? two : one);
    return [
      ...left.map((text, row) => {
        const [x, y] = end(range(columns).map(column => row * columns + column), (two, one) => two[0] < one[0]);
        return [x - 69 - band, y, text];
      }),
      ...below.map((text, column) => {  // columns of hexagons go down to the right
        const [x, y] = end(range(rows).map(row => row * columns + column), (two, one) => two[1] > one[1]);
        return [x + (hex ? 44 + band / 2 : 0), y + (hex ? 82 : 70) + band, text];
      }),
    ];
  }

  rack(rack, make, scene) {
    const [x, y] = this.seen(rack.x, rack.y), wide = rack.width * SIZE, tall = rack.height * SIZE;
    const tiles = scene.items.some(item => item.kind === "tile" && item.place >= rack.first && item.place < rack.first + rack.slots);
    return svg("g", {class: `hand${tiles ? " tiles" : ""}`, ...this.still ? {} : {role: "group", "aria-label": rack.owner}},
      svg("rect", {class: "rack", x: x - wide / 2 - 8, y: y - tall / 2 - 5, width: wide + 16, height: tall + 10, rx: 10}),
      svg("text", {class: "owner", x: x - wide / 2, y: y - tall / 2 - 14}, `${rack.owner} `),
      rack.slots ? [...Array(rack.slots).keys()].map(slot => make(rack.first + slot)) : svg("text", {class: "owner faint", x: x - wide / 2 + 15, y: y + 10}, "none"));
  }

  /** What lies on a place, and what is to be seen above and below it. */
  fill(cell, items, {starts, targets, ends}, under, pieces, over) {
    const place = this.place(cell), [x, y] = this.where(cell), {painter} = this;
    for (const laid of painter.lay(place, items, x, y)) {
      laid.place = cell;
      laid.node = painter.thing(laid);
      laid.holder = svg("g", {transform: `translate(${laid.x.toFixed(1)} ${laid.y.toFixed(1)})${laid.size === 1 ? "" : ` scale(${laid.size.toFixed(3)})`}`}, laid.node);
      this.laid.push(laid);
      pieces.append(laid.holder);
    }
    if (this.view.last.includes(cell) && !this.scene.marks.some(mark => mark.kind === "last")) this.put(painter.marking({kind: "last", place: cell}, place, at => this.where(at)), under, over);
    if (this.path.includes(cell)) under.append(painter.outline("chosen", place, x, y, 3));
    if (this.active && (targets.has(cell) || ends.has(cell))) {
      const simple = !["pocket", "slot", "up", "down"].includes(place.shape), small = place.shape === "point" || this.scene.only && targets.size > 20 && !this.path.length;
      const faint = targets.has(cell) ? "" : " faint-target";
      if (place.shape === "slot") over.append(painter.outline("target-ring slot-target", place, x, y, -2));
      else if (!simple) over.append(painter.outline("target-ring", place, x, y, 5));
      else if (items.length) over.append(svg("circle", {class: "target-ring", cx: x, cy: y, r: 44}));
      else if (targets.size <= MOST_DOTS || this.path.length) over.append(svg("circle", {class: `target${faint}`, cx: x, cy: y, r: small ? 10 : 14}));
    }
    if (this.hinted.includes(cell)) over.append(svg("circle", {class: "hint-ring", cx: x, cy: y, r: 46}));
  }

  put([below, above], under, over) {
    under.append(...below);
    over.append(...above);
  }

  marks(scene, under, over) {
    const where = cell => this.where(cell);
    for (const mark of scene.marks) this.put(this.painter.marking(mark, scene.places[mark.place], where), under, over);
    // The way that is chosen so far, and the way of a hint.
    for (const way of [this.path, this.hinted]) {
      for (let at = 1; at < way.length; at++) {
        if (way[at] !== way[at - 1]) over.append(this.painter.arrow({kind: way === this.path ? "plan" : "arrow", place: way[at - 1], to: way[at]}, where));
      }
    }
  }

  arrows() {
    if (!this.painter) return [];
    return this.notes.flatMap(({text, label = "", value = 1}) => {
      const move = this.view.moves.find(known => known.text === text);
      if (!move || move.mark === null) return [];
      const from = move.path.length > 1 ? move.path[0][0] : null, where = cell => this.where(cell);
      if (from !== null && from !== move.mark) return [this.painter.arrow({kind: "arrow", place: from, to: move.mark, value, text: label}, where)];
      return this.painter.marking({kind: "note", place: move.mark, text: label}, this.scene.places[move.mark], where)[1];
    }).reverse();
  }

  /** The place itself, which is focused and clicked. What lies on it is seen above it: letters on cards and stones are
   *  pictures, not the name of the place, and so lie outside it. */
  cell(scene, cell, items, {starts, targets, ends}) {
    const place = this.place(cell), [x, y] = this.where(cell), {painter} = this, grid = cell < scene.cells;
    const covered = items.length && place.shape !== "pocket";
    const ground = painter.ground(covered ? {...place, text: ""} : place, x, y);
    if (this.still) return ground;
    const name = place.label || place.name || (grid ? `row ${Math.floor(cell / scene.columns) + 1} column ${cell % scene.columns + 1}` : "slot");
    const last = this.view.last.includes(cell), chosen = this.path.includes(cell);
    const target = targets.has(cell) || ends.has(cell), start = starts.has(cell), live = this.active && (target || start);
    const words = cell >= scene.racked && items.length ? [] : [name], sign = covered ? "" : place.text;
    if (place.player !== null) words.push(`player ${place.player + 1} ${sign}`.trim());
    else if (sign) words.push(sign);
    words.push(...items.length ? items.map(item => item.label) : ["empty"]);
    for (const mark of scene.marks) {
      if (mark.place !== cell) continue;
      if (mark.kind === "check") words.push("in check");
      else if (mark.kind === "heat" || mark.kind === "area") words.push(`${mark.kind} ${Math.round(100 * (mark.value ?? 1))} %`);
      else if (mark.text) words.push(mark.text);
    }
    if (chosen) words.push("picked up");
    if (last) words.push("last move");
    if (this.hinted.includes(cell)) words.push("hint");
    if (this.active && target) words.push("you can move here");
    else if (this.active && start) words.push("you can move this");
    const made = svg("g", {
      role: grid ? "gridcell" : this.onmove ? "button" : "img", "data-cell": cell, "data-name": place.name || null, "aria-label": words.join(", "),
      "aria-selected": chosen && grid ? "true" : null, "aria-pressed": chosen && !grid && this.onmove ? "true" : null,
      "aria-disabled": !grid && this.onmove && !live ? "true" : null,
      tabindex: cell === this.focused ? "0" : "-1",
      class: live ? "cell live" : "cell", "data-shape": place.shape,
    }, ground);
    this.cells[cell] = made;
    return [made, painter.outline("focus-under", place, x, y, 6), painter.outline("focus", place, x, y, 6)];
  }

  /** Moves that have no place on the board, amounts among them, and what can be done with a way that is chosen so far. */
  buttons() {
    const plain = this.active ? this.view.moves.filter(move => !move.path.length) : [], {sliders, rest} = amounts(plain.map(move => move.text));
    const button = (text, action, more = {}) => el("button", {type: "button", onclick: action, ...more}, text);
    const done = this.path.length ? this.finished() : [];
    return el("div", {class: "row moves", role: "group", "aria-label": "Other moves"},
      rest.slice(0, MOST_BUTTONS).map(text => button(text, () => this.onmove(text), {"data-move": text})),
      sliders.map(slider => this.slider(slider)),
      done.map(move => button(`Done: ${move.text}`, () => this.commit([move]), {class: "main", "data-move": move.text})),
      this.path.length > 1 ? button("One step back", () => { this.path.pop(); this.draw(); }, {"data-back": "step"}) : null);
  }

  slider({before, after, least, most, step}) {
    const name = `${before}…${after}`.trim(), told = el("span", {}, `${before}${least}${after}`);
    const input = el("input", {type: "range", min: least, max: most, step, value: least, "aria-label": name,
      oninput: () => { told.textContent = `${before}${input.value}${after}`; }});
    return el("div", {class: "amount"}, input, el("button", {type: "button", class: "main", onclick: () => this.onmove(`${before}${input.value}${after}`)}, told));
  }

  // Choosing ----------------------------------------------------------------------------------------------------------

  /** Moves whose way begins with these places and goes on. */
  following(path = this.path) {
    return this.view.moves.filter(move => move.path.length > path.length && path.every((cell, at) => move.path[at].includes(cell)));
  }

  /** Moves whose way is this one and no longer. */
  finished(path = this.path) {
    return this.view.moves.filter(move => move.path.length === path.length && path.every((cell, at) => move.path[at].includes(cell)));
  }

  /** Places that can be picked up, that lengthen the way, and where some way that began so ends. */
  able() {
    const starts = new Set(), targets = new Set(), ends = new Set();
    if (!this.active) return {starts, targets, ends};
    for (const move of this.view.moves) if (move.path.length > 1) for (const cell of move.path[0]) starts.add(cell);
    for (const move of this.following()) {
      const at = this.path.length, last = at === move.path.length - 1;
      if (last) targets.add(move.mark);
      else if (at) {
        for (const cell of move.path[at]) targets.add(cell);
        ends.add(move.mark);
      }
    }
    return {starts, targets, ends};
  }

  /** Whether a click there would carry the way on. */
  completing(cell) {
    return this.following().filter(move => (this.path.length || move.path.length === 1)
      && (move.path[this.path.length].includes(cell) || move.path[move.path.length - 1].includes(cell)));
  }

  choose(cell) {
    if (!this.active) return;
    this.focused = cell;
    const again = this.path[this.path.length - 1] === cell;
    let path = [...this.path, cell];
    if (!this.following().some(move => move.path[this.path.length].includes(cell))) {
      const short = this.path.length ? this.following().filter(move => move.path[move.path.length - 1].includes(cell)) : [];
      if (short.length) {
        this.commit(short);
        return;
      }
      path = !again && this.following([]).some(move => move.path[0].includes(cell)) ? [cell] : [];
    }
    // Where the next step must begin where this one ended, it does.
    while (path.length > 1 && !this.finished(path).length) {
      const next = new Set(this.following(path).flatMap(move => move.path[path.length]));
      if (next.size !== 1 || !next.has(cell)) break;
      path.push(cell);
    }
    const done = path.length ? this.finished(path) : [];
    if (done.length && !this.following(path).length) {
      this.path = path;
      this.commit(done);
      return;
    }
    this.path = path;
    this.draw();
  }

  /** Make one of these moves, which share their way. */
  async commit(moves) {
    const {view} = this;
    let [{text}] = moves;
    if (moves.length > 1) {
      const cell = this.cells[moves[0].mark], near = cell ? cell.getBoundingClientRect() : null;
      text = await ask("Which move?", moves.map(move => ({text: move.text, value: move.text, picture: this.portrait(move)})), near);
    }
    this.path = [];
    this.draw();
    if (text !== null && view === this.view) this.onmove(text);
  }

  /** A small picture of what a move puts on the board, where the server says it. */
  portrait({picture}) {
    if (!picture) return null;
    const item = {kind: "piece", text: "", player: null, count: 1, face_up: true, label: "", value: null, chance: null, ...picture};
    return svg("svg", {class: "board", viewBox: "-50 -50 100 100", "aria-hidden": "true"}, this.painter.thing({item}));
  }

  press(event) {
    const found = event.target.closest("[data-cell]");
    if (!found || event.button) return;
    const cell = Number(found.dataset.cell);
    this.focused = cell;
    this.drag = {cell, x: event.clientX, y: event.clientY, moved: false, ghost: null, id: event.pointerId, kept: [...this.path]};
    if (!this.active || !this.lifting(cell)) return;
    this.drag.movable = true;
    event.preventDefault();  // no text selection, no scrolling by the finger that carries a piece
  }

  /** The way that begins, or goes on, with picking up what lies there; null if it cannot be. */
  lifting(cell) {
    const onward = this.following([...this.path, cell]);
    if (this.path.length && onward.length) return [...this.path, cell];
    return this.following([cell]).length ? [cell] : null;
  }

  carry(event) {
    const drag = this.drag;
    if (!drag || !drag.movable) return;
    if (!drag.moved) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 6) return;
      drag.moved = true;
      this.path = this.lifting(drag.cell);
      this.draw();
      const board = this.holder.querySelector("svg.board"), piece = this.laid.filter(laid => laid.place === drag.cell).pop();
      if (piece) {
        drag.ghost = piece.holder.cloneNode(true);
        drag.ghost.classList.add("ghost");
        drag.size = piece.size;
        piece.node.classList.add("lifted");
        board.append(drag.ghost);
      }
      board.setPointerCapture(drag.id);
    }
    if (drag.ghost) {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(drag.ghost.ownerSVGElement.getScreenCTM().inverse());
      drag.ghost.setAttribute("transform", `translate(${point.x} ${point.y - (event.pointerType === "touch" ? FINGER : 0)}) scale(${drag.size * 1.1})`);
    }
  }

  release(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    if (!drag.moved) {
      this.choose(drag.cell);
      return;
    }
    if (drag.ghost) drag.ghost.remove();
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const found = under && under.closest("[data-cell]");
    const cell = found && this.holder.contains(found) ? Number(found.dataset.cell) : null;
    if (cell !== null && cell !== drag.cell && this.completing(cell).length) {
      this.quiet = true;  // it lies where it was put, and does not slide there again
      this.choose(cell);
    } else {
      this.path = drag.kept;
      this.draw();
    }
  }

  putBack() {
    this.drag = null;
    this.path = [];
    this.draw();
  }

  key(event) {
    const {columns, cells} = this.scene, steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in steps) {
      const next = this.neighbour(...steps[event.key]);
      if (next !== null) this.focus(next);
    } else if (event.key === "Home" || event.key === "End") {
      const rack = this.scene.racks.find(known => this.focused >= known.first && this.focused < known.first + known.slots);
      const [first, count] = this.focused < cells ? [this.focused - this.focused % columns, columns]
        : rack ? [rack.first, rack.slots] : [cells, this.scene.racked - cells];
      const row = [...Array(count).keys()].map(at => first + at).filter(cell => this.usable(cell));
      this.focus(event.key === "Home" ? row[0] : row[row.length - 1]);
    } else if (/^[npNP]$/.test(event.key)) this.leap(/n/i.test(event.key) ? 1 : -1);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.focused);
    else if (event.key === "Backspace" && this.path.length) { this.path.pop(); this.draw(); }
    else if (event.key === "Escape") this.putBack();
    else return;
    event.preventDefault();
  }

  /** To the next place, or the one before, that can be picked up or moved to. */
  leap(step) {
    const {starts, targets} = this.able(), live = [...(this.path.length ? targets : new Set([...starts, ...targets]))].sort((a, b) => a - b);
    if (!live.length) return;
    const next = step > 0 ? live.find(cell => cell > this.focused) : live.reverse().find(cell => cell < this.focused);
    this.focus(next === undefined ? live[0] : next);
  }

  usable(cell) {
    return cell < this.scene.places.length && this.scene.places[cell].shape !== "none";
  }

  /** The next cell of the grid in this direction; where it ends, and beside it, the place that lies nearest there. */
  neighbour(right, down) {
    const {rows, columns, cells, places} = this.scene, turn = this.flipped ? -1 : 1, from = this.focused;
    if (from < cells) {
      const row = Math.floor(from / columns) + turn * down, column = from % columns + turn * right;
      const next = row * columns + column;
      if (row >= 0 && row < rows && column >= 0 && column < columns && this.usable(next)) return next;
    }
    const [x, y] = this.where(from);
    let best = null, least = Infinity;
    for (let cell = from < cells ? cells : 0; cell < places.length; cell++) {
      if (cell === from || !this.usable(cell)) continue;
      const [tox, toy] = this.where(cell), along = (tox - x) * right + (toy - y) * down;
      const aside = Math.abs((tox - x) * down) + Math.abs((toy - y) * right);
      if (along > 5 && along + 2 * aside < least) [best, least] = [cell, along + 2 * aside];
    }
    return best;
  }

  focus(cell) {
    this.cells[this.focused].setAttribute("tabindex", "-1");
    this.focused = cell;
    this.cells[cell].setAttribute("tabindex", "0");
    this.cells[cell].focus();
  }
}

/** Two views of one board can be animated; those of different games cannot. */
function keyOf({drawing}) {
  return drawing.key || `${drawing.layout} ${drawing.rows} ${drawing.columns} ${drawing.racks ? drawing.racks.length : 0}`;
}

/** The marked points of a Go board. */
function starPoints(rows, columns) {
  if (rows !== columns || rows < 7) return [];
  const edge = rows < 12 ? 2 : 3, middle = (rows - 1) / 2, lines = [edge, ...rows % 2 ? [middle] : [], rows - 1 - edge];
  return lines.flatMap(x => lines.map(y => [x + .5, y + .5])).filter(([x, y]) => rows > 12 || (x === middle + .5) === (y === middle + .5));
}

/** Texts that differ in one number only, in equal steps, as sliders; the rest as they are. */
function amounts(texts) {
  const groups = new Map(), sliders = [];
  for (const text of texts) {
    const found = /^(\D*)(\d+)(\D*)$/.exec(text);
    if (!found) continue;
    const key = JSON.stringify([found[1], found[3]]);
    groups.set(key, [...groups.get(key) || [], Number(found[2])]);
  }
  const slid = new Set();
  for (const [key, numbers] of groups) {
    const sorted = [...numbers].sort((a, b) => a - b), step = sorted[1] - sorted[0], [before, after] = JSON.parse(key);
    if (sorted.length < 8 || sorted.some((number, at) => at && number - sorted[at - 1] !== step)) continue;
    sliders.push({before, after, least: sorted[0], most: sorted[sorted.length - 1], step});
    for (const number of numbers) slid.add(`${before}${number}${after}`);
  }
  return {sliders, rest: texts.filter(text => !slid.has(text))};
}
