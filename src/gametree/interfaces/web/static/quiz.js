// The page Quiz: what is the root worth, and which leaves does alpha-beta skip? The leaves can be clicked or typed.

import {call} from "./api.js";
import {el} from "./dom.js";
import {makePanel} from "./lab_panel.js";
import {makePlayer} from "./lab_player.js";
import {makeTree} from "./tree.js";

const LEVELS = ["9 leaves, 2 levels", "8 leaves, 3 levels", "27 leaves, 3 levels", "16 leaves, 4 levels", "32 leaves, 5 levels", "81 leaves, 4 levels"];
const LEAF = -3;

function stored() {
  try {
    return {right: 0, asked: 0, ...JSON.parse(localStorage.getItem("gametree.quiz") || "{}")};
  } catch {
    return {right: 0, asked: 0};
  }
}

export async function mount(main, route, shell) {
  const digits = key => (/^\d+$/.test(route.query.get(key) || "") ? Number(route.query.get(key)) : null);
  const score = stored();
  let quiz = null, tree = null, player = null;
  let difficulty = Math.min(LEVELS.length, Math.max(1, digits("difficulty") || 1));

  const level = el("select", {onchange: () => { difficulty = Number(level.value); begin(null); }},
    LEVELS.map((words, place) => el("option", {value: String(place + 1), selected: place + 1 === difficulty}, `${place + 1}: ${words}`)));
  const tally = el("p", {class: "tally", role: "status"});
  const number = el("span", {class: "faint"});
  const frame = el("div", {class: "quiz-tree"});
  const cards = el("div", {class: "questions"});
  const explanation = el("div", {class: "explanation"});
  main.append(el("h1", {class: "unseen"}, "Quiz"),
    el("div", {class: "row quiz-head"}, el("label", {}, "Difficulty", level),
      el("button", {type: "button", class: "main", id: "fresh", onclick: () => begin(null)}, "Another tree"), tally, number),
    frame, cards, explanation);

  function showScore() {
    tally.textContent = score.asked ? `${score.right} of ${score.asked} right` : "No answers yet";
  }

  function clear() {
    if (player) player.stop();
    if (tree) tree.stop();
    player = tree = null;
  }

  async function begin(seed) {
    clear();
    explanation.replaceChildren();
    try {
      quiz = await call("/api/quiz/ask", {seed, difficulty});
    } catch (error) {
      shell.tell(error.message);
      return;
    }
    history.replaceState(null, "", `/quiz?seed=${quiz.seed}&difficulty=${quiz.difficulty}`);
    number.textContent = `Quiz ${quiz.seed}`;
    const chosen = new Set();
    const second = card("skipped", "2", quiz.questions.skipped, "B D, or none", false);
    tree = makeTree(quiz.tree, {
      label: "The tree that is asked about", onchoose: row => {
        if (quiz.tree.player[row] !== LEAF || second.done()) return;
        if (!chosen.delete(row)) chosen.add(row);
        tree.mark([...chosen]);
        const names = [...chosen].sort((a, b) => quiz.leaves.indexOf(quiz.tree.label[a]) - quiz.leaves.indexOf(quiz.tree.label[b]));
        second.input.value = names.map(leaf => quiz.tree.label[leaf]).join(" ");
      },
    });
    quiz.tree.parent.forEach((_, row) => tree.paint(row, ["plain", "", "", 0, ""]));
    frame.replaceChildren(tree.element);
    const first = card("value", "1", quiz.questions.value, "a number", true);
    cards.replaceChildren(first.element, second.element);
    showScore();
  }

  /** One question with its answer, hints and verdict. */
  function card(question, place, words, example, numeric) {
    let hints = 0, done = false;
    const input = el("input", {type: "text", autocomplete: "off", spellcheck: "false", placeholder: example, class: "mono",
      inputmode: numeric ? "text" : null, "aria-label": `Answer to question ${place}`});
    const verdict = el("p", {class: "verdict", role: "status"});
    const list = el("ul", {class: "hints"});
    const check = el("button", {class: "main"}, "Check");
    const more = el("button", {type: "button", onclick: async () => {
      try {
        const told = await call("/api/quiz/hint", {seed: quiz.seed, difficulty: quiz.difficulty, question, number: hints++});
        list.append(el("li", {}, told.hint));
        shell.say(told.hint);
        more.disabled = !told.more;
      } catch (error) { shell.tell(error.message); }
    }}, "Hint");
    const show = el("button", {type: "button", hidden: true}, "Show why");
    const element = el("form", {class: "question panel", "data-question": question, onsubmit: async event => {
      event.preventDefault();
      try {
        const told = await call("/api/quiz/check", {seed: quiz.seed, difficulty: quiz.difficulty, question, answer: input.value});
        verdict.textContent = told.message;
        verdict.className = `verdict ${told.correct ? "right" : "wrong"}`;
        verdict.prepend(el("strong", {}, told.correct ? "✓ " : "✗ "));
        if (!done) {  // only the first answer counts
          score.asked++;
          if (told.correct) score.right++;
          try { localStorage.setItem("gametree.quiz", JSON.stringify(score)); } catch { /* it counts until the page is left */ }
          showScore();
        }
        done = true;
        show.hidden = false;
        show.onclick = () => explain(told.position);
      } catch (error) {
        verdict.textContent = error.message;
        verdict.className = "verdict";
      }
    }}, el("h2", {}, `Question ${place}`), el("p", {}, words),
      question === "skipped" ? el("p", {class: "faint"}, "Type their letters, or click the leaves in the tree.") : null,
      el("div", {class: "row"}, input, check, more, show), verdict, list);
    return {element, input, done: () => done};
  }

  async function explain(position) {
    if (player) player.stop();
    try {
      const search = await call("/api/quiz/explain", {seed: quiz.seed, difficulty: quiz.difficulty});
      const panel = makePanel(search, {title: "Alpha-beta on this tree"});
      player = makePlayer([panel], {speak: shell.say, position: position ?? 0});
      explanation.replaceChildren(player.element, panel.element);
      explanation.scrollIntoView({block: "nearest"});
    } catch (error) { shell.tell(error.message); }
  }

  await begin(digits("seed"));
  return clear;
}
