// How places and the things on them look: SVG for the parts of a scene (core/scene.py). It knows no rules and no clicks.
// The artwork is in pieces.svg, which the document holds; every figure there is 100 × 100, as is a cell here.

import {svg} from "./dom.js";

export const SIZE = 100;  // units of the picture to a cell
const FIGURES = "♔♕♖♗♘♙♚♛♜♝♞♟";
const CHESS = ["king", "queen", "rook", "bishop", "knight", "pawn"];
const BEASTS = ["elephant", "camel", "horse", "dog", "cat", "rabbit"];
const ROUND = ["stone", "disc", "token", "man", "crowned", "checker"];
const DRAUGHTS = {"⛀": ["man", "white"], "⛁": ["crowned", "white"], "⛂": ["man", "black"], "⛃": ["crowned", "black"]};
const CARD = .72;  // width over height
const SIGN = .44;  // height of a pocket's sign, in cells
const PIPS = {1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], 6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]]};
// Where the pips of a card stand, as [column, height] from -1 to 1.
const CARD_PIPS = {2: [[0, -1], [0, 1]], 3: [[0, -1], [0, 0], [0, 1]], 4: PIPS[4], 5: PIPS[5], 6: PIPS[6],
  7: [...PIPS[6], [0, -.5]], 8: [...PIPS[6], [0, -.5], [0, .5]],
  9: [[-1, -1], [1, -1], [-1, -.34], [1, -.34], [0, 0], [-1, .34], [1, .34], [-1, 1], [1, 1]],
  10: [[-1, -1], [1, -1], [0, -.67], [-1, -.34], [1, -.34], [-1, .34], [1, .34], [0, .67], [-1, 1], [1, 1]]};
const TONES = ["light", "dark", "trap", "red", "rose", "blue", "sky", "gold", "green", "sand", "pale", "fog", "goal", "cell"];
const GROUNDS = ["frame", "wood", "felt", "rail", "dark", "pale", "goal", "blue", "green", ...TONES];
let boards = 0;

/** What is left out of a part of a scene because it is as usual. */
export const PLACE = {shape: "square", width: 1, height: 1, tone: "", text: "", player: null, label: ""};
export const ITEM = {kind: "piece", text: "", player: null, count: 1, face_up: true, label: "", value: null, chance: null};

function words(x, y, size, text, kind, more = {}) {
  return svg("text", {x, y: y + size * .36, class: kind, "font-size": size.toFixed(1), ...more}, text);
}

function use(name, x, y, wide, kind) {
  return svg("use", {href: `#${name}`, x: x - wide / 2, y: y - wide / 2, width: wide, height: wide, class: kind || null});
}

const circle = (kind, r, x = 0, y = 0) => svg("circle", {class: kind, cx: x, cy: y, r});
const box = (kind, half, round, tall = half) => svg("rect", {class: kind, x: -half, y: -tall, width: 2 * half, height: 2 * tall, rx: round});
const drop = (x, y, r) => svg("ellipse", {class: "drop", cx: x, cy: y, rx: r, ry: r});

/** Which drawn figure an item is: by its kind, by the sign that stands for it, or by the name that it is called. */
function figure(item) {
  if (item.kind === "king" && item.text) return ["crowned", ""];  // a letter says which side's, as in draughts
  if (item.kind !== "piece") return [...CHESS, ...BEASTS].includes(item.kind) ? [item.kind, ""] : null;
  const place = FIGURES.indexOf(item.text);
  if (item.text && place >= 0) return [CHESS[place % 6], place < 6 ? "white" : "black"];
  if (item.text in DRAUGHTS) return DRAUGHTS[item.text];
  const [called] = (item.label || "").toLowerCase().split(/[^a-z]+/).filter(word => BEASTS.includes(word));
  return called && /^[emhdcrEMHDCR]$/.test(item.text) ? [called, ""] : null;
}

/** Paints one scene. Patterns need names that no other board on the page has. */
export class Painter {
  constructor(scene) {
    this.mark = `board-${++boards}`;
    this.scene = scene;
    const texts = new Map(), all = new Set();
    for (const item of scene.items) {
      const {text, player, kind} = {...ITEM, ...item};
      if (kind === "piece") all.add(text);
      if (player === null || kind === "king") continue;
      if (!texts.has(player)) texts.set(player, new Set());
      texts.get(player).add(text);
    }
    // Text that every stone of a player shares says nothing that its colour does not say.
    this.telling = player => (texts.get(player) || new Set()).size > 1;
    // Two sides differ in lightness; more can be told apart by their number only.
    this.numbered = player => player !== null && (texts.size > 2 || player > 1);
    this.pen = [...all].every(text => text === "X" || text === "O");
  }

  patterns() {
    const pattern = (name, ...parts) => svg("pattern", {id: `${this.mark}-${name}`, width: 16, height: 16,
      patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"}, parts);
    return svg("defs", {}, pattern("stripes", svg("rect", {class: "pattern", width: 6, height: 16})),
      pattern("dots", svg("circle", {class: "pattern", cx: 8, cy: 8, r: 4.2})));
  }

  /** Classes of a seat: one of eight colours, or the colour that the game says; a figure that is drawn has its own. */
  seat(player, otherwise = "") {
    const told = player !== null && this.scene.seats[player];
    const colour = told && told.colour ? told.colour : otherwise;
    return `${player === null ? "seat-none" : `seat-${player % 8}`}${colour ? ` c-${colour}` : ""}`;
  }

  /** A pattern over something in a seat's colour: from the ninth seat on striped, from the seventeenth on dotted. */
  overlay(player, made) {
    const pattern = player === null ? null : [null, "stripes", "dots"][Math.floor(player / 8)];
    if (!pattern) return null;
    made.setAttribute("class", "overlay");
    made.setAttribute("fill", `url(#${this.mark}-${pattern})`);
    return made;
  }

  disc(r, player) {
    return [circle("coin", r), this.overlay(player, circle("", r))];
  }

  /** A seat's number in its colour. */
  badge(x, y, r, player) {
    return svg("g", {class: `badge ${this.seat(player)}`, transform: `translate(${x} ${y})`}, this.disc(r, player),
      player > 7 ? circle("coin", r * .68) : null, words(0, 0, r * (player > 8 ? .95 : 1.15), `${player + 1} `, "stone-text"));
  }

  // Grounds -----------------------------------------------------------------------------------------------------------

  region({shape, points, tone = "", player = null, round = 0}, seen) {
    const corners = points.map(([x, y]) => seen(x, y));
    const kind = `region ${player === null ? `r-${GROUNDS.includes(tone) ? tone : "plain"}` : `side ${this.seat(player)}`}`;
    const [left, right] = [0, 1].map(at => (at ? Math.max : Math.min)(...corners.map(corner => corner[0])));
    const [top, bottom] = [0, 1].map(at => (at ? Math.max : Math.min)(...corners.map(corner => corner[1])));
    if (shape === "polygon") return svg("polygon", {class: kind, points: corners.map(corner => corner.join(",")).join(" ")});
    if (shape === "oval") return svg("ellipse", {class: kind, cx: (left + right) / 2, cy: (top + bottom) / 2, rx: (right - left) / 2, ry: (bottom - top) / 2});
    return svg("rect", {class: kind, x: left, y: top, width: right - left, height: bottom - top, rx: round * SIZE});
  }

  /** The shape of a place as one element: its ground, or a frame around it that is `less` smaller on every side. */
  outline(kind, place, x, y, less = 0) {
    const half = place.width * SIZE / 2 - less, tall = place.height * SIZE / 2 - less;
    const polygon = corners => svg("polygon", {class: kind, points: corners.map(([dx, dy]) => `${(x + dx).toFixed(1)},${(y + dy).toFixed(1)}`).join(" ")});
    if (place.shape === "hex") {
      const high = 2 * half / Math.sqrt(3);
      return polygon([[0, -high], [half, -high / 2], [half, high / 2], [0, high], [-half, high / 2], [-half, -high / 2]]);
    }
    if (!less && (place.shape === "up" || place.shape === "down")) {
      const base = place.shape === "up" ? tall : -tall;
      return polygon([[-half, base], [half, base], [0, -base * .9]]);
    }
    if (place.shape === "round" || (place.shape === "point" && less)) return svg("ellipse", {class: kind, cx: x, cy: y, rx: half, ry: tall});
    const round = less ? 8 : {pocket: 14, slot: 9}[place.shape] || null;
    return svg("rect", {class: kind, x: x - half, y: y - tall, width: 2 * half, height: 2 * tall, rx: round});
  }

  /** The ground of a place with what is written on it. */
  ground(place, x, y) {
    const tone = place.shape === "point" ? "clear" : TONES.includes(place.tone) ? place.tone
      : ["pocket", "slot"].includes(place.shape) ? place.shape : "plain";
    const parts = [this.outline(`field ${tone}`, place, x, y)];
    if (place.shape === "up" || place.shape === "down") parts.unshift(this.outline("hit", {...place, shape: "square"}, x, y));
    if (tone === "trap") parts.push(circle("pit", 41, x, y), circle("pit deep", 30, x, y));
    if (place.shape === "pocket" && (place.text || place.player !== null)) parts.push(this.sign(place, x, y));
    else if (place.text === "★") parts.push(use("sign-star", x, y, 52, `ground-text on-${tone}`));
    else if (place.text && place.text === place.name && this.scene.chequers) {  // the number of a square, out of the way
      parts.push(words(x - 45, y - 34, 19, place.text, "square-number"));
    } else if (place.text && tone !== "trap") parts.push(words(x, y, place.text.length > 2 ? 24 : 32, place.text, `ground-text on-${tone}`));
    return parts;
  }

  sign(place, x, y) {
    const high = SIGN * SIZE, wide = place.width * SIZE, middle = y + place.height * SIZE / 2 - high / 2;
    const seat = place.player !== null;
    const size = Math.min(high * .68, (wide - (seat ? high : 0)) / Math.max(1, place.text.length) * 1.7);
    return svg("g", {class: "sign"},
      svg("rect", {class: "plate", x: x - wide / 2, y: middle - high / 2, width: wide, height: high, rx: 12}),
      seat ? this.badge(x - wide / 2 + high / 2, middle, high * .46, place.player) : null,
      words(x + (seat ? high * .45 : 0), middle, size, place.text, "plate-text"));
  }

  // Where things lie --------------------------------------------------------------------------------------------------

  /** What lies on a place, from below to above: {item, x, y, size, tells}, `tells` written instead of its text. */
  lay(place, items, x, y) {
    if (!items.length) return [];
    if (place.shape === "up" || place.shape === "down") return this.stack(place, items, x, y);
    if (place.shape === "pocket" || place.shape === "slot") return this.row(place, items, x, y);
    const size = Math.min(place.width, place.height);
    return items.map((item, at) => ({item, x: x + at * size * 12, y: y - at * size * 12, size, tells: ""}));
  }

  /** From the base of a triangle on, each one drawn; where they are too many, the last one tells how many. */
  stack(place, items, x, y) {
    const size = Math.min(place.width, 1), step = size * 88;
    const single = items.flatMap(item => Array(item.count).fill({...item, count: 1}));
    const room = Math.max(1, Math.floor((place.height - size) * SIZE / step + 1.01));
    const base = y + (place.shape === "up" ? 1 : -1) * (place.height - size) * SIZE / 2;
    return single.slice(0, room).map((item, at) => ({item, x, y: base + (place.shape === "up" ? -1 : 1) * at * step, size,
      tells: at === room - 1 && single.length > room ? String(single.length) : "", stacked: true}));
  }

  /** Side by side along the longer side of the place. */
  row(place, items, x, y) {
    const signed = place.shape === "pocket" && (place.text || place.player !== null);
    const tall = place.height - (signed ? SIGN : 0), wide = place.width;
    const middle = y - (signed ? SIGN * SIZE / 2 : 0), across = wide >= tall;
    const aspect = item => item.kind === "card" ? CARD : 1;
    const long = items.reduce((sum, item) => sum + (across ? aspect(item) : 1), 0);
    const size = across ? Math.min(tall, wide / long) : Math.min(tall / long, wide / Math.max(...items.map(aspect)));
    let at = -long * size / 2;
    return items.map(item => {
      const step = size * (across ? aspect(item) : 1), centre = (at + step / 2) * SIZE;
      at += step;
      return {item, x: across ? x + centre : x, y: across ? middle : middle + centre, size, tells: "", stacked: place.shape === "pocket"};
    });
  }

  // Things ------------------------------------------------------------------------------------------------------------

  /** One thing that lies somewhere, in a cell of 100 × 100 around the middle. */
  thing({item, tells = "", stacked = false}) {
    const drawn = figure(item), kind = this.kind(item, drawn, stacked), parts = [];
    if (item.count > 1 && kind !== "chip") {
      parts.push(svg("g", {transform: "translate(7 7)"}, this[this.painter(kind)]({...item, text: "", value: null}, "", kind)));
    }
    parts.push(this[this.painter(kind)](item, tells, kind));
    if (item.count > 1) {
      const text = `×${item.count}`, up = kind === "chip" ? -32 : 32;
      parts.push(svg("g", {class: "count"}, circle("", 13 + 3.5 * text.length, 30, up), words(30, up, 22, text, "count-text")));
    }
    const round = ROUND.includes(kind) ? " stone" : "";
    const made = svg("g", {class: `piece${round} ${item.kind} k-${kind}${item.face_up ? "" : " hidden"}${item.chance === null ? "" : " shadowy"} `
      + this.seat(item.player, this.colour(item, drawn, kind)), "data-kind": item.kind}, parts);
    if (item.chance !== null) made.setAttribute("opacity", (.25 + .6 * item.chance).toFixed(2));
    return made;
  }

  /** How an item is painted: stones look like what the surface makes of them. */
  kind(item, drawn, stacked) {
    if (drawn) return drawn[0];
    if (item.kind === "stone") return stacked ? "checker" : {green: "disc", blue: "token"}[this.scene.surface] || (this.scene.chequers ? "man" : "stone");
    if (item.kind === "piece") return this.pen && item.text ? {X: "cross", O: "ring"}[item.text] : "letter";
    return item.kind;
  }

  colour(item, drawn, kind) {
    if (drawn && drawn[1]) return drawn[1];
    if (CHESS.includes(kind)) return ["white", "black"][item.player] || "";
    if (BEASTS.includes(kind)) return ["gold", "silver"][item.player] || (item.text === item.text.toUpperCase() ? "gold" : "silver");
    if (kind === "token") return ["red", "yellow"][item.player] || "";
    if (["cross", "ring", "letter"].includes(kind)) return this.numbered(item.player) ? "" : ["max", "min"][item.player] || "";
    return "";
  }

  painter(kind) {
    if (CHESS.includes(kind) || BEASTS.includes(kind)) return "drawn";
    return ROUND.includes(kind) ? "stone" : kind;
  }

  drawn(item, tells, kind) {
    if (CHESS.includes(kind)) return [use(`chess-${kind}`, 0, -1, 94), tells ? words(0, 20, 34, tells, "beast-text") : null];
    const left = item.player === 0 || (item.player === null && item.text === item.text.toUpperCase());
    const letter = kind === "camel" ? "M" : kind[0].toUpperCase();
    return [svg("g", {transform: left ? "scale(-1 1)" : null}, use(`ar-${kind}`, 0, 0, 88)), words(left ? -38 : 38, 35, 19, letter, "beast-text")];
  }

  /** Everything round. */
  stone(item, tells, kind) {
    const text = item.kind === "king" ? "" : tells || (this.telling(item.player) || (item.text && item.player === null) ? item.text
      : this.numbered(item.player) ? String(item.player + 1) : "");
    const over = r => this.overlay(item.player, circle("", r));
    const body = {
      stone: () => [drop(2.5, 4, 44), circle("ball", 44), over(44)],
      disc: () => [drop(2, 4, 41), circle("rim", 41), circle("ball flat", 38), over(38)],
      token: () => [circle("ball", 44), circle("groove", 31), text ? null : item.player === 1 ? use("sign-star", 0, -1, 40, "emboss") : circle("emboss", 16)],
      man: () => [drop(2, 5, 40), circle("rim", 40, 0, 2.5), circle("ball flat", 40, 0, -1.5), circle("groove", 32, 0, -1.5), circle("groove", 21, 0, -1.5), over(40)],
      crowned: () => [drop(2, 9, 40), circle("rim", 40, 0, 7), circle("ball flat", 40, 0, 3), circle("rim", 40, 0, -4), circle("ball flat", 40, 0, -8),
        circle("groove", 32, 0, -8), text ? null : use("sign-crown", 0, -9, 50, "inkmark")],
      checker: () => [drop(1.5, 3, 44), circle("rim", 44), circle("ball flat", 42), circle("groove", 33), over(42)],
    }[kind]();
    return [...body, text ? words(0, 0, text.length > 2 ? 30 : 42, text, "stone-text") : null];
  }

  letter(item, tells) {
    const text = tells || item.text, long = text.length;
    if (item.player === null) return [words(0, 0, long > 2 ? 32 : 62, text, "mark")];
    return [box("badge-ground", 38, 22), this.overlay(item.player, box("", 38, 22)), item.player > 7 ? box("badge-ground", 27, 14) : null,
      words(0, 0, long > 3 ? 20 : long > 2 ? 26 : long > 1 ? 34 : 46, text, "badge-text"),
      this.numbered(item.player) ? this.badge(33, -33, 15, item.player) : null];
  }

  cross() { return [svg("path", {class: "stroke", d: "M-27-27L27 27M27-27L-27 27"})]; }
  ring() { return [circle("stroke", 29)]; }
  match() { return [svg("rect", {class: "stick", x: -6, y: -34, width: 12, height: 80, rx: 3}), svg("ellipse", {class: "tip", cx: 0, cy: -37, rx: 10, ry: 13})]; }
  button(item) { return [circle("dealer", 32), words(0, 0, 32, item.text, "dealer-text")]; }

  card(item, tells) {
    const edge = box("card-face", 34, 8, 48), text = tells || item.text;
    if (!item.face_up || text === "?") {
      return [box("card-edge", 34, 8, 48), box(item.face_up ? "card-lattice" : "card-back", 29, 5, 43),
        text === "?" ? [circle("card-seal", 15), words(0, 0, 22, "?", "card-unknown")] : null];
    }
    const found = /^(10|[AKQJT2-9])([SHDC])$/.exec(text), rank = /^(10|[AKQJT2-9])$/.test(text) ? text : null;
    if (!found && !rank) return [edge, words(0, 0, text.length > 3 ? 20 : text.length > 1 ? 32 : 46, text, "card-text")];
    const [sign, suit] = found ? [found[1] === "T" ? "10" : found[1], found[2]] : [rank === "T" ? "10" : rank, null];
    const kind = suit ? `suit suit-${suit}` : "suit", ten = sign === "10";
    const corner = [words(ten ? -20 : -22.5, -33, ten ? 19 : 24, sign, `${kind} rank${ten ? " ten" : ""}`), suit ? use(`suit-${suit}`, -22.5, -13, 15, kind) : null];
    let middle;
    if ("KQJ".includes(sign)) {
      middle = [svg("rect", {class: "court-frame", x: -12, y: -38, width: 40, height: 76, rx: 5}), use(`court-${sign}`, 8, suit ? -13 : 0, 32, kind),
        suit ? use(`suit-${suit}`, 8, 19, 22, kind) : null];
    } else if (!suit) middle = [words(6, 4, 40, sign, "card-text")];
    else if (sign === "A") middle = [use(`suit-${suit}`, 6, 4, 44, kind)];
    else middle = CARD_PIPS[sign].map(([x, y]) => use(`suit-${suit}`, 8 + x * 13, y * 33, 14, kind));
    return [edge, corner, middle];
  }

  die(item, tells) {
    const pips = PIPS[tells || item.text];
    return [box("die-face", 41, 17), ...pips ? pips.map(([x, y]) => circle("pip", 8.5, x * 23, y * 23)) : [words(0, 0, 42, tells || item.text, "card-text")]];
  }

  cube(item, tells) {
    const text = tells || item.text;
    return [box("cube-face", 41, 12), box("cube-line", 33, 8), words(0, 0, text.length > 1 ? 40 : 50, text, "cube-text")];
  }

  tile(item, tells) {
    const text = tells || item.text;
    return [svg("rect", {class: "tile-drop", x: -43, y: -40, width: 88, height: 88, rx: 11}),
      svg("rect", {class: item.face_up ? "tile-face" : "tile-back", x: -44, y: -45, width: 88, height: 88, rx: 11}),
      item.face_up ? words(item.value ? -4 : 0, -2, 56, text, item.value === 0 && text ? "tile-text blank" : "tile-text") : use("sign-star", 0, -1, 34, "tile-sign"),
      item.value ? words(29, 28, 21, String(item.value), "tile-text") : null];
  }

  chip(item, tells) {
    const up = item.text ? -16 : 0, high = Math.min(5, item.count);
    return [[...Array(high).keys()].map(at => [svg("ellipse", {class: "coin chip-side", cx: 0, cy: up + 12 - at * 9, rx: 30, ry: 19}),
      svg("ellipse", {class: "chip-ring", cx: 0, cy: up + 12 - at * 9, rx: 26, ry: 15.5, pathLength: 60})]),
    svg("ellipse", {class: "coin chip-side", cx: 0, cy: up + 12 - (high - 1) * 9, rx: 17, ry: 10}),
    words(0, 36, 30, tells || item.text, "chip-text")];
  }

  // Marks -------------------------------------------------------------------------------------------------------------

  /** What goes under and over the things: [under, over]. `point(cell)` is where a place is seen. */
  marking(mark, place, point) {
    const [x, y] = point(mark.place), {kind, value = 1, text = "", player = null} = mark;
    const r = Math.min(place.width, place.height) * 50, round = place.shape !== "square";
    const corners = side => `M${x - side} ${y - side + 20}V${y - side}H${x - side + 20}M${x + side - 20} ${y - side}H${x + side}V${y - side + 20}`
      + `M${x + side} ${y + side - 20}V${y + side}H${x + side - 20}M${x - side + 20} ${y + side}H${x - side}V${y + side - 20}`;
    if (kind === "last") {
      if (place.shape === "point" || place.shape === "round") return [[], [circle("m-last-ring last", r * .42, x, y)]];
      if (place.shape !== "square") return [[this.outline("m-last last", place, x, y)], [this.outline("m-last-edge", place, x, y, 5)]];
      return [[this.outline("m-last last", place, x, y)], [svg("path", {class: "m-last-corner", d: corners(r - 6)})]];
    }
    if (kind === "check") {
      return [[svg("circle", {cx: x, cy: y, r: r * 1.05, fill: "url(#g-check)"})], [circle("m-bang", 15, x + r - 16, y - r + 16), words(x + r - 16, y - r + 16, 24, "!", "m-bang-text")]];
    }
    if (kind === "heat") {
      const ground = round ? circle("m-heat", r * .9, x, y) : this.outline("m-heat", place, x, y);
      ground.setAttribute("fill-opacity", (value * .86).toFixed(2));
      return [[ground], text ? [words(x + r - 8, y + r - 15, 21, text, "m-heat-text")] : []];
    }
    if (kind === "area") {
      const made = svg("rect", {class: `m-area ${this.seat(player)}`, x: x - 15, y: y - 15, width: 30, height: 30});
      made.setAttribute("fill-opacity", value.toFixed(2));
      return [[], [made]];
    }
    if (kind === "note") {
      const wide = 18 + 13.5 * text.length;
      return [[], [svg("rect", {class: "m-note", x: x + r + 6 - wide, y: y - r - 6, width: wide, height: 32, rx: 16}), words(x + r + 6 - wide / 2, y - r + 10, 22, text, "m-note-text")]];
    }
    if (kind === "dot") return [[], [circle("m-dot", 12, x, y)]];
    return [[], [this.arrow(mark, point)]];
  }

  arrow({kind, place, to, value = 1, text = ""}, point) {
    const [x, y] = point(place), [a, b] = point(to), dx = a - x, dy = b - y, far = Math.hypot(dx, dy) || 1, ux = dx / far, uy = dy / far;
    const head = Math.min(38, far * .3), gap = Math.min(26, far * .2);
    const from = [x + ux * gap, y + uy * gap], end = [a - ux * (head + 2), b - uy * (head + 2)], tip = [a - ux * 4, b - uy * 4];
    return svg("g", {class: `m-${kind}`, opacity: kind === "arrow" ? (.45 + .5 * value).toFixed(2) : null},
      svg("path", {class: "shaft", "stroke-width": kind === "plan" ? 9 : 8 + 9 * value, d: `M${from}L${end}`}),
      svg("path", {class: "head", d: `M${tip}L${end[0] - uy * head * .72} ${end[1] + ux * head * .72}L${end[0] + uy * head * .72} ${end[1] - ux * head * .72}Z`}),
      text ? [svg("rect", {class: "m-tag", x: x + dx * .5 - 8 - 7 * text.length, y: y + dy * .5 - 18, width: 16 + 14 * text.length, height: 36, rx: 18}),
        words(x + dx * .5, y + dy * .5, 23, text, "m-tag-text")] : null);
  }

  /** A track as a bar: how far, what this turn would add, how far it can go. */
  track({label, value, most, more = 0, player = null, x, y, width}) {
    const at = amount => Math.min(1, amount / most) * width * SIZE, left = x * SIZE, top = y * SIZE;
    const told = `${value}${more ? ` + ${more}` : ""} of ${most}`;
    const bar = (kind, to) => svg("rect", {class: kind, x: left, y: top, width: Math.max(0, to), height: 34, rx: 17});
    return svg("g", {class: `track ${this.seat(player)}`, role: "meter", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": most,
      "aria-valuenow": Math.min(value, most), "aria-valuetext": told},
      words(left, top - 20, 28, label, "track-text"), words(left + width * SIZE, top - 20, 28, told, "track-text end"),
      bar("track-all", width * SIZE), bar("track-more", at(value + more)), bar("track-done", at(value)));
  }
}
