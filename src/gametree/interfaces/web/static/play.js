import {call} from "./api.js";
import {el} from "./dom.js";

export async function mount(main) {
  const games = await call("/api/games");
  main.append(el("h1", {}, "Play"), el("ul", {}, games.map(game => el("li", {}, `${game.title}: ${game.summary}`))));
}
