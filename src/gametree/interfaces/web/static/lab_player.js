// Play, pause, step and slide through one or several searches at once. Each shows its n-th step; one that has ended
// earlier waits at its end.

import {el, svg} from "./dom.js";

const SPEEDS = [["slow", 1600], ["normal", 800], ["fast", 300], ["very fast", 60]];

// Drawn, because many fonts lack these signs.
const SIGNS = {
  first: "M4 3h2v10H4zM14 3v10L7 8z", back: "M12 3v10L5 8z", play: "M5 2.5v11L13.5 8z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M4 3v10l7-5z", last: "M2 3v10l7-5zM10 3h2v10h-2z",
};
const sign = name => svg("svg", {viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", class: "sign-icon"}, svg("path", {d: SIGNS[name]}));

/** Controls for the panels. `onstep(position)` is called after every change; `speak(text)` tells a screen reader. */
export function makePlayer(panels, {onstep, speak, position = 0} = {}) {
  const most = Math.max(...panels.map(panel => panel.length));
  let at = 0, timer = 0;

  const button = (name, icon, action) =>
    el("button", {type: "button", "aria-label": name, title: name, onclick: action}, sign(icon));
  const playButton = button("Play", "play", () => (timer ? pause() : play()));
  playButton.classList.add("main");
  const slider = el("input", {
    type: "range", min: "0", max: String(most), step: "1", "aria-label": "Step of the search",
    oninput: () => { pause(); go(Number(slider.value)); },
  });
  const number = el("output", {class: "step-number"});
  const speed = el("select", {"aria-label": "Speed", onchange: () => { if (timer) { pause(); play(); } }},
    SPEEDS.map(([name, wait]) => el("option", {value: String(wait)}, name)));
  speed.value = "800";
  const element = el("div", {class: "player panel", role: "group", "aria-label": "Player"},
    button("To the start", "first", () => { pause(); go(0); }),
    button("One step back", "back", () => { pause(); go(at - 1); }),
    playButton,
    button("One step forward", "next", () => { pause(); go(at + 1); }),
    button("To the end", "last", () => { pause(); go(most); }),
    slider, number, speed);

  function go(position, quiet) {
    at = Math.max(0, Math.min(position, most));
    panels.forEach(panel => panel.go(at));
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `step ${at} of ${most}`);
    number.textContent = `${at} / ${most}`;
    if (speak && !quiet && !timer) speak(panels.map(panel => panel.sentence).join(" "));
    if (onstep) onstep(at);
  }

  function tick() {
    if (at >= most) pause();
    else {
      go(at + 1);
      timer = setTimeout(tick, Number(speed.value));
    }
  }

  function play() {
    if (at >= most) go(0, true);
    timer = setTimeout(tick, 30);
    playButton.replaceChildren(sign("pause"));
    playButton.setAttribute("aria-label", "Pause");
  }

  function pause() {
    clearTimeout(timer);
    timer = 0;
    playButton.replaceChildren(sign("play"));
    playButton.setAttribute("aria-label", "Play");
  }

  function key(event) {
    const target = event.target;
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (target.closest("input, select, textarea, dialog")) return;
    if (event.key === " ") {
      if (target.closest("button, a, summary")) return;
      if (timer) pause();
      else play();
    } else if (event.key === "ArrowRight" && !target.closest("pre")) { pause(); go(at + 1); }
    else if (event.key === "ArrowLeft" && !target.closest("pre")) { pause(); go(at - 1); }
    else return;
    event.preventDefault();
  }
  document.addEventListener("keydown", key);
  go(position, true);
  return {
    element, go, pause,
    get at() { return at; },
    most,
    stop() {
      pause();
      document.removeEventListener("keydown", key);
      panels.forEach(panel => panel.stop());
    },
  };
}
