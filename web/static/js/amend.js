/** "It was the other card": correcting an action of the record. */
import { t } from "./boot.js";
import { h } from "./dom.js";
import { card, cardLabel, cardOf, die } from "./art.js";
import { command } from "./send.js";
import { houseOf } from "./side.js";

let seq = 0;
let action = /** @type {any} */ (null);

/** Opens or closes the correction of an entry. @param {number} wanted @param {() => void} redraw */
export async function amending(wanted, redraw) {
  if (seq === wanted) {
    seq = 0;
    redraw();
    return;
  }
  const answer = await fetch(`/api/v1/entries?after=${wanted - 1}&limit=1`).then((a) => (a.ok ? a.json() : [])).catch(() => []);
  const found = answer.find((/** @type {any} */ e) => e.seq === wanted);
  seq = found && found.action ? wanted : 0;
  action = found ? found.action : null;
  redraw();
}

/** The form below an event that is being corrected. @param {any} view @param {number} of @param {Object<string, string[]>} owned */
export function amendForm(view, of, owned, redraw) {
  if (of !== seq || !action) return null;
  const send = async (/** @type {Object<string, any>} */ change) => {
    const target = seq;
    seq = 0;
    await command({ cmd: "amend", seq: target, action: { ...action, ...change } });
    redraw();
  };
  const cards = action.card ? choices(action, owned) : [];
  return h("div", { class: "confirm", key: "amend" },
    h("p", null, h("b", null, t("op.amend_title"))),
    action.do === "roll" && h("div", { class: "row dice" }, [1, 2, 3, 4, 5, 6].map((face) =>
      h("button", { type: "button", class: "die-button", key: face, disabled: face === action.face, "aria-label": t("act.rolled", { face }), onclick: () => send({ face }) }, die(face, houseOf(view, action.seat))))),
    cards.length > 0 && h("div", { class: "picker small" }, cards.map((id) =>
      h("button", { type: "button", class: "pick", key: id, "aria-label": cardLabel(view, id), onclick: () => send(withSign(id)) }, card(view, id, { extra: { "aria-hidden": "true" } })))),
    action.sign && h("div", { class: "row" }, ["+", "-"].filter((s) => s !== action.sign).map((sign) =>
      h("button", { type: "button", key: sign, onclick: () => send({ sign }) }, t(sign === "+" ? "act.plus" : "act.minus")))),
    action.place && h("div", { class: "row" }, [1, 2, 3, 4, 5, 6].filter((p) => p !== action.place).map((place) =>
      h("button", { type: "button", key: place, onclick: () => send({ place }) }, t("act.place", { place })))),
    !cards.length && action.do !== "roll" && !action.sign && !action.place && h("p", { class: "quiet" }, t("op.amend_nothing")),
    h("button", { type: "button", onclick: () => { seq = 0; redraw(); } }, t("act.cancel")));
}

/** One card of each house and kind that the player owns, the one that was read left out. */
function choices(given, owned) {
  const all = owned[String(given.seat)] || owned["0"] || [];
  const seen = new Set([kindOf(given.card)]);
  return all.filter((id) => !seen.has(kindOf(id)) && seen.add(kindOf(id)));
}

const kindOf = (/** @type {string} */ id) => `${cardOf(id).house}/${cardOf(id).kind}`;

/** An alteration needs a sign, anything else must have none. @param {string} id */
function withSign(id) {
  return cardOf(id).kind === "alteration" ? { card: id, sign: action.sign || "+" } : { card: id, sign: undefined };
}

