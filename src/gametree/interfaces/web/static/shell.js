// The frame around the pages: which page is shown under which address, theme, words for screen readers, and a bar while
// games are compiled in the background.

import {call} from "/static/api.js";

const main = document.getElementById("main");
const live = document.getElementById("live");
const notice = document.getElementById("notice");
const links = [...document.querySelectorAll("nav a")];
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
  const link = links.find(known => known.dataset.page === name) || links[0];
  for (const known of links) {
    if (known === link) known.setAttribute("aria-current", "page");
    else known.removeAttribute("aria-current");
  }
  document.title = `${link.textContent} – gametree`;
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
    main.replaceChildren();
    shell.tell(error.message);
  }
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
  strip.hidden = !games.length;
  if (games.length) {
    const words = games.map(game => game.text).join("; ");
    strip.firstElementChild.textContent = words[0].toUpperCase() + words.slice(1);
    strip.lastElementChild.value = games.reduce((sum, game) => sum + game.share, 0) / games.length;
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
