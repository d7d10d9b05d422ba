// Signs for buttons, drawn in one line of 24 × 24.

import {svg} from "./dom.js";

const SHAPES = {
  play: ["M7 4.5v15l12-7.5z", true], pause: ["M8 5v14M16 5v14"], next: ["M7 5l8 7-8 7zM18 5v14", true], back: ["M17 5l-8 7 8 7zM6 5v14", true],
  first: ["M19 5l-7 7 7 7M11 5l-7 7 7 7"], last: ["M5 5l7 7-7 7M13 5l7 7-7 7"], hint: ["M9 18h6M10 21h4M8.5 15c-1.5-1.2-2.5-3-2.5-5a6 6 0 0112 0c0 2-1 3.8-2.5 5z"],
  undo: ["M8 5L4 9l4 4M4 9h10a6 6 0 010 12h-3"], flag: ["M6 21V4M6 5h11l-2 4 2 4H6"], flip: ["M7 20V5M7 5L3.5 8.5M7 5l3.5 3.5M17 4v15M17 19l-3.5-3.5M17 19l3.5-3.5"],
  plus: ["M12 5v14M5 12h14"], right: ["M5 12h14M13 6l6 6-6 6"], check: ["M5 12.5l4.5 4.5L19 7"], warn: ["M12 4l9 16H3zM12 10v4M12 17v.1"], code: ["M8 7l-5 5 5 5M16 7l5 5-5 5M14 4l-4 16"],
  copy: ["M8 8h12v12H8zM16 8V4H4v12h4"], x: ["M6 6l12 12M18 6L6 18"], stop: ["M7 7h10v10H7z", true], again: ["M20 11a8 8 0 10-2.3 6M20 5v6h-6"],
};

export function icon(name) {
  const [shape, filled] = SHAPES[name];
  return svg("svg", {class: filled ? "ic filled" : "ic", viewBox: "0 0 24 24", "aria-hidden": "true"}, svg("path", {d: shape}));
}
