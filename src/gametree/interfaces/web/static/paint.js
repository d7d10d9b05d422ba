// How places and the things on them look: SVG for the parts of a scene (core/scene.py). It knows no rules and no clicks.

import {svg} from "./dom.js";

export const SIZE = 10;  // units of the picture to a cell
const FIGURES = "♔♕♖♗♘♙♚♛♜♝♞♟";
const SUITS = {S: "♠", H: "♥", D: "♦", C: "♣"};
const CARD = .72;  // width over height
const SIGN = .44;  // height of a pocket's sign, in cells
const PIPS = {1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], 6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]]};
const TONES = ["light", "dark", "trap", "red", "rose", "blue", "sky", "gold", "green"];
let boards = 0;

/** What is left out of a place or an item because it is as usual. */
export const PLACE = {shape: "square", width: 1, height: 1, tone: "", text: "", player: null, label: ""};
export const ITEM = {kind: "piece", text: "", player: null, count: 1, face_up: true, label: "", value: null};

/** Classes of a seat: one of eight colours; from the ninth seat on striped, from the seventeenth on dotted. */
function seatClass(player) {
  return player === null ? "seat-none" : `seat-${player % 8}`;
}

function words(x, y, size, text, kind) {
  return svg("text", {x, y: y + size * .36, class: kind, "font-size": size.toFixed(2)}, text);
}

/** Paints one scene. Patterns need names that no other board on the page has. */
export class Painter {
  constructor(scene) {
    this.mark = `board-${++boards}`;
    const texts = new Map(), owners = new Map();
    for (const item of scene.items) {
      const {kind, text, player} = {...ITEM, ...item};
      if (player === null || kind === "king") continue;
      if (!texts.has(player)) texts.set(player, new Set());
      texts.get(player).add(text);
      if (!owners.has(text)) owners.set(text, new Set());
      owners.get(text).add(player);
    }
    // Text that every stone of a player shares says nothing that its colour does not say.
    this.telling = player => (texts.get(player) || new Set()).size > 1;
    // Two sides differ in lightness; more can be told apart by their number only.
    this.numbered = player => player !== null && (texts.size > 2 || player > 1);
    this.shared = text => (owners.get(text) || new Set()).size > 1;
  }

  patterns() {
    const pattern = (name, ...parts) => svg("pattern", {id: `${this.mark}-${name}`, width: 1.6, height: 1.6,
      patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"}, parts);
    return svg("defs", {}, pattern("stripes", svg("rect", {class: "pattern", width: .6, height: 1.6})),
      pattern("dots", svg("circle", {class: "pattern", cx: .8, cy: .8, r: .42})));
  }

  /** A disc in a seat's colour and pattern. */
  disc(x, y, r, player) {
    const pattern = player === null ? null : [null, "stripes", "dots"][Math.floor(player / 8)];
    return [svg("circle", {class: "disc", cx: x, cy: y, r}),
      pattern ? svg("circle", {class: "overlay", cx: x, cy: y, r, fill: `url(#${this.mark}-${pattern})`}) : null];
  }

  /** A seat's number in its colour. */
  badge(x, y, r, player) {
    return svg("g", {class: `badge ${seatClass(player)}`}, this.disc(x, y, r, player),
      player > 7 ? svg("circle", {class: "disc", cx: x, cy: y, r: r * .68}) : null,
      words(x, y, r * (player > 8 ? .95 : 1.15), `${player + 1} `, "stone-text"));
  }

  /** The shape of a place as one element: its ground, or a frame around it that is `less` smaller on every side. */
  outline(kind, place, x, y, less = 0) {
    const half = place.width * SIZE / 2 - less, tall = place.height * SIZE / 2 - less;
    const polygon = corners => svg("polygon", {class: kind, points: corners.map(([dx, dy]) => `${(x + dx).toFixed(3)},${(y + dy).toFixed(3)}`).join(" ")});
    if (place.shape === "hex") {
      const high = 2 * half / Math.sqrt(3);
      return polygon([[0, -high], [half, -high / 2], [half, high / 2], [0, high], [-half, high / 2], [-half, -high / 2]]);
    }
    if (!less && (place.shape === "up" || place.shape === "down")) {
      const base = place.shape === "up" ? tall : -tall;
      return polygon([[-half, base], [half, base], [0, -base]]);
    }
    if (place.shape === "round") return svg("ellipse", {class: kind, cx: x, cy: y, rx: half, ry: tall});
    const round = less ? 1 : {pocket: 1.2, slot: .8}[place.shape] || null;
    return svg("rect", {class: kind, x: x - half, y: y - tall, width: 2 * half, height: 2 * tall, rx: round});
  }

  /** The ground of a place with what is written on it. */
  ground(place, x, y) {
    const tone = place.shape === "point" ? "clear" : TONES.includes(place.tone) ? place.tone
      : ["pocket", "slot"].includes(place.shape) ? place.shape : "plain";
    const parts = [this.outline(`field ${tone}`, place, x, y)];
    if (place.shape === "up" || place.shape === "down") parts.unshift(this.outline("hit", {...place, shape: "square"}, x, y));
    if (place.shape === "pocket" && (place.text || place.player !== null)) parts.push(this.sign(place, x, y));
    else if (place.text) parts.push(words(x, y, place.text.length > 2 ? 2.4 : 3.4, place.text, `ground-text on-${tone}`));
    return parts;
  }

  sign(place, x, y) {
    const high = SIGN * SIZE, wide = place.width * SIZE, middle = y + place.height * SIZE / 2 - high / 2;
    const seat = place.player !== null;
    const size = Math.min(high * .68, (wide - (seat ? high : 0)) / Math.max(1, place.text.length) * 1.7);
    return svg("g", {class: "sign"},
      svg("rect", {class: "plate", x: x - wide / 2, y: middle - high / 2, width: wide, height: high, rx: 1.2}),
      seat ? this.badge(x - wide / 2 + high / 2, middle, high * .46, place.player) : null,
      words(x + (seat ? high * .45 : 0), middle, size, place.text, "plate-text"));
  }

  /** Everything that lies on a place, from below to above. */
  contents(place, items, x, y) {
    if (!items.length) return [];
    if (place.shape === "up" || place.shape === "down") return this.stack(place, items, x, y);
    if (place.shape === "pocket" || place.shape === "slot") return this.row(place, items, x, y);
    const size = Math.min(place.width, place.height) * SIZE;
    return items.map((item, at) => this.item(item, x + at * size * .12, y - at * size * .12, size));
  }

  /** From the base of a triangle on, each one drawn; where they are too many, the last one tells how many. */
  stack(place, items, x, y) {
    const size = Math.min(place.width, 1) * SIZE, step = size * .86;
    const single = items.flatMap(item => Array(item.count).fill({...item, count: 1}));
    const room = Math.max(1, Math.floor((place.height * SIZE - size) / step + 1.01));
    const base = y + (place.shape === "up" ? 1 : -1) * (place.height * SIZE - size) / 2;
    return single.slice(0, room).map((item, at) => this.item(item, x, base + (place.shape === "up" ? -1 : 1) * at * step, size,
      at === room - 1 && single.length > room ? String(single.length) : ""));
  }

  /** Side by side along the longer side of the place. */
  row(place, items, x, y) {
    const signed = place.shape === "pocket" && (place.text || place.player !== null);
    const tall = (place.height - (signed ? SIGN : 0)) * SIZE, wide = place.width * SIZE;
    const middle = y - (signed ? SIGN * SIZE / 2 : 0);
    const across = wide >= tall;
    const aspect = item => item.kind === "card" ? CARD : 1;
    const long = items.reduce((sum, item) => sum + (across ? aspect(item) : 1), 0);
    const size = across ? Math.min(tall, wide / long) : Math.min(tall / long, wide / Math.max(...items.map(aspect)));
    let at = -long * size / 2;
    return items.map(item => {
      const step = size * (across ? aspect(item) : 1), centre = at + step / 2;
      at += step;
      return across ? this.item(item, x + centre, middle, size) : this.item(item, x, middle + centre, size);
    });
  }

  /** One item in a square of this size; `tells` is written on it instead of its text. */
  item(item, x, y, size, tells = "") {
    const parts = [];
    if (item.count > 1) parts.push(this[item.kind]({...item, text: "", value: null}, x + size * .07, y + size * .07, size, ""));
    parts.push(this[item.kind](item, x, y, size, tells));
    if (item.count > 1) {
      const text = `×${item.count}`, across = x + size * .3, down = y + size * (item.kind === "chip" ? -.32 : .32);
      parts.push(svg("g", {class: "count"}, svg("circle", {cx: across, cy: down, r: size * (.13 + .035 * text.length)}),
        words(across, down, size * .22, text, "count-text")));
    }
    const figure = item.kind === "piece" && FIGURES.includes(item.text) && item.text;
    return svg("g", {class: `piece ${item.kind}${figure ? "" : ` ${seatClass(item.player)}`}`, "data-kind": item.kind}, parts);
  }

  stone(item, x, y, size, tells) {
    const text = tells || (this.telling(item.player) ? item.text : this.numbered(item.player) ? String(item.player + 1) : "");
    return [...this.disc(x, y, size * .41, item.player), text ? words(x, y, size * .42, text, "stone-text") : null];
  }

  /** A crowned stone, as in checkers. */
  king(item, x, y, size) {
    return [...this.disc(x, y, size * .41, item.player), words(x, y, size * .5, "♛\uFE0E", "stone-text")];
  }

  piece(item, x, y, size, tells) {
    const figure = FIGURES.indexOf(item.text);
    if (item.text && figure >= 0) {  // drawn solid in the colour of its side, which reads better than outlines
      return svg("text", {x, y: y + size * .3, class: `figure ${figure < 6 ? "white" : "black"}`, "font-size": size * .86},
        `${FIGURES[6 + figure % 6]}\uFE0E`);
    }
    const text = tells || item.text, long = text.length > 2;
    const mark = svg("text", {x, y: y + size * (long ? .12 : .24), class: "mark", "font-size": size * (long ? .32 : .7)}, text);
    return this.shared(item.text) && item.player !== null ? [mark, this.badge(x + size * .33, y - size * .33, size * .15, item.player)] : mark;
  }

  card(item, x, y, size, tells) {
    const wide = size * CARD * .94, tall = size * .94;
    const frame = svg("rect", {class: item.face_up ? "card-face" : "card-back", x: x - wide / 2, y: y - tall / 2, width: wide, height: tall, rx: size * .08});
    if (!item.face_up) {
      return [frame, svg("rect", {class: "card-lattice", x: x - wide * .38, y: y - tall * .42, width: wide * .76, height: tall * .84, rx: size * .05,
        fill: `url(#${this.mark}-stripes)`})];
    }
    const text = tells || item.text, found = /^(10|[AKQJT2-9])([SHDC])$/.exec(text);
    if (!found) return [frame, words(x, y, size * (text.length > 2 ? .26 : .46), text, "card-text")];
    const suit = `card-text suit-${found[2]}`;
    return [frame, words(x - wide * .27, y - tall * .28, size * .34, found[1], suit), words(x - wide * .27, y + tall * .02, size * .26, SUITS[found[2]], suit),
      words(x + wide * .16, y + tall * .24, size * .46, SUITS[found[2]], suit)];
  }

  die(item, x, y, size, tells) {
    const half = size * .36, pips = PIPS[tells || item.text];
    return [svg("rect", {class: "die-face", x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: size * .12}),
      ...pips ? pips.map(([dx, dy]) => svg("circle", {class: "pip", cx: x + dx * size * .19, cy: y + dy * size * .19, r: size * .07}))
        : [words(x, y, size * .4, tells || item.text, "card-text")]];
  }

  cube(item, x, y, size, tells) {
    const half = size * .36, text = tells || item.text;
    return [svg("rect", {class: "cube-face", x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: size * .06}),
      words(x, y, size * (text.length > 1 ? .34 : .44), text, "cube-text")];
  }

  tile(item, x, y, size, tells) {
    const half = size * .44;
    return [svg("rect", {class: item.face_up ? "tile-face" : "tile-back", x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: size * .1}),
      words(x - (item.value ? size * .06 : 0), y, size * .56, tells || item.text, "tile-text"),
      item.value ? words(x + size * .28, y + size * .26, size * .22, String(item.value), "tile-text") : null];
  }

  chip(item, x, y, size, tells) {
    const up = item.text ? size * .14 : 0;
    return [...this.disc(x, y - up, size * .28, item.player), svg("circle", {class: "chip-ring", cx: x, cy: y - up, r: size * .2}),
      words(x, y + size * .33, size * .3, tells || item.text, "chip-text")];
  }

  /** A track as a bar: how far, what this turn would add, how far it can go. */
  track({label, value, most, more = 0, player = null, x, y, width}) {
    const at = amount => Math.min(1, amount / most) * width * SIZE, left = x * SIZE, top = y * SIZE;
    const told = `${value}${more ? ` + ${more}` : ""} of ${most}`;
    const bar = (kind, from, to) => svg("rect", {class: kind, x: left + from, y: top, width: Math.max(0, to - from), height: 2.6, rx: .6});
    return svg("g", {class: `track ${seatClass(player)}`, role: "meter", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": most,
      "aria-valuenow": Math.min(value, most), "aria-valuetext": told},
      svg("text", {x: left, y: top - .9, class: "track-text"}, label), svg("text", {x: left + width * SIZE, y: top - .9, class: "track-text end"}, told),
      bar("track-all", 0, width * SIZE), bar("track-more", at(value), at(value + more)), bar("track-done", 0, at(value)));
  }
}
