// One search to look at: its tree, its pseudocode, what happens in words, and how much work it was. The page Quiz shows
// its explanations with the same panel.

import {el} from "./dom.js";
import {letters, makeTree} from "./tree.js";

const START = ["hidden", "", "", 0, ""];

/**
 * A panel for `search`, the answer of /api/lab/search. Position 0 is before the search, position n after its n-th step.
 * `code: false` leaves the pseudocode out; `onfold` is called when a branch was opened or closed. `boards`, if given,
 * shows the position of a node: `boards.show(ways)` is told the moves that lead there.
 */
export function makePanel(search, {title, code = true, onfold, boards} = {}) {
  const {steps, tree} = search;
  const longest = new Map();
  for (const step of steps)
    for (const [row, , value] of step.rows) longest.set(row, Math.max(longest.get(row) || 0, letters(value)));
  const picture = makeTree(tree, {
    label: `${search.algorithm} on ${search.game}`, texts: row => [longest.get(row) || 0], windows: search.windows, onfold,
    onlook: boards ? showBoard : undefined,
  });
  const undo = [];
  let at = 0;

  const sentence = el("p", {class: "sentence"});
  const lines = search.code.map(text => el("span", {class: "line"}, text || " "));
  const listing = el("pre", {class: "code", tabindex: "0", role: "group", "aria-label": "Pseudocode"},
    lines.flatMap(line => [line, "\n"]));
  const cells = ["nodes", "leaves", "cuts", "skipped"].map(key => [key, el("td", {"data-count": key})]);
  const names = {nodes: "nodes", leaves: "leaves", cuts: "cut-offs", skipped: search.drawn ? "leaves skipped" : "moves not tried"};
  const counts = el("table", {class: "counts"},
    el("caption", {class: "unseen"}, `Work of ${search.algorithm}`),
    el("tbody", {}, el("tr", {}, cells.map(([key, cell]) => [el("th", {scope: "row"}, names[key]), cell]))));
  const zoom = el("div", {class: "row zoom"}, [["−", 1 / 1.25, "Smaller"], ["fit", 0, "Fit the width"], ["+", 1.25, "Larger"]].map(
    ([text, factor, name]) => el("button", {
      type: "button", "aria-label": `${name}: tree of ${search.algorithm}`, onclick: () => picture.zoom(factor),
    }, text)));
  const result = el("p", {class: "result"});
  const element = el("section", {class: "search", "aria-label": title || search.algorithm},
    el("div", {class: "row head"}, el("h2", {}, title || search.algorithm), zoom), sentence,
    el("div", {class: code || boards ? "with-code" : ""},
      picture.element,
      code || boards ? el("div", {class: "code-frame"}, boards ? boards.element : null,
        code && lines.length ? listing : null, code && search.unmarked ? el("p", {class: "faint"}, search.unmarked) : null) : null),
    counts, result);

  function showBoard(row) {
    const moves = [];
    for (let node = row; node > 0; node = tree.parent[node]) moves.unshift(tree.move[node]);
    boards.show(moves);
  }

  function totals() {
    const found = search.result;
    if (at === steps.length) return [found.nodes, found.leaves, found.cuts, found.skipped];
    const so_far = at ? steps[at - 1].counts : [0, 0, 0];
    let skipped = 0;
    tree.player.forEach((player, row) => {
      if ((player === -3 || !search.drawn) && ["pruned", "refused", "unvisited"].includes(picture.look(row)[0])) skipped++;
    });
    return [...so_far, skipped];
  }

  function describe() {
    const step = at ? steps[at - 1] : null;
    sentence.textContent = step ? step.sentence : "The search has not begun. Press Play, or the right arrow key for one step.";
    lines.forEach(line => line.classList.remove("now"));
    if (step) step.lines.forEach(number => lines[number].classList.add("now"));
    const marked = step && step.lines.length ? lines[step.lines[0]] : null;
    if (marked) listing.scrollTop = marked.offsetTop - listing.clientHeight / 2;
    const found = search.result, end = at === steps.length;
    totals().forEach((number, place) => {
      const whole = [found.nodes, found.leaves, found.cuts, found.skipped][place];
      cells[place][1].textContent = end ? whole.toLocaleString("en") : `${Math.min(number, whole).toLocaleString("en")} of ${whole.toLocaleString("en")}`;
    });
    const bound = {upper: "at most ", lower: "at least ", estimate: "about "}[found.bound] || "";
    const who = search.tree.several ? `player ${found.player + 1}` : ["MAX", "MIN"][found.player];
    result.textContent = end
      ? `Worth ${bound}${Number(found.value?.toPrecision(6))} to ${who}` + (found.pv.length ? `; best play: ${found.pv.join(" ")}.` : ".")
      : "";
    picture.here(step ? step.is : -1);
    if (boards) showBoard(step && step.is > 0 ? step.is : 0);
    picture.line(end ? search.line : []);
  }

  describe();
  return {
    element, picture, length: steps.length,
    get at() { return at; },
    get sentence() { return sentence.textContent; },
    /** Show the moment after the n-th step. */
    go(position) {
      position = Math.max(0, Math.min(position, steps.length));
      while (at < position) {
        undo.push(steps[at].rows.map(([row]) => [row, picture.look(row)]));
        for (const [row, ...look] of steps[at].rows) picture.paint(row, look);
        at++;
      }
      while (at > position) {
        for (const [row, look] of undo.pop().reverse()) picture.paint(row, look || START);
        at--;
      }
      describe();
    },
    stop: () => picture.stop(),
  };
}
