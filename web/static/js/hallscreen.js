/** The big screen: the best running duels of the hall, one after another. */
import { t } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { card, cardLabel, crest, houseClass } from "./art.js";

/** Seconds for which a duel stays. */
const STAY = 12;
let at = 0;
let since = 0;
let held = false;
let showing = "";

/** @param {HTMLElement} root @param {any} view @param {number} _age @param {() => void} redraw */
export function drawScreen(root, view, _age, redraw) {
  const duels = view.duels;
  const now = performance.now() / 1000;
  // The one on the screen stays there although others have become better meanwhile.
  const stayed = duels.findIndex((/** @type {any} */ d) => keyOf(d) === showing);
  if (stayed >= 0) at = stayed;
  if (duels.length && (stayed < 0 || (!held && now - since >= STAY))) {
    at = stayed < 0 ? at % duels.length : (at + 1) % duels.length;
    since = now;
  }
  const duel = duels[at];
  showing = duel ? keyOf(duel) : "";
  const step = () => {
    if (!duels.length) return;
    showing = keyOf(duels[(at + 1) % duels.length]);
    since = performance.now() / 1000;
    redraw();
  };
  patch(root, h("div", { class: "hall-screen" },
    h("h1", { class: "unseen" }, t("hall.duels")),
    duel
      ? [arena(duel), h("footer", { key: "foot" },
          h("span", { class: "dots", "aria-hidden": "true" }, duels.map((/** @type {any} */ d, /** @type {number} */ i) => h("i", { class: cls(i === at && "now"), key: keyOf(d) }))),
          h("span", null, t("hall.duel_count", { n: at + 1, of: duels.length })),
          h("button", { type: "button", "aria-pressed": held ? "true" : "false", onclick: () => { held = !held; since = performance.now() / 1000; redraw(); } }, t(held ? "hall.go_on" : "hall.hold")),
          h("button", { type: "button", onclick: step }, t("hall.next")))]
      : h("div", { class: "empty big", key: "none" }, h("p", null, t("hall.duel_none")), h("p", null, t("hall.duel_none_what")))));
}

const keyOf = (duel) => `${duel.table} ${duel.sides[0].seat} ${duel.sides[1].seat}`;

function arena(duel) {
  const [left, right] = duel.sides;
  const owner = duel.sides.find((/** @type {any} */ s) => s.seat === duel.owner);
  const next = duel.sides.find((/** @type {any} */ s) => s.seat === duel.to_play);
  const last = duel.steps[duel.steps.length - 1];
  return h("article", { class: "big-duel", key: keyOf(duel), "data-duel": keyOf(duel) },
    h("h2", null, t("hall.duel_at", { table: duel.label || duel.table, turn: duel.turn, turns: duel.turns })),
    h("div", { class: "big-arena" },
      side(left, duel),
      h("div", { class: cls("big-field", owner && houseClass(owner.house)) },
        h("b", { class: "big-value" }, String(duel.value)),
        owner && h("span", null, t("hall.duel_owner", { name: owner.name })),
        last && last.sum && h("span", { class: "sum" }, last.sum)),
      side(right, duel)),
    h("ol", { class: "big-cards" }, duel.steps.map((/** @type {any} */ one) =>
      h("li", { key: one.card }, h("span", { class: "unseen" }, cardLabel({}, one.card)), card({}, one.card, { extra: { "aria-hidden": "true" } })))),
    h("p", { class: "quiet next" }, next && t("hall.duel_next", { name: next.name })));
}

function side(seat, duel) {
  return h("div", { class: cls("big-side", houseClass(seat.house), seat.seat === duel.owner && "owns") },
    crest(seat.house, "crest great"), h("h3", null, seat.name));
}
