// Draws any position from its drawing data and turns clicks, drags and keys into the text of a legal move.
// It knows no rules: the server says which cells make which move.

import {ask, el, svg} from "./dom.js";

const SIZE = 10;
const HEX_STEP = SIZE * Math.sqrt(3) / 2;
const FIGURES = "♔♕♖♗♘♙♚♛♜♝♞♟";

/** What the cells of each row and column have in common: 8 and a for a8 to h8 and a8 to a1. */
function edgeNames(drawing) {
  const {rows, columns, cells} = drawing;
  if (!cells.length) return null;
  const at = (row, column) => cells[row * columns + column] || "";
  const common = names => names.every(name => name === names[0]) ? names[0] : "";
  const range = count => [...Array(count).keys()];
  const letters = range(columns).map(c => common(range(rows).map(r => at(r, c).replace(/\d+$/, ""))));
  const digits = range(rows).map(r => common(range(columns).map(c => (at(r, c).match(/\d+$/) || [""])[0])));
  if (letters.every(Boolean) && digits.every(Boolean)) return {left: digits, below: letters};
  const whole = range(columns).map(c => common(range(rows).map(r => at(r, c))));
  return whole.every(Boolean) ? {left: null, below: whole} : null;
}

/** Text that every stone of a player shares says nothing that its colour does not say. */
function tellingTexts(pieces) {
  const seen = new Map();
  for (const piece of pieces) {
    if (!seen.has(piece.player)) seen.set(piece.player, new Set());
    seen.get(piece.player).add(piece.text);
  }
  return player => (seen.get(player) || new Set()).size > 1;
}

/** A hexagon standing on a corner, as wide as twice `half`. */
function hexagon(kind, x, y, half) {
  const tall = 2 * half / Math.sqrt(3);
  const corners = [[0, -tall], [half, -tall / 2], [half, tall / 2], [0, tall], [-half, tall / 2], [-half, -tall / 2]];
  return svg("polygon", {class: kind, points: corners.map(([dx, dy]) => `${x + dx},${y + dy}`).join(" ")});
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
    this.active = active && Boolean(this.onmove);
    this.selected = null;
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
    const drawing = this.view.drawing;
    const hadFocus = this.holder.contains(document.activeElement) && document.activeElement.dataset.cell !== undefined;
    const parts = [];
    this.cells = [];
    if (drawing.rows && ["square", "points", "hex"].includes(drawing.layout)) parts.push(this.grid(drawing));
    else if (drawing.layout === "cards") parts.push(this.hands(drawing));
    else parts.push(el("pre", {class: "board-text", tabindex: "0", role: "region", "aria-label": this.label}, drawing.text));
    if (drawing.caption) parts.push(el("p", {class: "board-caption"}, drawing.caption));
    parts.push(this.buttons());
    this.holder.replaceChildren(...parts);
    if (hadFocus && this.cells[this.focused]) this.cells[this.focused].focus({preventScroll: true});
  }

  place(row, column) {
    const {rows, columns, layout} = this.view.drawing;
    if (this.flipped) [row, column] = [rows - 1 - row, columns - 1 - column];
    if (layout === "hex") return [(column + row / 2 + .5) * SIZE, (row + .5) * HEX_STEP + 1];
    return [(column + .5) * SIZE, (row + .5) * SIZE];
  }

  grid(drawing) {
    const {rows, columns, layout} = drawing;
    const edges = layout === "hex" ? null : edgeNames(drawing);
    const hex = layout === "hex";
    const width = hex ? (columns + (rows - 1) / 2) * SIZE : columns * SIZE;
    const height = hex ? rows * HEX_STEP + 4 : rows * SIZE;
    const left = edges && edges.left ? 4.5 : .5, below = edges ? 5 : .5;
    const board = svg("svg", {
      class: `board board-${layout}`, role: "grid", "aria-label": this.label, "aria-rowcount": rows,
      "aria-colcount": columns, viewBox: `${-left} -.5 ${width + left + .5} ${height + below + .5}`,
    });
    board.style.setProperty("--shape", (width + left + .5) / (height + below + .5));
    board.style.setProperty("--columns", columns);
    if (layout === "points") board.append(this.lines(drawing));
    const pieces = new Map(drawing.pieces.map(piece => [piece.row * columns + piece.column, piece]));
    const telling = tellingTexts(drawing.pieces);
    const {starts, targets} = this.places();
    if (this.focused >= rows * columns) this.focused = 0;
    for (let row = 0; row < rows; row++) {
      const line = svg("g", {role: "row"});
      for (let column = 0; column < columns; column++) {
        const cell = row * columns + column;
        const made = this.cell(drawing, cell, pieces.get(cell), telling, starts, targets);
        this.cells[cell] = made;
        line.append(made);
      }
      board.append(line);
    }
    if (edges) board.append(this.edges(drawing, edges, width, height));
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

  lines({rows, columns}) {
    const path = [];
    for (let row = 0; row < rows; row++) path.push(`M${SIZE / 2} ${(row + .5) * SIZE}H${(columns - .5) * SIZE}`);
    for (let column = 0; column < columns; column++) path.push(`M${(column + .5) * SIZE} ${SIZE / 2}V${(rows - .5) * SIZE}`);
    return svg("g", {"aria-hidden": "true"},
      svg("rect", {class: "wood", x: 0, y: 0, width: columns * SIZE, height: rows * SIZE}),
      svg("path", {class: "lines", d: path.join("")}));
  }

  edges({rows, columns}, edges, width, height) {
    const words = svg("g", {class: "edges", "aria-hidden": "true"});
    if (edges.left) {
      for (let row = 0; row < rows; row++) words.append(svg("text", {x: -2.2, y: this.place(row, 0)[1] + 1.1}, edges.left[row]));
    }
    for (let column = 0; column < columns; column++) {
      words.append(svg("text", {x: this.place(0, column)[0], y: height + 3.8}, edges.below[column]));
    }
    return words;
  }

  cell(drawing, cell, piece, telling, starts, targets) {
    const row = Math.floor(cell / drawing.columns), column = cell % drawing.columns;
    const [x, y] = this.place(row, column);
    const name = drawing.cells[cell] || `row ${row + 1} column ${column + 1}`;
    const last = this.view.last.includes(cell), chosen = this.selected === cell;
    const target = targets.has(cell), start = starts.has(cell);
    const words = [name];
    if (piece) words.push(piece.text + (piece.player === null ? "" : `, player ${piece.player + 1}`));
    else words.push("empty");
    if (chosen) words.push("picked up");
    if (last) words.push("last move");
    if (this.hinted.includes(cell)) words.push("hint");
    if (this.active && target) words.push("you can move here");
    else if (this.active && start) words.push("you can move this");
    const made = svg("g", {
      role: "gridcell", "data-cell": cell, "data-name": drawing.cells[cell] || null, "aria-label": words.join(", "),
      "aria-selected": chosen ? "true" : null,
      tabindex: cell === this.focused ? "0" : "-1",
      class: ["cell", this.active && (target || start) ? "live" : ""].join(" ").trim(),
    });
    const dark = (row + column) % 2 === 1;
    const hex = drawing.layout === "hex";
    const frame = (kind, half) => hex ? hexagon(kind, x, y, half)
      : svg("rect", {class: kind, x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: 1});
    if (hex) made.append(hexagon("field plain", x, y, SIZE / 2));
    else {
      const kind = drawing.layout === "points" ? "clear" : drawing.checkered ? (dark ? "dark" : "light") : "plain";
      made.append(svg("rect", {class: `field ${kind}`, x: x - SIZE / 2, y: y - SIZE / 2, width: SIZE, height: SIZE}));
    }
    if (last) made.append(frame("last", 4.4));
    if (chosen) made.append(frame("chosen", 4.4));
    if (piece) made.append(this.piece(drawing, piece, x, y, telling));
    if (this.active && target) {
      made.append(piece ? svg("circle", {class: "target-ring", cx: x, cy: y, r: 4.5})
        : svg("circle", {class: "target", cx: x, cy: y, r: 1.4}));
    }
    if (this.hinted.includes(cell)) made.append(svg("circle", {class: "hint-ring", cx: x, cy: y, r: 4.6}));
    made.append(frame("focus", 4.8));
    return made;
  }

  piece(drawing, piece, x, y, telling) {
    const seat = piece.player === null ? "none" : Math.min(3, piece.player);
    if (drawing.stones) {
      return svg("g", {class: `piece stone seat-${seat}`},
        svg("circle", {cx: x, cy: y, r: 4.1}),
        telling(piece.player) ? svg("text", {x, y: y + 1.9, class: "stone-text"}, piece.text) : null);
    }
    const figure = FIGURES.indexOf(piece.text);
    if (figure >= 0) {  // drawn solid in the colour of its side, which reads better than outlines
      return svg("text", {x, y: y + 3, class: `piece figure ${figure < 6 ? "white" : "black"}`}, `${FIGURES[6 + figure % 6]}\uFE0E`);
    }
    const long = piece.text.length > 2;
    return svg("text", {x, y: y + (long ? 1.2 : 2.4), class: `piece mark seat-${seat}${long ? " long" : ""}`}, piece.text);
  }

  hands(drawing) {
    return el("div", {class: "hands", role: "group", "aria-label": this.label}, drawing.hands.map(([owner, cards], hand) =>
      el("div", {class: "hand"}, el("span", {class: "owner"}, owner), cards.length ? cards.map((card, place) => {
        const move = this.active && this.view.moves.find(known => known.card && known.card[0] === hand && known.card[1] === place);
        return move ? el("button", {type: "button", class: "card", onclick: () => this.onmove(move.text)}, card)
          : el("span", {class: "card"}, card);
      }) : el("span", {class: "faint"}, "none"))));
  }

  /** Moves that have no place on the board. */
  buttons() {
    const plain = this.active ? this.view.moves.filter(move => !move.to.length && !move.card) : [];
    return el("div", {class: "row moves", role: "group", "aria-label": "Other moves"}, plain.slice(0, 60).map(move =>
      el("button", {type: "button", "data-move": move.text, onclick: () => this.onmove(move.text)}, move.text)));
  }

  // Choosing ----------------------------------------------------------------------------------------------------------

  /** Cells that can be picked up, and cells that complete a move as things stand. */
  places() {
    const starts = new Set(), targets = new Set();
    for (const move of this.active ? this.view.moves : []) {
      if (move.from !== null) starts.add(move.from);
      if (move.to.length && move.from === this.selected) targets.add(move.mark);
    }
    return {starts, targets};
  }

  completing(cell) {
    const direct = this.view.moves.filter(move => move.from === null && move.to.includes(cell));
    if (this.selected === null) return direct;
    const carried = this.view.moves.filter(move => move.from === this.selected && move.to.includes(cell));
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
      if (text === null || view !== this.view) this.draw();
      else {
        this.draw();
        this.onmove(text);
      }
      return;
    }
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
      this.draw();
      const board = this.holder.querySelector("svg.board");
      const piece = this.cells[drag.cell].querySelector(".piece");
      if (piece) {
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
      const [x, y] = this.place(Math.floor(drag.cell / this.view.drawing.columns), drag.cell % this.view.drawing.columns);
      drag.ghost.setAttribute("transform", `translate(${point.x - x} ${point.y - y})`);
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
    this.draw();
  }

  key(event) {
    const {rows, columns} = this.view.drawing;
    const steps = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
    const turn = this.flipped ? -1 : 1;
    if (event.key in steps) {
      const row = Math.floor(this.focused / columns) + turn * steps[event.key][0];
      const column = this.focused % columns + turn * steps[event.key][1];
      if (row >= 0 && row < rows && column >= 0 && column < columns) this.focus(row * columns + column);
    } else if (event.key === "Home") this.focus(Math.floor(this.focused / columns) * columns);
    else if (event.key === "End") this.focus(Math.floor(this.focused / columns) * columns + columns - 1);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.focused);
    else if (event.key === "Escape") this.putBack();
    else return;
    event.preventDefault();
  }

  focus(cell) {
    this.cells[this.focused].setAttribute("tabindex", "-1");
    this.focused = cell;
    this.cells[cell].setAttribute("tabindex", "0");
    this.cells[cell].focus();
  }
}
