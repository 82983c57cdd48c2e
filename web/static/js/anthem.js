/** Anthem's table: a layout of eight places for every player. */
import { t } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { card, cardLabel, crest, houseClass, icon } from "./art.js";
import { calls, cardGrounds, crownCard, events, findings, houseOf, howWasIt, joinCard, nameOf, names, notices, questions } from "./side.js";

/** @param {HTMLElement} root @param {any} view @param {any} previous */
export function drawAnthem(root, view, previous) {
  const game = view.game;
  const whole = previous !== null || view.replay; // the rows are seen first, what stands beside them a frame later
  patch(root,
    !view.replay && h("h1", { class: "unseen" }, t("table.title")),
    h("div", { class: "play-column" },
      calls(view), questions(view, false), findings(view),
      game.phase === "over" && victory(view),
      h("div", { class: "layouts" }, (game.seats || []).map((/** @type {any} */ s) => layout(view, s)))),
    whole && h("aside", { class: "side", "aria-label": t("table.side") }, turnCard(view), inHands(view), crownCard(view), notices(view), joinCard()),
    whole && events(view));
}

/** One player's row from Start to End. @param {any} view @param {any} s */
export function layout(view, s) {
  const game = view.game;
  const turn = game.to_move === s.seat;
  const fresh = game.laid && game.laid.seat === s.seat ? game.laid.place : null;
  return h("article", { class: cls("layout card", houseClass(houseOf(view, s.seat)), turn && "turn", s.complete && "complete"), key: `l${s.seat}`, "aria-label": nameOf(view, s.seat) },
    h("header", null, crest(houseOf(view, s.seat), "crest"), h("h2", null, nameOf(view, s.seat)),
      turn && h("span", { class: "badge now" }, t("anthem.turn")),
      s.complete && h("span", { class: "badge" }, icon("check"), t("anthem.complete")),
      s.stuck && h("span", { class: "badge warn" }, icon("warning"), t("anthem.stuck")),
      h("span", { class: "hand-size" }, icon("hand"), t("scores.hand", { n: s.hand }))),
    h("ol", { class: "places" }, (s.layout || []).map((/** @type {string|null} */ id, /** @type {number} */ i) =>
      h("li", { key: `p${i}`, class: cls("place", !id && "free", fresh === i && "fresh") },
        h("span", { class: "unseen" }, id ? cardLabel(view, id) : t("anthem.free", { place: i })),
        id ? h("div", { "data-flip": `a${id}`, "data-from": "top" }, card(view, id, { extra: { "aria-hidden": "true" } })) : h("span", { "aria-hidden": "true" }, String(i))))),
    cardGrounds(view, (s.layout || []).filter(Boolean)));
}

function turnCard(view) {
  const game = view.game;
  if (!game.to_move) return null;
  return h("section", { class: cls("card turn-card", houseClass(houseOf(view, game.to_move))) },
    crest(houseOf(view, game.to_move), "crest great"),
    h("div", null, h("h2", null, t("anthem.to_move", { name: nameOf(view, game.to_move) })),
      game.draws_from && h("p", null, t("anthem.draws", { name: nameOf(view, game.draws_from) })),
      h("p", { class: "quiet" }, t("anthem.then"))));
}

function inHands(view) {
  const counts = Object.entries(view.game.in_hands || {});
  if (!counts.length) return null;
  return h("section", { class: "card in-hands" },
    h("h2", null, t("anthem.in_hands")),
    h("ul", { class: "row" }, counts.map(([kind, n]) => h("li", { key: kind, class: cls("tally", n === 0 && "none") },
      h("b", null, kind === "dead" ? icon("dead") : kind), h("span", null, `× ${n}`), kind === "dead" && h("span", { class: "unseen" }, t("kind.dead"))))),
    h("p", { class: "quiet" }, t("anthem.in_hands_what")));
}

function victory(view) {
  const winners = view.game.winners || [];
  const dragon = view.game.dragon;
  return h("section", { class: cls("stage victory", winners[0] && houseClass(houseOf(view, winners[0]))), key: "victory" },
    h("div", { class: "laurel" }, winners.map((/** @type {number} */ w) => crest(houseOf(view, w), "crest throne"))),
    h("h2", { class: "stage-title" }, t(winners.length > 1 ? "victory.many" : "victory.one", { names: names(view, winners) })),
    h("p", null, t(dragon ? "anthem.dragon_won" : "anthem.hero_won")),
    howWasIt(view));
}
