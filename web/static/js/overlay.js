/** The stream overlay: transparent, without a word to the viewer but the game, on wish some seconds late. */
import { boot } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { crest, houseClass, icon } from "./art.js";
import { arena, count, outcome } from "./arena.js";
import { layout } from "./anthem.js";
import { houseOf, nameOf } from "./side.js";

/** Views that wait until they may be shown: [when, view]. */
const waiting = /** @type {[number, any][]} */ ([]);
let shown = /** @type {any} */ (null);

/** @param {HTMLElement} root @param {any} view @param {any} _previous @param {() => void} redraw */
export function draw(root, view, _previous, redraw) {
  root.className = "overlay";
  const delay = boot.extra.delay * 1000;
  const now = Date.now();
  if (view !== shown && !waiting.some(([, one]) => one === view)) {
    waiting.push([now + (shown === null ? 0 : delay), view]);
    if (delay) setTimeout(redraw, delay + 20);
  }
  while (waiting.length && waiting[0][0] <= now) shown = /** @type {[number, any]} */ (waiting.shift())[1];
  if (shown) paint(root, shown);
}

/** The duels and the count of a view, and nothing else. @param {Element} root @param {any} view */
export function paint(root, view) {
  const game = view.match ? view.game : null;
  if (!game) {
    patch(root);
    return;
  }
  const duels = game.duels || [];
  patch(root,
    game.game === "anthem"
      ? h("div", { class: "arenas" }, game.seats.map((/** @type {any} */ s) => layout(view, s)))
      : h("div", { class: "arenas" }, duels.map((/** @type {any} */ d) => arena(view, d)), !duels.length && game.last_duel && outcome(view, game.last_duel, game.last_duel_steps)),
    game.game === "althera" && h("ul", { class: "tally-bar" }, game.seats.map((/** @type {any} */ s) =>
      h("li", { key: s.seat, class: cls(houseClass(houseOf(view, s.seat))) }, crest(houseOf(view, s.seat)), nameOf(view, s.seat), game.crown === s.seat && icon("crown"), h("b", null, String(s.cards))))));
  count(root);
}
