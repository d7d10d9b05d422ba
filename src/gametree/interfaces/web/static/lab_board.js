// The board of a node beside a tree of a real game. The server draws it; a node that was seen once is kept.

import {call} from "./api.js";
import {Board} from "./board.js";
import {el} from "./dom.js";

const PAUSE = 60;  // milliseconds: whoever plays very fast sees the nodes where it pauses

/** `source` says what is searched. `element` goes onto the page; `show(moves)` draws the position after these moves. */
export function makeBoards(source) {
  const holder = el("div", {class: "lab-board-holder"});
  const title = el("p", {class: "faint lab-board-title"});
  const board = new Board(holder, {label: "Position of the node"});
  const known = new Map();
  let turn = 0, timer = 0;

  async function draw(moves, mine) {
    const key = JSON.stringify(moves);
    try {
      if (!known.has(key)) known.set(key, await call("/api/lab/board", {source, moves}));
    } catch { return; /* the next node will tell, if the server is gone */ }
    if (mine !== turn) return;
    title.textContent = moves.length ? `after ${moves.join(" ")}` : "the position that is searched";
    board.show(known.get(key));
  }

  return {
    element: el("div", {class: "lab-board"}, holder, title),
    show(moves) {
      const mine = ++turn;
      clearTimeout(timer);
      if (known.has(JSON.stringify(moves))) draw(moves, mine);
      else timer = setTimeout(() => draw(moves, mine), PAUSE);
    },
  };
}
