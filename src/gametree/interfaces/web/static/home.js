// The home page: what this is in one glance, three ways in, and every game with a picture of itself.

import {call} from "./api.js";
import {Board, unpacked} from "./board.js";
import {el, svg} from "./dom.js";
import {startTree} from "./hero.js";
import {icon} from "./icons.js";

const KINDS = [["all", "All"], ["board", "Boards"], ["chance", "Dice"], ["hidden", "Hidden hands"]];
const COUNTS = "No One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve".split(" ");
const kept = new Map();  // pictures of games, while the workbench stays open

const art = {
  play: () => svg("svg", {class: "art", viewBox: "0 0 84 84", "aria-hidden": "true"}, svg("rect", {class: "sq-light", x: 6, y: 6, width: 72, height: 72, rx: 10}),
    svg("path", {class: "sq-dark", d: "M6 42h36V6h26a10 10 0 0 1 10 10v26H42v36H16A10 10 0 0 1 6 68z"}), svg("circle", {class: "man-dark", cx: 24, cy: 24, r: 11}),
    svg("circle", {class: "man-light", cx: 60, cy: 60, r: 11}), svg("path", {class: "way", d: "M58 30c-2 10-8 16-16 20M46 42l-6 9 11 2"})),
  lab: () => svg("svg", {class: "art", viewBox: "0 0 84 84", "aria-hidden": "true"}, svg("path", {class: "edge-line", d: "M42 20L20 50M42 20l22 30M20 50L10 72M20 50l10 22"}),
    svg("path", {class: "edge-line dashed", d: "M64 50L54 72M64 50l10 22"}), svg("rect", {class: "of-max", x: 30, y: 8, width: 24, height: 24, rx: 4}), svg("circle", {class: "of-min", cx: 20, cy: 50, r: 11}),
    svg("circle", {class: "at-work", cx: 64, cy: 50, r: 11}), [4, 24, 47, 67].map((x, at) => svg("rect", {class: `ending${at > 1 ? " dashed" : ""}`, x, y: 66, width: 13, height: 13, rx: 4}))),
  build: () => svg("svg", {class: "art", viewBox: "0 0 84 84", "aria-hidden": "true"}, svg("rect", {class: "sheet", x: 6, y: 12, width: 72, height: 60, rx: 8}),
    [["M16 26h18", "one"], ["M38 26h20", "two"], ["M22 38h14M40 38h24", "three"], ["M22 50h28", "four"], ["M16 62h14", "one"]].map(([d, kind]) => svg("path", {class: `line-${kind}`, d}))),
};

export async function mount(main, route, shell) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let left = false, held = calm, over = false, kind = "all", shown = [];
  const stage = el("div", {class: "hero-stage"}), said = el("span", {class: "said"}, "A tree that searches itself.");
  const pause = el("button", {type: "button", class: "quiet", id: "hold", "aria-label": "Pause all movement", onclick: () => {
    held = !held;
    pause.replaceChildren(icon(held ? "play" : "pause"));
    pause.setAttribute("aria-label", held ? "Go on" : "Pause all movement");
    still();
  }}, icon("pause"));
  const key = (shape, text) => el("span", {class: "key"}, svg("svg", {viewBox: "0 0 18 18", "aria-hidden": "true"}, shape), text);
  const title = el("h2", {}, "Games"), gallery = el("ul", {class: "gallery"}, [...Array(8).keys()].map(() => el("li", {}, el("span", {class: "thumb skel"}), el("b", {class: "skel name-skel"}))));
  const choose = el("div", {class: "seg", role: "group", "aria-label": "Which games"}, KINDS.map(([name, text]) =>
    el("button", {type: "button", value: name, "aria-pressed": String(name === kind), onclick: () => {
      kind = name;
      for (const button of choose.children) button.setAttribute("aria-pressed", String(button.value === kind));
      filter();
    }}, text)));
  const door = (name, address, heading, words) => el("a", {class: "panel door", href: address}, art[name](), el("h2", {}, heading, icon("right")), el("p", {}, words));
  const intro = el("p", {}, "Play against a strong program, with every step of its search laid open. Your own game is one Python file away.");
  main.append(
    el("section", {class: "hero"},
      el("div", {}, el("h1", {}, "Write the rules.", el("br"), "Watch it think."), intro,
        el("div", {class: "row"}, el("a", {class: "button main", href: "/play?game=chess"}, icon("play"), "Play chess"), el("a", {class: "button", href: "/lab"}, "How does it think?"))),
      el("div", {class: "panel stage-card"}, stage, el("div", {class: "caption"}, said,
        key(svg("rect", {class: "of-max", x: 2, y: 2, width: 14, height: 14, rx: 2}), "we move"), key(svg("circle", {class: "of-min", cx: 9, cy: 9, r: 7}), "opponent"),
        key(svg("rect", {class: "ending dashed", x: 2, y: 2, width: 14, height: 14, rx: 4}), "skipped"), calm ? null : pause))),
    el("section", {class: "doors", "aria-label": "Three ways in"},
      door("play", "/play", "Play", "A person, a program or both, at every level, with hints and take-back."),
      door("lab", "/lab", "Understand", "A lab for any tree, step by step, and a quiz that asks back."),
      door("build", "/build", "Build", "Rules in forty lines of Python; board, engine and rating come with it.")),
    el("section", {}, el("div", {class: "sec"}, title, choose, el("span", {class: "grow"}), el("a", {class: "button quiet", href: "/build"}, icon("plus"), "Your own game")), gallery));

  const tree = startTree(stage, (words, end) => { said.textContent = words; said.classList.toggle("end", end); }, calm);
  const still = () => tree.hold(held || over);
  for (const part of [stage, gallery]) {
    part.addEventListener("pointerenter", () => { over = true; still(); });
    part.addEventListener("pointerleave", () => { over = false; still(); });
  }

  function fill(games) {
    title.textContent = games.length < COUNTS.length ? `${COUNTS[games.length]} games` : `${games.length} games`;
    shown = games.map(game => {
      const holder = el("span", {class: "live"}), state = el("span", {class: "pill state-pill", hidden: true});
      const item = el("li", {}, el("a", {href: `/play?game=${encodeURIComponent(game.name)}`}, el("span", {class: "thumb"}, holder, state), el("b", {}, game.title), el("small", {}, brief(game.summary))));
      return {game, item, holder, state, views: null, at: 0, board: null};
    });
    filter();
  }

  function filter() {
    const wanted = one => kind === "all" || (kind === "board" ? one.chance === false && !one.hidden : Boolean(one[kind]));
    const found = shown.filter(wanted);
    gallery.replaceChildren(...found.length ? found.map(one => one.item) : [el("li", {class: "empty"}, "No game of this kind is here yet.")]);
  }

  /** One game after the other, the first rows first: pictures must not keep the server from anything else. */
  async function paint() {
    for (const one of shown) {
      if (left) return;
      try {
        if (!kept.has(one.game.name)) kept.set(one.game.name, await call(`/api/home/pictures?game=${encodeURIComponent(one.game.name)}`));
        if (left) return;
        const {views, ...facts} = kept.get(one.game.name);
        Object.assign(one, facts, {views: views.map(unpacked)});
        one.board = new Board(one.holder, {still: true, label: one.game.title});
        one.at = Math.max(0, one.views.length - 3);
        one.board.show(one.views[one.at], {});
      } catch {
        one.holder.replaceChildren(el("span", {class: "thumb-text"}, one.game.title));
      }
    }
  }

  const moving = setInterval(() => {
    if (held || over || document.hidden || calm) return;
    const ready = shown.filter(one => one.board && one.views.length > 1 && one.item.isConnected);
    if (!ready.length) return;
    const one = ready[Math.floor(Math.random() * ready.length)];
    one.at = (one.at + 1) % one.views.length;
    one.board.show(one.views[one.at], {});
  }, 900);

  /** Which games are being prepared, as the frame of the page hears it too. */
  const hear = event => {
    for (const one of shown) {
      const news = event.detail.find(({game}) => game.split(":")[0] === one.game.name);
      one.state.hidden = !news;
      if (news) one.state.textContent = `${Math.max(1, news.seconds)} s`;
    }
  };
  document.addEventListener("compiling", hear);

  call("/api/games").then(games => { if (!left) { fill(games); paint(); } }, error => {
    if (!left) gallery.replaceChildren(el("li", {class: "empty"}, error.message));
  });
  return () => {
    left = true;
    tree.stop();
    clearInterval(moving);
    document.removeEventListener("compiling", hear);
  };
}

/** The first sentence, without its full stop. */
function brief(text) {
  return text.split(/[.;:]( |$)/)[0];
}
