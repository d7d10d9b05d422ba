// The frame around the pages: which page is shown under which address, theme, words for screen readers, and a bar while
// games are compiled in the background.

import {call} from "/static/api.js";

const main = document.getElementById("main");
const live = document.getElementById("live");
const notice = document.getElementById("notice");
const links = [...document.querySelectorAll("nav a")];
const HOME = {dataset: {page: "home"}, textContent: "", title: "A program that plays, and shows how it thinks."};
let leave = null, turn = 0, noticeTimer = 0;

export const shell = {
  /** Say something to screen readers. */
  say(text) {
    live.textContent = text;
  },
  /** Show a sentence to everyone for a while: mistakes, mostly. */
  tell(text) {
    notice.textContent = text;
    clearTimeout(noticeTimer);
    noticeTimer = setTimeout(() => { notice.textContent = ""; }, 6000);
  },
  /** Go to another address of the workbench. `replace` leaves no trace in the history. */
  go(address, {replace = false} = {}) {
    history[replace ? "replaceState" : "pushState"](null, "", address);
    return show();
  },
  /** What the line under the navigation says. */
  hint(text) {
    document.getElementById("hint").textContent = text;
  },
};

async function show() {
  const mine = ++turn;
  const [name, ...path] = location.pathname.split("/").filter(Boolean).map(decodeURIComponent);
  const link = name ? links.find(known => known.dataset.page === name) || links[0] : HOME;
  for (const known of links) {
    if (known.dataset.page === link.dataset.page) known.setAttribute("aria-current", "page");
    else known.removeAttribute("aria-current");
  }
  document.title = name ? `${link.textContent} – gametree` : "gametree";
  document.body.dataset.page = link.dataset.page;
  shell.hint(link.title);
  try {
    const page = await import(`/static/${link.dataset.page}.js`);
    if (mine !== turn) return;
    if (leave) leave();
    leave = null;
    main.replaceChildren();
    const done = await page.mount(main, {path, query: new URLSearchParams(location.search)}, shell);
    if (mine === turn) leave = done || null;
    else if (done) done();
  } catch (error) {
    if (mine !== turn) return;
    main.replaceChildren(failure(error.message));
    shell.tell(error.message);
  }
}

/** What stands where a page could not be shown. */
function failure(message) {
  const box = document.createElement("div"), words = document.createElement("p"), again = document.createElement("button");
  box.className = "empty";
  words.textContent = message;
  again.textContent = "Try again";
  again.addEventListener("click", show);
  box.append(words, again);
  return box;
}

document.addEventListener("click", event => {
  const link = event.target.closest("a[href^='/']");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (link.hasAttribute("download") || link.target) return;
  event.preventDefault();
  shell.go(link.getAttribute("href")).then(() => main.focus());
});

/** Show how far the games are that are being compiled, every second while there are any. */
async function watchCompiling() {
  const strip = document.getElementById("compiling");
  let games = [];
  try {
    if (!document.hidden) games = await call("/api/compiling");
  } catch { /* the page itself tells that the server is gone */ }
  document.dispatchEvent(new CustomEvent("compiling", {detail: games}));
  strip.hidden = !games.length;
  if (games.length) {
    const share = games.reduce((sum, game) => sum + game.share, 0) / games.length, seconds = Math.max(...games.map(game => game.seconds), 1);
    strip.querySelector(".words").textContent = `Preparing ${games.map(game => game.game).join(", ")}: ${seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`} left`;
    strip.title = "This is done once. Until then a lighter opponent plays.";
    strip.querySelector("progress").value = share;
    strip.querySelector(".ring").style.setProperty("--p", share);
  }
  setTimeout(watchCompiling, games.length ? 1000 : 3000);
}

addEventListener("popstate", show);
document.getElementById("theme").addEventListener("click", () => {
  const now = document.documentElement.dataset.theme
    || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem("gametree.theme", next);
  } catch { /* then it holds until the page is loaded again */ }
});
show();
setTimeout(watchCompiling, 1000);
