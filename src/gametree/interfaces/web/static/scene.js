// A scene as it comes from the server (core/scene.py), with what was left out of it, and how far it reaches.

import {ITEM, PLACE} from "./paint.js";

const TRACK = {more: 0, player: null, x: 0, y: 0, width: 6};
const PARTS = ["places", "items", "racks", "tracks", "labels", "lines", "regions", "marks", "seats", "left", "below"];

/** A line of a seat is drawn as a broad band. */
export function isBand(line) {
  return (line.player ?? null) !== null && !line.tone;
}

/** The scene as the board draws it: `cells` of the grid, `racked` the first slot of a rack, `box` where it lies, in cells. */
export function unfold(data) {
  const scene = {rows: 0, columns: 0, surface: "", text: "", caption: "", alt: "", enter: "appear", ...data};
  for (const part of PARTS) scene[part] = data[part] || [];
  const hole = scene.surface === "blue";
  scene.places = scene.places.map(place => ({...PLACE, ...place, ...hole && (place.shape || "square") === "square" ? {shape: "round"} : {}}));
  scene.items = scene.items.map(item => ({...ITEM, ...item}));
  scene.tracks = scene.tracks.map(track => ({...TRACK, ...track}));
  scene.cells = scene.rows * scene.columns;
  scene.racked = scene.racks.length ? scene.racks[0].first : scene.places.length;
  // A grid and nothing else has a frame of its own and is read out as a grid.
  scene.only = scene.cells > 0 && scene.cells === scene.places.length && !scene.tracks.length && !scene.labels.length && !scene.regions.length;
  // Light and dark squares by turns, whoever made them.
  scene.chequers = scene.cells > 0 && scene.places.slice(0, scene.cells).every(place => place.shape === "square" && ["light", "dark", "fog"].includes(place.tone));
  scene.framed = scene.only && (scene.chequers || ["green", "blue"].includes(scene.surface));
  scene.picture = scene.places.length + scene.racks.length + scene.tracks.length + scene.regions.length > 0;
  scene.box = reach(scene);
  return scene;
}

function reach(scene) {
  const box = {left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity};
  const grow = (x, y, half, tall) => {
    box.left = Math.min(box.left, x - half);
    box.right = Math.max(box.right, x + half);
    box.top = Math.min(box.top, y - tall);
    box.bottom = Math.max(box.bottom, y + tall);
  };
  for (const place of scene.places) {
    if (place.shape !== "none") grow(place.x, place.y, place.width / 2, place.shape === "hex" ? place.width / Math.sqrt(3) : place.height / 2);
  }
  for (const {points} of scene.regions) for (const [x, y] of points) grow(x, y, 0, 0);
  for (const rack of scene.racks) grow(rack.x, rack.y - .2, rack.width / 2, rack.height / 2 + .25);
  for (const track of scene.tracks) grow(track.x + track.width / 2, track.y - .05, track.width / 2, .45);
  for (const label of scene.labels) {
    const wide = label.text.length * (label.size || .28) * .3, align = {start: 1, end: -1}[label.align] || 0;
    grow(label.x + align * wide, label.y, wide, (label.size || .28) * .6);
  }
  for (const line of scene.lines) for (const [x, y] of line.points) grow(x, y, 0, 0);
  return box;
}

/** A view as the page uses it: the board that was sent once joined with what changes, every move with its `path`. */
export function unpack(view, boards) {
  let {drawing, moves} = view;
  if (drawing.board) {
    if (drawing.board.still) boards.set(drawing.board.key, drawing.board.still);
    const still = boards.get(drawing.board.key);
    if (!still) throw new Error("The board is not known; load the page again.");
    drawing = {...still, ...drawing, key: drawing.board.key, board: null, places: [...still.places, ...drawing.slots], items: drawing.items.flatMap(({at, ...look}) => at.map(place => ({...look, place})))};
  }
  if (!Array.isArray(moves)) {
    const {clicks = [], paths = [], amounts = [], plain = []} = moves;
    moves = [
      ...clicks.map(cell => ({text: drawing.places[cell].name, path: [[cell]], mark: cell})),
      ...paths.map(([text, path, mark, picture]) => ({text, path: path.map(step => Array.isArray(step) ? step : [step]), mark, picture})),
      ...amounts.flatMap(([before, after, least, count, step]) => [...Array(count).keys()].map(at => ({text: `${before}${least + at * step}${after}`, path: []}))),
      ...plain.map(text => ({text, path: []})),
    ];
  }
  return {...view, drawing, moves: moves.map(move => {
    const path = move.path || (move.from === null || move.from === undefined ? (move.to.length ? [move.to] : []) : [[move.from], move.to]);
    return {...move, path, mark: move.mark ?? (path.length ? path[path.length - 1][0] : null)};
  })};
}
