// A game tree as SVG: squares maximise, circles minimise, diamonds are chance. It draws what it is told and can be
// walked through with the arrow keys; which node looks how is decided by whoever calls `paint`.

import {el, svg} from "./dom.js";

const LEAF = -3, CHANCE = -1, SIMULTANEOUS = -2;
const NODE = 38, LEAF_WIDTH = 34, LEAF_HEIGHT = 28, GAP = 14, MARGIN = 16;
const STATUS = {
  hidden: "not reached yet", open: "being searched", done: "done", pruned: "pruned", refused: "passed over",
  unvisited: "not looked at", plain: "",
};

const text = (attributes, ...content) => svg("text", attributes, ...content);
const letters = words => [...words].reduce((sum, letter) => sum + ("ijl.,:;|!'()[] /It".includes(letter) ? .42 : .66), 0);

/**
 * Draws `tree` (lists by row: parent, player, label, move, chance, name, leaf) and returns what controls it:
 * `element`; `paint(row, [status, value, window, visits, remarks])`; `here(row)`; `line(rows)`; `mark(rows)`; `closed`, a set of rows
 * whose branches are folded; `fold(rows)`; `zoom(factor)`. `texts(row)` lists the longest texts that the node will show.
 * `onfold` is called when a branch was opened or closed, `onchoose(row)` when a node was chosen,
 * `onlook(row)` when it got the focus.
 */
export function makeTree(tree, {label = "Game tree", texts = () => [], windows = false, onfold, onchoose, onlook} = {}) {
  const count = tree.parent.length;
  const children = tree.parent.map(() => []);
  for (let row = 1; row < count; row++) children[tree.parent[row]].push(row);
  for (const rows of children) rows.sort((a, b) => tree.place[a] - tree.place[b]);
  const below = new Array(count).fill(0);
  for (let row = count - 1; row > 0; row--) below[tree.parent[row]] += below[row] + 1;
  const looks = tree.parent.map(() => ["hidden", "", "", 0, ""]);
  const closed = new Set();
  const nodes = new Map(), edges = new Map();
  let focused = 0, best = new Set(), marked = new Set(), scale = 0, size = [0, 0];

  const edgeLayer = svg("g", {"aria-hidden": "true", fill: "none"});
  const nodeLayer = svg("g", {role: "tree", "aria-label": `${label}. Arrow keys move from node to node.`});
  // What a node shows is for the eyes and lies in a layer of its own; the node's label says it in words.
  const textLayer = svg("g", {"aria-hidden": "true", "pointer-events": "none"});
  const picture = svg("svg", {class: "tree"}, edgeLayer, nodeLayer, textLayer);
  const element = el("div", {class: "tree-frame"}, picture);
  const moves = tree.move.some(Boolean) || tree.chance.some(Boolean);
  const levelGap = 34 + (moves ? 15 : 0) + (windows ? 15 : 0);

  // Sizes: room for the longest text that a node will ever show, so that nothing moves while one steps through.
  const width = tree.parent.map((_, row) => {
    const inside = Math.max(0, ...texts(row), letters(tree.leaf[row])) * 14 + 12;
    const named = letters(tree.label[row]) * 12 + 12;
    const base = tree.player[row] === LEAF ? LEAF_WIDTH : NODE;
    return Math.max(base, inside, named) * (tree.player[row] === CHANCE ? 1.35 : 1);
  });
  const height = tree.parent.map((_, row) => {
    const named = tree.label[row] ? 13 : 0;
    return (tree.player[row] === LEAF ? LEAF_HEIGHT : NODE) + named + (tree.player[row] === CHANCE ? 8 : 0);
  });
  const column = tree.parent.map((_, row) => Math.max(
    width[row],
    windows && children[row].length ? 64 : 0,
    row ? (letters(tree.move[row]) + (tree.chance[row] ? letters(tree.chance[row]) + 1 : 0)) * 12 + 6 : 0,
  ));
  const shown = row => closed.has(row) ? [] : children[row];
  // Where the tree is wide, the last moves stand below each other instead of side by side.
  const last = children.filter(rows => rows.length).length;
  const stacks = count - last > 34 && last > 1;
  const isStack = row => stacks && row > 0 && shown(row).length > 1 && shown(row).every(child => !children[child].length);
  const stackGap = 6, indent = 12, moveRoom = row => (tree.move[row] || tree.chance[row])
    ? (letters(tree.move[row]) + (tree.chance[row] ? letters(tree.chance[row]) + 1 : 0)) * 12 + 8 : 0;

  /** Tidy layout: subtrees side by side as close as their outlines allow, parents midway over their children. */
  function place() {
    const offset = new Float64Array(count), outlines = new Array(count), order = [];
    for (let todo = [0]; todo.length;) {
      const row = todo.pop();
      order.push(row);
      todo.push(...[...shown(row)].reverse());
    }
    const deepest = [];
    for (const row of [...order].reverse()) {
      let merged = [];
      const at = [];
      if (isStack(row)) {
        const wide = Math.max(...shown(row).map(child => moveRoom(child) + width[child])) + indent;
        const half = Math.max(column[row], wide) / 2;
        outlines[row] = [[-half, half], [-half, half]];
        for (const child of shown(row)) offset[child] = indent - wide / 2 + moveRoom(child) + width[child] / 2;
        continue;
      }
      for (const child of shown(row)) {
        const outline = outlines[child];
        let shift = 0;
        for (let i = 0; i < Math.min(merged.length, outline.length); i++)
          shift = Math.max(shift, merged[i][1] + GAP - outline[i][0]);
        at.push(shift);
        outline.forEach(([left, right], i) => {
          if (i < merged.length) merged[i][1] = right + shift;
          else merged.push([left + shift, right + shift]);
        });
        outlines[child] = null;
      }
      const middle = at.length ? (at[0] + at[at.length - 1]) / 2 : 0;
      shown(row).forEach((child, i) => { offset[child] = at[i] - middle; });
      const half = column[row] / 2;
      outlines[row] = [[-half, half], ...merged.map(([left, right]) => [left - middle, right - middle])];
    }
    const x = new Float64Array(count), level = new Int32Array(count), lower = new Float64Array(count);
    let left = 0, right = 0;
    for (const row of order) {
      if (isStack(row)) {
        let down = 0;
        for (const child of shown(row)) {
          lower[child] = down;
          down += height[child] + stackGap;
        }
      }
      if (row) {
        x[row] = x[tree.parent[row]] + offset[row];
        level[row] = level[tree.parent[row]] + 1;
      }
      left = Math.min(left, x[row] - column[row] / 2);
      right = Math.max(right, x[row] + column[row] / 2);
      const folded = closed.has(row) && children[row].length ? 26 : 0;
      deepest[level[row]] = Math.max(deepest[level[row]] || 0, height[row] + folded + lower[row]);
    }
    const tops = [MARGIN + (windows ? 12 : 0)];
    deepest.forEach((tall, i) => { tops[i + 1] = tops[i] + tall + levelGap; });
    size = [right - left + 2 * MARGIN, tops[deepest.length] - levelGap + MARGIN];
    return {order, x: row => x[row] - left + MARGIN, top: row => tops[level[row]] + lower[row], level};
  }

  function shape(row, x, top) {
    const [wide, tall, player] = [width[row], height[row], tree.player[row]];
    const middle = top + tall / 2;
    if (player === CHANCE)
      return svg("polygon", {points: `${x},${top} ${x + wide / 2},${middle} ${x},${top + tall} ${x - wide / 2},${middle}`});
    if (player === 1 && !tree.several)
      return svg("ellipse", {cx: x, cy: middle, rx: Math.max(wide / 2, tall / 2), ry: tall / 2});
    return svg("rect", {x: x - wide / 2, y: top, width: wide, height: tall, rx: player === LEAF ? 8 : 2});
  }

  function kind(row) {
    const player = tree.player[row];
    if (player === LEAF) return "leaf";
    if (player === CHANCE) return "chance";
    if (player === SIMULTANEOUS) return "several";
    if (tree.several) return `seat-${player % 4}`;
    return player === 0 ? "max" : "min";
  }

  function layout() {
    const spots = place();
    nodeLayer.replaceChildren();
    edgeLayer.replaceChildren();
    textLayer.replaceChildren();
    nodes.clear();
    edges.clear();
    for (const row of spots.order) {
      const x = spots.x(row), top = spots.top(row), middle = top + height[row] / 2, named = Boolean(tree.label[row]);
      const siblings = row ? shown(tree.parent[row]) : [0];
      const parts = {
        value: text({class: "value", x, y: middle + 5 + (named ? 7 : 0)}),
        window: text({class: "window", x, y: top - 5}),
        visits: text({class: "visits", x: x + width[row] / 2 + 2, y: top + 4}),
      };
      const group = svg("g", {
        role: "treeitem", tabindex: row === focused ? "0" : "-1", "data-row": row, "aria-level": spots.level[row] + 1,
        "aria-posinset": siblings.indexOf(row) + 1, "aria-setsize": siblings.length,
        "aria-expanded": children[row].length ? String(!closed.has(row)) : null,
        onclick: () => { focus(row); if (onchoose) onchoose(row); },
        ondblclick: () => toggle(row), onfocus: () => { focused = row; if (onlook) onlook(row); },
      }, svg("g", {class: "body"}, shape(row, x, top)));
      const says = svg("g", {"data-says": row}, named ? text({class: "label", x, y: top + 15}, tree.label[row]) : null,
        parts.value, parts.window, parts.visits);
      if (row && (tree.move[row] || tree.chance[row])) {
        const words = [tree.move[row], tree.chance[row] && (tree.move[row] ? `(${tree.chance[row]})` : tree.chance[row])];
        const beside = isStack(tree.parent[row]);
        const y = beside ? middle + 4 : top - 5 - (windows && children[row].length ? 14 : 0);
        says.append(text({class: beside ? "move beside" : "move", x: beside ? x - width[row] / 2 - 4 : x, y}, words.filter(Boolean).join(" ")));
      }
      if (closed.has(row) && children[row].length) {
        const y = top + height[row];
        group.append(svg("path", {class: "folded", d: `M${x} ${y + 2}l12 18h-24z`}));
        says.append(text({class: "count", x, y: y + 17}, below[row] > 999 ? "…" : String(below[row])));
      }
      nodeLayer.append(group);
      textLayer.append(says);
      nodes.set(row, {group, says, ...parts});
      if (row) {
        const above = tree.parent[row], [x1, y1] = [spots.x(above), spots.top(above) + height[above]];
        const beside = isStack(above);
        const bend = beside ? middle : spots.top(row) - (moves ? 15 : 0) - (windows && children[row].length ? 15 : 0) - 2;
        const spine = beside ? x - width[row] / 2 - moveRoom(row) - indent + 3 : 0;
        const [dx, dy] = beside ? [indent, 0] : [x - x1, bend - y1], length = Math.hypot(dx, dy) || 1;
        const [mx, my] = beside ? [spine + 5, middle] : [x1 + dx * .62, y1 + dy * .62], [ax, ay] = [dx / length, dy / length];
        const strokes = [-3, 3].map(shift => {
          const long = beside ? 4 : 6, [sx, sy] = [long * (ax - ay), long * (ax + ay)], [cx, cy] = [mx + ax * shift, my + ay * shift];
          return `M${cx - sx} ${cy - sy}L${cx + sx} ${cy + sy}`;
        }).join("");
        const group = svg("g", {class: "edge"}, svg("path", {
          class: "way", d: beside ? `M${x1} ${y1}L${spine} ${spots.top(shown(above)[0]) - 4}V${middle}h${indent - 4}` : `M${x1} ${y1}L${x} ${bend}V${spots.top(row)}`,
        }),
          svg("path", {class: "strike", d: strokes}));
        edgeLayer.append(group);
        edges.set(row, group);
      }
      show(row);
    }
    resize();
  }

  function show(row) {
    const node = nodes.get(row);
    if (!node) return;
    const [status, value, window, visits, remarks] = looks[row];
    const dropped = ["pruned", "refused", "unvisited"].includes(status);
    const said = value || (tree.player[row] === LEAF ? tree.leaf[row] : "");
    node.value.textContent = said;
    node.window.textContent = children[row].length ? window : "";
    node.visits.textContent = visits > 1 ? `×${visits}` : "";
    const classes = [kind(row), status];
    if (dropped) classes.push("dropped");
    if (row === here) classes.push("here");
    if (best.has(row)) classes.push("best");
    if (marked.has(row)) classes.push("marked");
    node.group.setAttribute("class", `node ${classes.join(" ")}`);
    node.says.setAttribute("class", `says ${classes.join(" ")}`);
    node.group.setAttribute("data-status", status);
    const turn = {max: "MAX", min: "MIN", chance: "chance", leaf: ""}[kind(row)] ?? `player ${tree.player[row] + 1}`;
    const words = [tree.name[row], turn, said && `value ${said}`, window && `window ${window}`, STATUS[status],
      visits > 1 && `visited ${visits} times`, remarks.includes("cut") && "cut off here", best.has(row) && "best play", marked.has(row) && "marked",
      row === here && "the search is here"];
    node.group.setAttribute("aria-label", words.filter(Boolean).join(", "));
    const edge = edges.get(row);
    if (edge) edge.setAttribute("class", `edge ${status}${dropped ? " dropped" : ""}${best.has(row) ? " best" : ""}`);
  }

  let here = -1;

  function focus(row) {
    for (let above = tree.parent[row]; above >= 0; above = tree.parent[above])
      if (closed.has(above)) return;
    nodes.get(focused)?.group.setAttribute("tabindex", "-1");
    focused = row;
    const group = nodes.get(row).group;
    group.setAttribute("tabindex", "0");
    group.focus();
  }

  function toggle(row) {
    if (!children[row].length) return;
    if (!closed.delete(row)) closed.add(row);
    const had = nodeLayer.contains(document.activeElement);
    focused = row;
    layout();
    if (had) focus(row);
    if (onfold) onfold();
  }

  function step(event) {
    const siblings = focused ? shown(tree.parent[focused]) : [0];
    const at = siblings.indexOf(focused);
    const next = {
      ArrowUp: tree.parent[focused], ArrowDown: shown(focused)[0], ArrowLeft: siblings[at - 1],
      ArrowRight: siblings[at + 1], Home: 0, End: shown(focused).at(-1),
    };
    if (event.key === "Enter") {
      if (children[focused].length) toggle(focused);
      else if (onchoose) onchoose(focused);
    }
    else if (event.key in next) {
      if (next[event.key] !== undefined && next[event.key] >= 0) focus(next[event.key]);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
  nodeLayer.addEventListener("keydown", step);

  function resize() {
    const room = element.clientWidth || 800;
    const fit = Math.min(1.4, Math.max(.42, (room - 2) / size[0]));
    const factor = scale || fit;
    picture.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    picture.setAttribute("width", size[0] * factor);
    picture.setAttribute("height", size[1] * factor);
  }
  const observer = new ResizeObserver(resize);
  observer.observe(element);
  layout();

  return {
    element, closed, toggle, focus, children,
    paint(row, look) {
      looks[row] = look;
      show(row);
    },
    look: row => looks[row],
    here(row) {
      const before = here;
      here = row;
      if (before >= 0) show(before);
      if (row >= 0) {
        show(row);
        follow(row);
      }
    },
    line(rows) {
      const changed = new Set([...best, ...rows]);
      best = new Set(rows);
      changed.forEach(show);
    },
    mark(rows) {
      const changed = new Set([...marked, ...rows]);
      marked = new Set(rows);
      changed.forEach(show);
    },
    fold(rows) {
      closed.clear();
      for (const row of rows) if (row < count && children[row].length) closed.add(row);
      layout();
    },
    zoom(factor) {
      const now = Number(picture.getAttribute("width")) / size[0];
      scale = factor ? Math.min(4, Math.max(.1, now * factor)) : 0;
      resize();
    },
    stop: () => observer.disconnect(),
  };

  /** Scroll just enough to keep the node in sight where the tree is wider than the page. */
  function follow(row) {
    const node = nodes.get(row);
    if (!node || element.scrollWidth <= element.clientWidth + 4) return;
    const box = node.group.getBoundingClientRect(), frame = element.getBoundingClientRect();
    if (box.left < frame.left + 30) element.scrollLeft -= frame.left + 60 - box.left;
    if (box.right > frame.right - 30) element.scrollLeft += box.right - frame.right + 60;
  }
}

export {letters};
