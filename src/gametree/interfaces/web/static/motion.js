// Movement from the difference of two drawings: what stayed, turned over, moved, came or went. It knows no rules.

import {SIZE} from "./paint.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const alike = (a, b) => a.item.kind === b.item.kind && a.item.player === b.item.player && a.item.text === b.item.text;
const away = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

/** Animate what lies on a board now, `after`, where `before` lay. `origin` is the place from which waves go out. */
export function animate(before, after, layer, {enter = "appear", top = 0, origin = null} = {}) {
  if (calm.matches || !before.length || document.hidden) return;
  const left = new Set(before), fresh = [];
  for (const now of after) {
    const same = before.find(old => left.has(old) && old.place === now.place && alike(old, now) && old.item.face_up === now.item.face_up && away(old, now) < 1);
    if (same) left.delete(same);
    else fresh.push(now);
  }
  if (fresh.length > 40) return;  // another position, not a move
  for (const now of fresh) {
    const turned = [...left].find(old => old.place === now.place && old.item.kind === now.item.kind && away(old, now) < 1);
    const from = turned ? null : [...left].filter(old => alike(old, now)).sort((a, b) => away(a, now) - away(b, now))[0];
    if (turned) {
      left.delete(turned);
      flip(turned, now, origin ? .4 * Math.hypot(now.x - origin[0], now.y - origin[1]) : 0);
    } else if (from) {
      left.delete(from);
      now.node.animate([{transform: `translate(${(from.x - now.x) / now.size}px,${(from.y - now.y) / now.size}px)`}, {transform: "none"}],
        {duration: 240, easing: "cubic-bezier(.2,.7,.2,1)"});
    } else if (enter === "drop") fall(now, top);
    else now.node.animate([{transform: "scale(1.3)", opacity: 0}, {transform: "none", opacity: 1}], {duration: 180, easing: "ease-out"});
  }
  if (left.size > 40) return;
  for (const old of left) {
    fading(old);
    layer.prepend(old.holder);
    old.node.animate([{opacity: 1}, {opacity: 0}], {duration: 220, fill: "forwards"}).finished.then(() => old.holder.remove(), () => old.holder.remove());
  }
}

/** What is still seen although it is no longer there is no piece. */
function fading({node, item}) {
  node.classList.remove("piece", "stone", item.kind);
  delete node.dataset.kind;
}

/** The other side up: narrow to an edge, change, widen. */
function flip(old, now, wait) {
  wait = Math.min(wait, 400);
  fading(old);
  now.holder.append(old.node);
  old.node.animate([{transform: "scaleX(1)"}, {transform: "scaleX(0)"}], {duration: 150, delay: wait, fill: "both", easing: "ease-in"})
    .finished.then(() => old.node.remove(), () => old.node.remove());
  now.node.animate([{transform: "scaleX(0)"}, {transform: "scaleX(1)"}], {duration: 150, delay: 150 + wait, fill: "backwards", easing: "ease-out"});
}

function fall(now, top) {
  const far = (now.y - top) / now.size + SIZE * .6;
  now.node.animate([{transform: `translateY(${-far}px)`, easing: "cubic-bezier(.5,0,.9,.6)"}, {transform: "none", offset: .72, easing: "ease-out"},
    {transform: `translateY(${-far * .06}px)`, offset: .84, easing: "ease-in"}, {transform: "none"}], {duration: 240 + far * .45});
}
