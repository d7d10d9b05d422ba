// Draws any position from its drawing data and turns clicks, drags and keys into the text of a legal move.
// It knows no rules: the server says which cells make which move.

import {ask, el, svg} from "./dom.js";
import {ITEM, PLACE, Painter, SIZE} from "./paint.js";

/** A scene as it comes, with what was left out of it, and where it lies: {left, top, right, bottom} in cells. */
function unfold(data) {
  const scene = {...data, places: data.places.map(place => ({...PLACE, ...place})), items: data.items.map(item => ({...ITEM, ...item}))};
  scene.cells = scene.rows * scene.columns;
  scene.racked = scene.racks.length ? scene.racks[0].first : scene.places.length;
  const box = {left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity};
  const reach = (x, y, half, tall) => {
    box.left = Math.min(box.left, x - half);
    box.right = Math.max(box.right, x + half);
    box.top = Math.min(box.top, y - tall);
    box.bottom = Math.max(box.bottom, y + tall);
  };
  for (const place of scene.places) {
    if (place.shape !== "none") reach(place.x, place.y, place.width / 2, place.shape === "hex" ? place.width / Math.sqrt(3) : place.height / 2);
  }
  for (const rack of scene.racks) reach(rack.x, rack.y - .2, rack.width / 2, rack.height / 2 + .25);
  for (const track of scene.tracks) reach(track.x + track.width / 2, track.y - .05, track.width / 2, .35);
  for (const label of scene.labels) reach(label.x, label.y, label.text.length * (label.size || .28) * .3, (label.size || .28) * .6);
  for (const line of scene.lines) for (const [x, y] of line.points) reach(x, y, 0, 0);
  scene.box = box;
  return scene;
}

/** A line of a seat is drawn as a broad band, unless it lies above the pieces. */
function isBand(line) {
  return (line.player ?? null) !== null && !line.above;
}

export class Board {
  /** `onmove(text)` is called with the move that the person makes; without it the board is a picture. */
  constructor(holder, {onmove = null, label = "Board"} = {}) {
    this.holder = holder;
    this.onmove = onmove;
    this.label = label;
    this.view = null;
    this.flipped = false;
    this.active = false;
    this.selected = null;
    this.walked = [];  // what a move of several steps has passed so far, click by click
    this.hinted = [];
    this.focused = 0;
    this.drag = null;
    // Assistive technology need not come by the arrow keys. Not at the SVG itself, which would become a stop of Tab.
    holder.addEventListener("focusin", event => {
      const found = event.target.closest("[data-cell]");
      if (found) this.focused = Number(found.dataset.cell);
    });
  }

  /** Show a view. `active`: whether the person may move. `hint`: text of a move to point at. */
  show(view, {active = false, hint = null} = {}) {
    this.view = view;
    this.scene = unfold(view.drawing);
    this.active = active && Boolean(this.onmove);
    this.selected = null;
    this.walked = [];
    const hinted = hint === null ? null : view.moves.find(move => move.text === hint);
    this.hinted = hinted ? [hinted.from, hinted.mark].filter(cell => cell !== null) : [];
    this.draw();
  }

  flip() {
    this.flipped = !this.flipped;
    if (this.view) this.draw();
  }

  // Drawing -----------------------------------------------------------------------------------------------------------

  draw() {
    const scene = this.scene;
    const hadFocus = this.holder.contains(document.activeElement) && document.activeElement.dataset.cell !== undefined;
    const parts = [];
    this.cells = [];
    if (scene.text || !(scene.places.length + scene.racks.length + scene.tracks.length)) {
      parts.push(el("pre", {class: "board-text", tabindex: "0", role: "region", "aria-label": this.label}, scene.text));
    }
    if (scene.places.length + scene.racks.length + scene.tracks.length) parts.push(this.picture(scene));
    if (scene.caption) parts.push(el("p", {class: "board-caption"}, scene.caption));
    parts.push(this.buttons());
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

  picture(scene) {
    const only = scene.cells === scene.places.length && !scene.tracks.length && !scene.labels.length;
    const {box} = scene, space = !only ? .35 : scene.lines.some(isBand) ? .2 : .05, edges = this.edges(scene);
    const names = svg("g", {class: "edges", "aria-hidden": "true"}, edges.map(([x, y, text]) => svg("text", {x, y: y + .9}, text)));
    const reach = (side, at, room) => edges.reduce((so, edge) => side(so, edge[at] / SIZE + room), side === Math.min ? Infinity : -Infinity);
    const left = Math.min(box.left - space, reach(Math.min, 0, -.23)), below = Math.max(box.bottom + space, reach(Math.max, 1, .25));
    const width = Math.max(box.right + space, reach(Math.max, 0, .2)) - left, height = below - box.top + space;
    const board = svg("svg", {
      class: `board board-${scene.layout}${scene.surface && !only ? ` on-${scene.surface}` : ""}`, role: only ? "grid" : "group", "aria-label": this.label,
      "aria-rowcount": only ? scene.rows : null, "aria-colcount": only ? scene.columns : null,
      viewBox: [left, box.top - space, width, height].map(length => (length * SIZE).toFixed(2)).join(" "),
    });
    board.style.setProperty("--shape", width / height);
    board.style.setProperty("--columns", only ? scene.columns : width);
    this.painter = new Painter(scene);
    board.append(this.painter.patterns(), svg("g", {"aria-hidden": "true"}, this.surface(scene, only ? 0 : space), this.lines(scene.lines.filter(line => !line.above))));
    const contents = scene.places.map(() => []);
    for (const item of scene.items) contents[item.place].push(item);
    const able = this.places();
    if (!this.usable(this.focused)) this.focused = Math.max(0, scene.places.findIndex((place, cell) => this.usable(cell)));
    const make = cell => {
      if (scene.places[cell].shape === "none") return [];
      const made = this.cell(scene, cell, contents[cell], able);
      this.cells[cell] = made[0];
      return made;
    };
    if (scene.cells) {
      const lines = [...Array(scene.rows).keys()].map(row =>
        svg("g", {role: "row"}, [...Array(scene.columns).keys()].map(column => make(row * scene.columns + column))));
      if (only) board.append(...lines);
      else board.append(svg("g", {role: "grid", "aria-label": "Board", "aria-rowcount": scene.rows, "aria-colcount": scene.columns}, lines));
    }
    for (let cell = scene.cells; cell < scene.racked; cell++) board.append(...make(cell));
    for (const rack of scene.racks) board.append(this.rack(rack, make));
    const labels = svg("g", {class: "labels"});
    board.append(svg("g", {class: "over", "aria-hidden": "true"}, this.lines(scene.lines.filter(line => line.above))));
    board.append(...scene.tracks.map(track => this.painter.track(track)), names, labels);
    for (const {x, y, text, size = .28} of scene.labels) {
      const [across, down] = this.seen(x, y);
      labels.append(svg("text", {x: across, y: down + size * 3.5, "font-size": size * SIZE}, text));
    }
    board.addEventListener("pointerdown", event => this.press(event));
    board.addEventListener("pointermove", event => this.carry(event));
    board.addEventListener("pointerup", event => this.release(event));
    board.addEventListener("pointercancel", () => this.putBack());
    board.addEventListener("click", event => {
      // Assistive technology clicks without a pointer.
      if (event.detail === 0 && event.target.closest("[data-cell]")) this.choose(Number(event.target.closest("[data-cell]").dataset.cell));
    });
    board.addEventListener("keydown", event => this.key(event));
    return board;
  }

  surface({surface, box}, space) {
    return surface ? svg("rect", {class: surface, x: (box.left - space) * SIZE, y: (box.top - space) * SIZE, rx: space * 6,
      width: (box.right - box.left + 2 * space) * SIZE, height: (box.bottom - box.top + 2 * space) * SIZE}) : null;
  }

  /** Lines of nobody as one path, those of a seat as bands in its colour; narrower ones, with a light rim, above pieces. */
  lines(lines) {
    const path = ({points}) => points.map(([x, y], at) => `${at ? "L" : "M"}${this.seen(x, y).join(" ")}`).join("");
    const plain = lines.filter(line => !isBand(line) && !line.above);
    return [plain.length ? svg("path", {class: "lines", d: plain.map(path).join("")}) : null,
      lines.filter(isBand).map(line => [
        svg("path", {class: "band-rim", d: path(line)}), svg("path", {class: `band seat-${line.player % 8}`, d: path(line)})]),
      lines.filter(line => line.above).map(line => [
        svg("path", {class: "chain-rim", d: path(line)}), svg("path", {class: `chain seat-${(line.player ?? 7) % 8}`, d: path(line)})])];
  }

  /** [x, y, text] of the names of rows, left of them, and of columns, below them, whichever way the board is turned. */
  edges({rows, columns, places, left, below, lines}) {
    const range = count => [...Array(count).keys()], band = lines.some(isBand) ? 2 : 0, hex = places.some(place => place.shape === "hex");
    const end = (cells, beyond) => cells.filter(cell => this.usable(cell)).map(cell => this.where(cell)).reduce((one, two) => beyond(two, one) ? two : one);
    return [
      ...left.map((text, row) => {
        const [x, y] = end(range(columns).map(column => row * columns + column), (two, one) => two[0] < one[0]);
        return [x - 7.2 - band, y, text];
      }),
      ...below.map((text, column) => {  // columns of hexagons go down to the right
        const [x, y] = end(range(rows).map(row => row * columns + column), (two, one) => two[1] > one[1]);
        return [x + (hex ? 4.4 + band / 2 : 0), y + (hex ? 8.2 : 7.9) + band, text];
      }),
    ];
  }

  rack(rack, make) {
    const [x, y] = this.seen(rack.x, rack.y), wide = rack.width * SIZE, tall = rack.height * SIZE;
    return svg("g", {class: "hand", role: "group", "aria-label": rack.owner},
      svg("rect", {class: "rack", x: x - wide / 2, y: y - tall / 2 - .3, width: wide, height: tall + .6, rx: 1}),
      svg("text", {class: "owner", x: x - wide / 2 + .4, y: y - tall / 2 - 1.2}, `${rack.owner} `),
      rack.slots ? [...Array(rack.slots).keys()].map(slot => make(rack.first + slot)) : svg("text", {class: "owner faint", x: x - wide / 2 + 1.5, y: y + 1}, "none"));
  }

  /** The place itself, which is focused and clicked, and what is seen above it: letters on cards and stones are pictures,
   *  not the name of the place, and so lie outside it. */
  cell(scene, cell, items, {starts, targets}) {
    const place = this.flipped ? {...scene.places[cell], shape: {up: "down", down: "up"}[scene.places[cell].shape] || scene.places[cell].shape} : scene.places[cell];
    const [x, y] = this.where(cell), {painter} = this, grid = cell < scene.cells;
    const name = place.label || place.name || (grid ? `row ${Math.floor(cell / scene.columns) + 1} column ${cell % scene.columns + 1}` : "slot");
    const last = this.view.last.includes(cell), chosen = this.selected === cell || this.walked.includes(cell);
    const target = targets.has(cell), start = starts.has(cell), live = this.active && (target || start);
    const words = cell >= scene.racked && items.length ? [] : [name];
    const covered = items.length && place.shape !== "pocket", sign = covered ? "" : place.text;
    if (place.player !== null) words.push(`player ${place.player + 1} ${sign}`.trim());
    else if (sign) words.push(sign);
    words.push(...items.length ? items.map(item => item.label) : ["empty"]);
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
    });
    made.append(...painter.ground(covered ? {...place, text: ""} : place, x, y));
    if (last) made.append(painter.outline("last", place, x, y, .6));
    if (chosen) made.append(painter.outline("chosen", place, x, y, .6));
    const above = svg("g", {class: "above", "aria-hidden": "true"}, painter.contents(place, items, x, y));
    if (this.active && target) {
      const simple = !place.text && !["pocket", "slot", "up", "down"].includes(place.shape);
      if (!simple) above.append(painter.outline("target-ring", place, x, y, .4));
      else above.append(items.length ? svg("circle", {class: "target-ring", cx: x, cy: y, r: 4.5}) : svg("circle", {class: "target", cx: x, cy: y, r: 1.4}));
    }
    if (this.hinted.includes(cell)) above.append(svg("circle", {class: "hint-ring", cx: x, cy: y, r: 4.6}));
    above.append(painter.outline("focus", place, x, y, .2));
    return [made, above];
  }

  /** Moves that have no place on the board. */
  buttons() {
    const plain = this.active ? this.view.moves.filter(move => !move.to.length) : [];
    return el("div", {class: "row moves", role: "group", "aria-label": "Other moves"}, plain.slice(0, 60).map(move =>
      el("button", {type: "button", "data-move": move.text, onclick: () => this.onmove(move.text)}, move.text)));
  }

  // Choosing ----------------------------------------------------------------------------------------------------------

  /** Cells that can be picked up, and cells that complete a move as things stand. */
  places() {
    const starts = new Set(), targets = new Set();
    for (const move of this.active ? this.view.moves : []) {
      if (move.from !== null) starts.add(move.from);
      if (move.to.length && move.from === this.selected && this.passes(move)) {
        targets.add(move.mark);
        if (this.next(move) !== undefined) targets.add(this.next(move));
      }
    }
    return {starts, targets};
  }

  /** Whether a move goes by way of all that was clicked after its start. */
  passes(move) {
    return this.walked.every((cell, at) => (move.via || [])[at] === cell);
  }

  /** What the move passes next, if it is not at its end. */
  next(move) {
    return (move.via || [])[this.walked.length];
  }

  completing(cell) {
    const direct = this.view.moves.filter(move => move.from === null && move.to.includes(cell));
    if (this.selected === null) return direct;
    const carried = this.view.moves.filter(move => move.from === this.selected && move.to.includes(cell) && this.passes(move));
    return carried.length ? carried : direct;
  }

  async choose(cell) {
    if (!this.active) return;
    const moves = this.completing(cell);
    if (moves.length) {
      const view = this.view;
      let text = moves[0].text;
      if (moves.length > 1) text = await ask("Which move?", moves.map(move => ({text: move.text, value: move.text})));
      this.selected = null;
      this.walked = [];
      if (text === null || view !== this.view) this.draw();
      else {
        this.draw();
        this.onmove(text);
      }
      return;
    }
    if (this.selected !== null && this.view.moves.some(move => move.from === this.selected && this.passes(move) && this.next(move) === cell)) {
      this.walked.push(cell);
      this.focused = cell;
      this.draw();
      return;
    }
    this.walked = [];
    const movable = this.view.moves.some(move => move.from === cell);
    this.selected = movable && this.selected !== cell ? cell : null;
    this.focused = cell;
    this.draw();
  }

  press(event) {
    const found = event.target.closest("[data-cell]");
    if (!found || event.button) return;
    const cell = Number(found.dataset.cell);
    this.focused = cell;
    this.drag = {cell, x: event.clientX, y: event.clientY, moved: false, ghost: null, id: event.pointerId};
    if (!this.active || !this.view.moves.some(move => move.from === cell)) return;
    this.drag.movable = true;
    event.preventDefault();  // no text selection, no scrolling by the finger that carries a piece
  }

  carry(event) {
    const drag = this.drag;
    if (!drag || !drag.movable) return;
    if (!drag.moved) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 6) return;
      drag.moved = true;
      this.selected = drag.cell;
      this.walked = [];
      this.draw();
      const board = this.holder.querySelector("svg.board");
      const piece = [...this.cells[drag.cell].nextSibling.querySelectorAll(".piece")].pop();
      if (piece) {
        const {x, y, width, height} = piece.getBBox();
        drag.held = {x: x + width / 2, y: y + height / 2};
        drag.ghost = piece.cloneNode(true);
        drag.ghost.classList.add("ghost");
        piece.classList.add("lifted");
        board.append(drag.ghost);
      }
      board.setPointerCapture(drag.id);
    }
    if (drag.ghost) {
      const board = drag.ghost.ownerSVGElement, point = new DOMPoint(event.clientX, event.clientY)
        .matrixTransform(board.getScreenCTM().inverse());
      const held = drag.held;
      drag.ghost.setAttribute("transform", `translate(${point.x - held.x} ${point.y - held.y})`);
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
    if (cell !== null && cell !== drag.cell && this.completing(cell).length) this.choose(cell);
    else this.putBack();
  }

  putBack() {
    this.drag = null;
    this.selected = null;
    this.walked = [];
    this.draw();
  }

  key(event) {
    const {columns, cells} = this.scene, steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
    if (event.key in steps) {
      const next = this.neighbour(...steps[event.key]);
      if (next !== null) this.focus(next);
    } else if (event.key === "Home" || event.key === "End") {
      const rack = this.scene.racks.find(known => this.focused >= known.first && this.focused < known.first + known.slots);
      const [first, count] = this.focused < cells ? [this.focused - this.focused % columns, columns]
        : rack ? [rack.first, rack.slots] : [cells, this.scene.racked - cells];
      const row = [...Array(count).keys()].map(at => first + at).filter(cell => this.usable(cell));
      this.focus(event.key === "Home" ? row[0] : row[row.length - 1]);
    } else if (event.key === "Enter" || event.key === " ") this.choose(this.focused);
    else if (event.key === "Escape") this.putBack();
    else return;
    event.preventDefault();
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
      if (along > .5 && along + 2 * aside < least) [best, least] = [cell, along + 2 * aside];
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
