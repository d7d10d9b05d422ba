const data = JSON.parse(document.getElementById("data").textContent);
const [pick, board, list, what, said] = ["pick", "board", "moves", "what", "said"].map(
  (name) => document.getElementById(name));
const CELL = 44, EDGE = 20;
let game = 0, ply = 0;

function node(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/* A frame is a text, or what has changed since the frame before: place → [text, player], or null for an empty cell. */
function position(record, upto) {
  if (typeof record.frames[upto] === "string") return record.frames[upto];
  const pieces = new Map();
  for (const frame of record.frames.slice(0, upto + 1)) {
    for (const [place, piece] of Object.entries(frame)) {
      if (piece === null) pieces.delete(Number(place)); else pieces.set(Number(place), piece);
    }
  }
  return pieces;
}

function draw(pieces, look, marked) {
  if (typeof pieces === "string") {
    const text = document.createElement("pre");
    text.textContent = pieces;
    board.replaceChildren(text);
    return;
  }
  const {rows, columns, layout} = look, hex = layout === "hex", points = layout === "points";
  const rise = hex ? CELL * Math.sqrt(3) / 2 : CELL;
  const width = EDGE + columns * CELL + (hex ? (rows - 1) * CELL / 2 : 0), height = rows * rise + EDGE + (hex ? 8 : 0);
  const x = (place) => EDGE + (place % columns + .5) * CELL + (hex ? Math.floor(place / columns) * CELL / 2 : 0);
  const y = (place) => (Math.floor(place / columns) + .5) * rise + (hex ? 4 : 0);
  const svg = node("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "position"});
  const area = hex ? "none" : points ? "var(--wood)" : look.checkered ? "var(--light)"
    : look.stones ? "var(--felt)" : "var(--plain)";
  svg.append(node("rect", {x: EDGE, y: 0, width: width - EDGE, height: height - EDGE, fill: area}));
  const line = {stroke: "#0007", fill: "none"};
  if (points) {
    const last = rows * columns - 1;
    for (let row = 0; row < rows; row++) svg.append(node("path", {d: `M${x(0)} ${y(row * columns)}H${x(last)}`, ...line}));
    for (let column = 0; column < columns; column++) {
      svg.append(node("path", {d: `M${x(column)} ${y(0)}V${y(last)}`, ...line}));
    }
  }
  for (let place = 0; place < rows * columns; place++) {
    const [cx, cy] = [x(place), y(place)], odd = (Math.floor(place / columns) + place % columns) % 2;
    const fill = marked.includes(place) ? "var(--mark)" : "none";
    if (hex) {
      const corners = [0, 1, 2, 3, 4, 5].map((k) => {
        const angle = Math.PI * (k / 3 + 1 / 6), size = CELL / Math.sqrt(3);
        return `${cx + size * Math.cos(angle)},${cy + size * Math.sin(angle)}`;
      });
      svg.append(node("polygon", {points: corners.join(" "), fill: "var(--plain)", stroke: "#0007"}));
      if (fill !== "none") svg.append(node("polygon", {points: corners.join(" "), fill}));
      continue;
    }
    const square = {x: cx - CELL / 2, y: cy - CELL / 2, width: CELL, height: CELL};
    if (look.checkered && odd) svg.append(node("rect", {...square, fill: "var(--dark)"}));
    if (fill !== "none") svg.append(node("rect", {...square, fill}));
    if (!points && !look.checkered) svg.append(node("rect", {...square, ...line}));
  }
  const label = {"text-anchor": "middle", "font-size": 12, fill: "currentColor", "fill-opacity": .7};
  look.left.forEach((text, row) => svg.append(node("text", {x: EDGE / 2, y: y(row * columns) + 4, ...label}, text)));
  look.below.forEach((text, column) => svg.append(
    node("text", {x: x((rows - 1) * columns + column), y: height - 5, ...label}, text)));
  for (const [place, [text, player]] of pieces) svg.append(...piece(x(place), y(place), text, player, look.stones));
  board.replaceChildren(svg);
}

function piece(cx, cy, text, player, stone) {
  const parts = [], colors = ["#222", "#fff", "#c62828", "#2e7d32"];
  const words = {x: cx, "text-anchor": "middle", "dominant-baseline": "central"};
  if (stone) {
    parts.push(node("circle", {cx, cy, r: CELL * .42, fill: colors[player] ?? "#888", stroke: "#0008"}));
    if (!/^\p{L}?$/u.test(text)) {
      parts.push(node("text", {...words, y: cy, "font-size": 18, fill: player === 1 ? "#000" : "#fff"}, text));
    }
    return parts;
  }
  // White figurines are outlines: their black twin, six code points later and painted white, fills them.
  const white = /^[\u2654-\u2659]$/.test(text), size = text.length > 2 ? 14 : 32;
  const flat = (letter) => letter + (/^[\u2654-\u265f]$/.test(letter) ? "\ufe0e" : "");
  if (white) {
    const twin = flat(String.fromCodePoint(text.codePointAt(0) + 6));
    parts.push(node("text", {...words, y: cy, "font-size": size, fill: "#fff"}, twin));
  }
  parts.push(node("text", {...words, y: cy, "font-size": size, fill: "var(--ink)"}, flat(text)));
  return parts;
}

function show() {
  const record = data.games[game], last = record.frames.length - 1;
  ply = Math.max(0, Math.min(ply, last));
  draw(position(record, ply), data.looks[record.look], ply ? record.marks[ply - 1] ?? [] : []);
  [...list.children].forEach((button, place) => {
    if (place + 1 === ply) {
      button.setAttribute("aria-current", "true");
      button.scrollIntoView({block: "nearest"});
    } else button.removeAttribute("aria-current");
  });
  what.textContent = record.what;
  said.textContent = ply ? `${ply}. ${record.moves[ply - 1]}${record.said[ply - 1] ? ": " + record.said[ply - 1] : ""}` : "";
}

function open(number) {
  [game, ply] = [number, 0];
  list.replaceChildren(...data.games[game].moves.map((move, place) => {
    const button = document.createElement("button");
    button.textContent = move;
    button.onclick = () => go(place + 1);
    return button;
  }));
  show();
}

function go(to) {
  ply = to;
  show();
}

const groups = new Map();
data.games.forEach((record, place) => {
  if (!groups.has(record.group)) {
    groups.set(record.group, document.createElement("optgroup"));
    groups.get(record.group).label = record.group;
    pick.append(groups.get(record.group));
  }
  groups.get(record.group).append(new Option(record.title, place));
});
pick.onchange = () => open(Number(pick.value));
document.getElementById("first").onclick = () => go(0);
document.getElementById("back").onclick = () => go(ply - 1);
document.getElementById("next").onclick = () => go(ply + 1);
document.getElementById("last").onclick = () => go(Infinity);
document.addEventListener("keydown", (event) => {
  if (event.target === pick || event.altKey || event.ctrlKey || event.metaKey) return;
  const to = {ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: Infinity}[event.key];
  if (to === undefined || !data.games.length) return;
  event.preventDefault();
  go(to);
});
if (data.games.length) open(0);
