// A small tree that searches itself by alpha-beta: what the home page shows before a word is read.

import {svg} from "./dom.js";

const LEVEL = 76, SIZE = 38;
const MAX = 0, MIN = 1;

/** A tree of this shape with values by chance: nodes in the order in which they are numbered, a child behind its parent. */
function grow(branching) {
  const nodes = [];
  const add = (level, parent) => {
    const node = {id: nodes.length, level, parent, kind: level % 2 ? MIN : MAX, children: [], leaf: level === branching.length};
    nodes.push(node);
    if (node.leaf) node.value = 1 + Math.floor(Math.random() * 9);
    else for (let child = 0; child < branching[level]; child++) node.children.push(add(level + 1, node));
    return node;
  };
  add(0, null);
  return nodes;
}

/** Alpha-beta as a list of moments: what each node shows then, which one is at work, and what it means in words. */
function search(nodes) {
  const moments = [], look = new Map();
  let skipped = 0;
  const note = (node, words) => moments.push({now: node.id, words, look: new Map(look)});
  const cut = node => {
    look.set(node.id, ["cut", ""]);
    if (node.leaf) skipped++;
    node.children.forEach(cut);
  };
  const value = (node, alpha, beta) => {
    if (node.leaf) {
      look.set(node.id, ["done", node.value]);
      note(node, `This ending is worth ${node.value} to us.`);
      return node.value;
    }
    const we = node.kind === MAX;
    let best = we ? -Infinity : Infinity;
    look.set(node.id, ["open", "?"]);
    note(node, we ? "Our move: which is best here?" : "The opponent chooses here.");
    for (const [at, child] of node.children.entries()) {
      const found = value(child, alpha, beta);
      if (we ? found > best : found < best) best = found;
      look.set(node.id, ["open", best]);
      note(node, we ? `We take the largest so far: ${best}.` : `The opponent takes the smallest so far: ${best}.`);
      if (we ? best >= beta : best <= alpha) {
        const rest = node.children.slice(at + 1);
        rest.forEach(cut);
        if (rest.length) note(node, "Enough: this branch cannot change the choice. The rest is skipped.");
        break;
      }
      if (we) alpha = Math.max(alpha, best);
      else beta = Math.min(beta, best);
    }
    look.set(node.id, ["done", best]);
    node.found = best;
    return best;
  };
  const root = value(nodes[0], -Infinity, Infinity);
  const best = new Set([0]);
  for (let node = nodes[0]; !node.leaf;) {
    node = node.children.find(child => look.get(child.id)[0] === "done" && (child.leaf ? child.value : child.found) === root);
    best.add(node.id);
  }
  const leaves = nodes.filter(node => node.leaf).length;
  moments.push({now: -1, best, look: new Map(look), words: `Value ${root}. ${leaves - skipped} of ${leaves} leaves looked at, ${skipped} never needed.`});
  return moments;
}

/** Fills `stage` with the picture and tells `say` what happens. Returns `stop()` and `hold(whether)`. */
export function startTree(stage, say, calm) {
  const small = matchMedia("(max-width: 900px)").matches;
  const shape = small ? [3, 3] : [3, 3, 2], wide = small ? 400 : 760;
  const high = shape.length * LEVEL + SIZE + 16;
  const picture = svg("svg", {class: "hero-tree", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": "A tree of moves that is searched by alpha-beta: blue squares are our moves, orange circles the opponent's"});
  stage.replaceChildren(picture);
  let nodes = [], moments = [], at = 0, held = false, rest = 0;

  function place() {
    const leaves = nodes.filter(node => node.leaf), step = wide / leaves.length;
    leaves.forEach((node, place) => { node.x = step * (place + .5); });
    for (const node of [...nodes].reverse()) if (!node.leaf) node.x = (node.children[0].x + node.children[node.children.length - 1].x) / 2;
    for (const node of nodes) node.y = SIZE / 2 + 8 + node.level * LEVEL;
  }

  function begin() {
    nodes = grow(shape);
    place();
    moments = search(nodes);
    at = 0;
    rest = 0;
  }

  function body(node, state, now, best) {
    const kind = `hero-node ${node.leaf ? "leaf" : node.kind === MAX ? "max" : "min"} ${now ? "now" : state}${best ? " best" : ""}`;
    const half = node.leaf ? 16 : SIZE / 2;
    return node.kind === MIN && !node.leaf ? svg("circle", {class: kind, cx: node.x, cy: node.y, r: half})
      : svg("rect", {class: kind, x: node.x - half, y: node.y - half, width: 2 * half, height: 2 * half, rx: node.leaf ? 9 : 4});
  }

  function draw() {
    const {look, now, best = new Set()} = moments[at], edges = [], bodies = [], texts = [];
    for (const node of nodes) {
      const [state, text] = look.get(node.id) || ["", node.leaf ? node.value : ""];
      if (node.parent) {
        const {x, y} = node.parent, middle = (y + node.y) / 2, half = SIZE / 2;
        const chosen = best.has(node.id) && best.has(node.parent.id);
        edges.push(svg("path", {class: `hero-edge ${state}${chosen ? " best" : ""}`, d: `M${x} ${y + half}C${x} ${middle + 4} ${node.x} ${middle - 4} ${node.x} ${node.y - (node.leaf ? 16 : half)}`}));
        if (state === "cut" && look.get(node.parent.id)[0] !== "cut") edges.push(svg("path", {class: "hero-cut", d: `M${(x + node.x) / 2 - 7} ${middle - 6}l14 12m0-12l-14 12`}));
      }
      bodies.push(body(node, state, node.id === now, best.has(node.id)));
      texts.push(svg("text", {class: `hero-text ${state}`, x: node.x, y: node.y + 5.5}, state === "cut" && node.leaf ? node.value : String(text)));
    }
    picture.replaceChildren(svg("g", {}, edges), svg("g", {}, bodies), svg("g", {}, texts));
    say(moments[at].words, at === moments.length - 1);
  }

  begin();
  if (calm) at = moments.length - 1;
  draw();
  const timer = calm ? 0 : setInterval(() => {
    if (held || document.hidden) return;
    if (at < moments.length - 1) at++;
    else if (++rest > 7) begin();
    else return;
    draw();
  }, 620);
  return {stop: () => clearInterval(timer), hold: whether => { held = whether; }};
}
