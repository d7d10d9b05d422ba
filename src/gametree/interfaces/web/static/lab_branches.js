// A recorded search of up to a million nodes, opened branch by branch. The server keeps the record; this list asks for
// the children of a node when it is opened, a slice at a time.

import {connect} from "./api.js";
import {el} from "./dom.js";
import {makeBoards} from "./lab_board.js";

const SLICE = 50;
const LEAF = -3;
const SORTS = [["size", "largest first"], ["value", "best first"], ["order", "as they were visited"]];
const whole = number => number.toLocaleString("en");

/**
 * `open` lists the ways to the opened nodes, moves separated by spaces and ways by commas; `onchange(open, sort)` is told of
 * every change. Leaving the page closes the socket, and with it goes the record.
 */
export function makeBranches({request, sort, open, say, tell, onchange}) {
  if (!SORTS.some(([name]) => name === sort)) sort = "size";
  const status = el("p", {class: "progress", role: "status"}, "Searching…");
  const head = el("div", {class: "row head"});
  const list = el("ul", {role: "tree", class: "branches", "aria-label": "Recorded search", hidden: true});
  const boards = request.source.kind === "game" ? makeBoards(request.source) : null;
  const element = el("section", {class: "search", "aria-label": "Recorded search"}, head, status,
    el("div", {class: boards ? "with-code" : ""}, list, boards ? boards.element : null));
  const items = new Map();      // row → {item, holder, twisty, group, node, way, moves, level, loaded, opens}
  const wanted = new Set(open.split(",").map(way => way.trim()).filter(Boolean));
  let total = 1, focused = 0;

  const socket = connect("/api/lab/branches", {
    open() { socket.send({do: "grow", ...request}); },
    progress(message) {
      status.textContent = message.compiling ? "Compiling the search, once…" : `Writing down the search: ${whole(message.rows)} nodes…`;
    },
    grown, branch,
    error(message) {
      status.textContent = message.error;
      tell(message.error);
    },
    lost() { status.textContent = "The connection was lost; the search begins again when it is back."; items.clear(); list.replaceChildren(); },
    refused(reason) { status.textContent = reason; },
  });

  function grown(message) {
    total = message.root.size;
    const more = [];
    if (message.truncated) more.push("The record is full; the search went on without it.");
    if (!message.complete) more.push("The search was stopped at its limit.");
    status.textContent = more.join(" ");
    const picker = el("select", {"aria-label": "Order of the branches", onchange: () => { sort = picker.value; reload(); }},
      SORTS.map(([name, words]) => el("option", {value: name, selected: name === sort}, words)));
    head.replaceChildren(
      el("h2", {}, `${message.algorithm} on ${message.game}`),
      el("dl", {class: "facts"}, [["nodes kept", whole(message.rows)], ["nodes entered", whole(message.nodes)], ["deepest", message.depth], ["best", message.pv.slice(0, 6).join(" ")]]
        .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(value))))),
      el("label", {}, "Order", picker));
    list.hidden = false;
    list.replaceChildren();
    items.clear();
    add(list, {...message.root, move: "the position", chance: ""}, 1, [], 1, 1);
    if (boards) boards.show([]);
    focused = 0;
    items.get(0).item.setAttribute("tabindex", "0");
    toggle(0, true);
    say(`${whole(message.rows)} nodes recorded.`);
  }

  function add(parent, node, level, moves, place, siblings) {
    const way = moves.join(" ");
    const turn = node.player === LEAF ? "leaf" : node.player === -1 ? "chance" : node.player === 0 ? "max" : node.player === 1 ? "min" : `seat-${node.player % 4}`;
    const name = {max: "MAX", min: "MIN", leaf: "end of the game", chance: "chance"}[turn] || `player ${node.player + 1}`;
    const part = node.size / total;
    const bar = el("meter", {min: "0", max: "1", value: String(Math.max(part, .002))});
    const opens = node.children > 0 || (node.player !== LEAF && node.size > 1);
    const words = [node.move, node.chance && `probability ${node.chance}`, name, node.value && `value ${node.value}`, node.window && `window ${node.window}`,
      `${whole(node.size)} nodes`, node.visits > 1 && `visited ${whole(node.visits)} times`, node.reason];
    // The part for the keyboard and for screen readers lies over the part for the eyes.
    const item = el("div", {
      role: "treeitem", class: "branch-key", tabindex: "-1", "data-row": node.row, "aria-level": level, "aria-posinset": place, "aria-setsize": siblings,
      "aria-expanded": opens ? "false" : null, "aria-label": words.filter(Boolean).join(", "), onclick: () => { focus(node.row); if (opens) toggle(node.row); },
    });
    const twisty = el("span", {class: "twisty"}, opens ? "▸" : "");
    const seen = side => el("span", {"aria-hidden": "true", ...side[0]}, side.slice(1));
    const holder = el("li", {role: "none"}, el("div", {class: `branch ${turn}`}, item,
      seen([{class: "twisty-frame"}, twisty]), seen([{class: "shape"}, {max: "□", min: "○", chance: "◇", leaf: "▪"}[turn] || "□"]),
      seen([{class: "move"}, node.move + (node.chance ? ` (${node.chance})` : "")]), seen([{class: "value"}, node.value]),
      seen([{class: "window faint"}, node.window]), seen([{class: "size"}, bar, whole(node.size)]),
      seen([{class: "remarks faint"}, [node.visits > 1 ? `×${whole(node.visits)}` : "", node.reason].filter(Boolean).join(" ")])));
    holder.style.setProperty("--level", String(level - 1));
    parent.append(holder);
    items.set(node.row, {item, holder, twisty, group: null, node, way, moves, level, loaded: 0, opens});
  }

  function branch(message) {
    const known = items.get(message.row);
    if (!known || message.sort !== sort || message.start !== known.loaded) return;
    if (!known.group) {
      known.group = el("ul", {role: "group"});
      known.holder.append(known.group);
    }
    known.group.querySelectorAll(":scope > .more").forEach(old => old.remove());
    message.children.forEach((node, i) => {
      add(known.group, node, known.level + 1, [...known.moves, node.move], message.start + i + 1, message.total);
    });
    known.loaded = message.start + message.children.length;
    const left = message.total - known.loaded;
    if (left > 0) {
      known.group.append(el("li", {class: "more", role: "none"}, el("button", {
        type: "button", onclick: event => { event.stopPropagation(); ask(message.row); },
      }, `Show ${Math.min(SLICE, left)} more of ${whole(left)}`)));
    } else if (message.unseen_total) {
      const names = message.unseen.slice(0, 30).join(" ");
      known.group.append(el("li", {class: "more dropped", role: "none"}, el("span", {}, `// not looked at: ${names}${message.unseen_total > 30 ? " …" : ""}`)));
    }
    for (const node of message.children) {
      const below = items.get(node.row);
      if (below.opens && wanted.has(below.way)) toggle(node.row, true);
    }
  }

  const ask = row => socket.send({do: "open", row, start: items.get(row).loaded, count: SLICE, sort});

  function toggle(row, quiet) {
    const known = items.get(row);
    const opened = known.item.getAttribute("aria-expanded") === "true";
    known.item.setAttribute("aria-expanded", String(!opened));
    known.twisty.textContent = opened ? "▸" : "▾";
    if (!opened && !known.loaded) ask(row);
    if (known.group) known.group.hidden = opened;
    if (row) {
      if (opened) for (const way of wanted) { if (way === known.way || way.startsWith(`${known.way} `)) wanted.delete(way); }
      else wanted.add(known.way);
      if (!quiet) onchange([...wanted].join(","), sort);
    }
  }

  /** Another order: what is open stays open. */
  function reload() {
    onchange([...wanted].join(","), sort);
    const root = items.get(0);
    for (const row of [...items.keys()]) if (row) items.delete(row);
    if (root.group) root.group.remove();
    Object.assign(root, {group: null, loaded: 0});
    root.item.setAttribute("aria-expanded", "true");
    ask(0);
  }

  function focus(row) {
    const before = items.get(focused);
    if (before) before.item.setAttribute("tabindex", "-1");
    focused = row;
    const {item, moves} = items.get(row);
    item.setAttribute("tabindex", "0");
    item.focus();
    if (boards) boards.show(moves);
  }

  list.addEventListener("keydown", event => {
    if (event.target.closest("button")) return;
    const shown = [...list.querySelectorAll("[role=treeitem]")].filter(item => item.offsetParent !== null);
    const known = items.get(focused);
    const at = shown.indexOf(known.item);
    const go = item => { if (item) focus(Number(item.dataset.row)); };
    const expanded = known.item.getAttribute("aria-expanded");
    if (event.key === "ArrowDown") go(shown[at + 1]);
    else if (event.key === "ArrowUp") go(shown[at - 1]);
    else if (event.key === "Home") go(shown[0]);
    else if (event.key === "End") go(shown.at(-1));
    else if (event.key === "ArrowRight") {
      if (expanded === "false") toggle(focused);
      else if (expanded === "true") go(shown[at + 1]);
    } else if (event.key === "ArrowLeft") {
      if (expanded === "true" && focused) toggle(focused);
      else go(known.holder.parentElement.closest("li")?.querySelector("[role=treeitem]"));
    } else if (event.key === "Enter" || event.key === " ") {
      if (expanded !== null) toggle(focused);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {element, stop: () => socket.close()};
}
