// Elements in one line. Text always goes in as text, so that nothing a game says can become markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "value" && !made.namespaceURI.endsWith("svg")) made.value = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return made;
}

/** An HTML element: el("button", {class: "main", onclick: go}, "Start"). */
export function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for SVG. */
export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** The plies of a game in rounds, as score sheets number them: a round ends when the turn does not go on to a later seat. */
export function rounds(movers) {
  const found = [];
  let last = 0;
  movers.forEach((mover, ply) => {
    if (!found.length || mover < 0 || mover <= last) found.push([]);
    found[found.length - 1].push(ply);
    last = mover < 0 ? Infinity : mover;
  });
  return found;
}

/** A dialog that asks for one of several choices, at the box `near` if there is one; resolves to the value of the choice,
 *  or null if the person changes their mind. A choice may have a `picture`. */
export function ask(question, choices, near = null) {
  return new Promise(resolve => {
    const buttons = choices.map(({text, value, picture}) => el("button", {type: "button", class: picture ? "pictured" : "", onclick: () => end(value)}, picture, text));
    const cancel = el("button", {type: "button", class: "quiet", onclick: () => end(null)}, "Cancel");
    const box = el("dialog", {"aria-label": question, class: near ? "choice" : ""}, near ? null : el("p", {}, question), el("div", {class: "row"}, buttons, cancel));
    let open = true;
    function end(value) {
      if (!open) return;
      open = false;
      box.close();
      box.remove();
      resolve(value);
    }
    box.addEventListener("close", () => end(null));
    box.addEventListener("click", event => { if (event.target === box) end(null); });
    document.body.append(box);
    box.showModal();
    if (near) {  // beside the square, and wholly on the screen
      const {width, height} = box.getBoundingClientRect();
      box.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, near.left + near.width / 2 - width / 2))}px`;
      box.style.top = `${Math.max(8, Math.min(innerHeight - height - 8, near.bottom + 6))}px`;
    }
  });
}
