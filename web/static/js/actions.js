/**
 * Entering an action by hand: what a seat can do now as buttons, and for the rest the reason.
 * Serves the seat's own page and, for any seat, the operator's.
 */
import { boot, maybe, t } from "./boot.js";
import { cls, h } from "./dom.js";
import { card, cardLabel, cardOf, die, houseClass, icon, isSpecial, kindName } from "./art.js";
import { houseOf, nameOf, ruleLink, who } from "./side.js";

/** What has been chosen so far; one form a page. */
export const chosen = { card: "", sign: "", for: 0, place: 0, force: false, shown: /** @type {string[]} */ ([]), claim: "" };

export function clear() {
  Object.assign(chosen, { card: "", sign: "", for: 0, place: 0, shown: [], claim: "" });
}

/** The cards a page may offer. @returns {Promise<Object<string, string[]>>} */
export async function fetchOwned() {
  try {
    const answer = await fetch(`/api/v1/cards?audience=${boot.audience}`);
    return answer.ok ? await answer.json() : {};
  } catch {
    return {};
  }
}

/**
 * @typedef {{view: any, options: any[], seat: number, owned: string[], operator: boolean,
 *            send: (action: Object<string, any>) => void, redraw: () => void}} Form
 */

const of = (/** @type {Form} */ form, /** @type {string} */ name) => form.options.filter((o) => o.action.do === name);
const usable = (/** @type {Form} */ form, /** @type {any} */ option) => option.legal || (form.operator && chosen.force);

/** The whole form. @param {Form} form */
export function actionForm(form) {
  const parts = form.view.game.game === "anthem"
    ? [anthemLay(form), simple(form, "keep", "hand"), claims(form)]
    : [rolls(form), declares(form), plays(form), interventions(form),
       h("div", { class: "row", key: "simple" }, simple(form, "stand", "check"), simple(form, "retreat", "flag"), simple(form, "redraw", "deck"))];
  const shown = parts.filter(Boolean);
  return h("div", { class: "action-form" },
    form.operator && h("label", { class: "check" },
      h("input", { type: "checkbox", checked: chosen.force, onchange: (/** @type {Event} */ e) => { chosen.force = /** @type {HTMLInputElement} */ (e.target).checked; form.redraw(); } }),
      h("span", null, t("act.force"))),
    shown.length && form.options.some((o) => usable(form, o)) ? shown : h("p", { class: "quiet" }, t("seat.nothing")),
    whyNot(form));
}

function give(form, action) {
  form.send(form.operator && chosen.force ? { ...action, force: true } : action);
  clear();
  form.redraw();
}

function simple(form, name, sign) {
  const option = of(form, name).find((o) => usable(form, o));
  return option ? h("button", { type: "button", key: name, onclick: () => give(form, option.action) }, icon(sign), t(`act.${name}`)) : null;
}

function rolls(form) {
  const option = of(form, "roll").find((o) => usable(form, o));
  if (!option) return null;
  return h("fieldset", { key: "roll" }, h("legend", null, t("act.roll")),
    h("div", { class: "row dice" }, [1, 2, 3, 4, 5, 6].map((face) =>
      h("button", { type: "button", class: "die-button", "aria-label": t("act.rolled", { face }), onclick: () => give(form, { do: "roll", seat: form.seat, face }) }, die(face, houseOf(form.view, form.seat))))));
}

function declares(form) {
  const list = of(form, "declare").filter((o) => usable(form, o));
  if (!list.length) return null;
  return h("fieldset", { key: "declare" }, h("legend", null, t("act.declare")),
    h("div", { class: "row" }, list.map((o) =>
      h("button", { type: "button", key: `d${o.action.against}`, onclick: () => give(form, o.action) }, icon("swords"), who(form.view, o.action.against)))));
}

/** Cards of one house and kind are the same to people: one button for them, the first copy is meant. */
function stacks(form, kinds) {
  const lying = new Set((form.view.game.duels || []).flatMap((/** @type {any} */ d) => d.plays));
  const found = new Map();
  for (const id of form.owned) {
    const { house, kind } = cardOf(id);
    if (lying.has(id) || !kinds(kind)) continue;
    const known = found.get(`${house}/${kind}`);
    if (known) known.count += 1;
    else found.set(`${house}/${kind}`, { id, house, kind, count: 1 });
  }
  const own = houseOf(form.view, form.seat);
  const order = ["commoners", "vanguard", "marksman", "cavalry", "guardian", "captain", "champion", "shield", "overtake", "alteration", "oracle", "1", "2", "3", "4", "5", "6", "7", "8", "dead"];
  return [...found.values()].sort((a, b) =>
    Number(b.house === own) - Number(a.house === own) || a.house.localeCompare(b.house) || order.indexOf(a.kind) - order.indexOf(b.kind));
}

function picker(form, kinds, key) {
  const list = stacks(form, kinds);
  return h("div", { class: "picker", key }, list.map((stack) =>
    h("button", { type: "button", key: stack.id, class: cls("pick", houseClass(stack.house)), "aria-pressed": String(chosen.card === stack.id),
      "aria-label": cardLabel(form.view, stack.id),
      onclick: () => { chosen.card = chosen.card === stack.id ? "" : stack.id; chosen.sign = ""; chosen.place = 0; form.redraw(); } },
    card(form.view, stack.id, { extra: { "aria-hidden": "true" } }), stack.count > 1 && h("span", { class: "many", "aria-hidden": "true" }, `×${stack.count}`))));
}

function signs(form, action) {
  return h("div", { class: "row" }, [["+", t("act.plus")], ["-", t("act.minus")]].map(([sign, label]) =>
    h("button", { type: "button", class: "primary", key: sign, onclick: () => give(form, { ...action, sign }) }, label)));
}

function confirm(form, action, label) {
  const { kind } = cardOf(chosen.card);
  return h("div", { class: "confirm", key: "confirm" },
    h("p", null, label),
    kind === "alteration" ? signs(form, action) : h("div", { class: "row" },
      h("button", { type: "button", class: "primary", onclick: () => give(form, action) }, icon("check"), t("act.enter")),
      h("button", { type: "button", onclick: () => { clear(); form.redraw(); } }, t("act.cancel"))));
}

const matches = (/** @type {any} */ option, /** @type {string} */ kind) => option.action.kind === kind || (option.action.kind === "score" && !isSpecial(kind));

function plays(form) {
  const list = of(form, "play").filter((o) => usable(form, o));
  if (!list.length) return null;
  const action = { do: "play", seat: form.seat, card: chosen.card };
  const fits = chosen.card && chosen.for === 0 && list.some((o) => matches(o, cardOf(chosen.card).kind));
  return h("fieldset", { key: "play" }, h("legend", null, t(form.operator ? "act.play_operator" : "seat.play_card")),
    picker(form, (/** @type {string} */ kind) => list.some((o) => matches(o, kind)), "cards"),
    fits && confirm(form, action, t("act.plays", { name: nameOf(form.view, form.seat), card: cardLabel(form.view, chosen.card) })));
}

function interventions(form) {
  const list = of(form, "intervene").filter((o) => usable(form, o));
  if (!list.length) return null;
  const sides = [...new Set(list.map((o) => o.action.for))];
  const fits = chosen.card && chosen.for && list.some((o) => o.action.for === chosen.for && o.action.kind === cardOf(chosen.card).kind);
  return h("fieldset", { key: "intervene" }, h("legend", null, t("act.intervene")),
    h("div", { class: "row" }, sides.map((side) =>
      h("button", { type: "button", key: `i${side}`, "aria-pressed": String(chosen.for === side), onclick: () => { chosen.for = chosen.for === side ? 0 : side; chosen.card = ""; form.redraw(); } }, who(form.view, side)))),
    chosen.for > 0 && picker(form, (/** @type {string} */ kind) => list.some((o) => o.action.for === chosen.for && o.action.kind === kind), "specials"),
    fits && confirm(form, { do: "intervene", seat: form.seat, for: chosen.for, card: chosen.card },
      t("act.intervenes", { name: nameOf(form.view, form.seat), card: cardLabel(form.view, chosen.card), side: nameOf(form.view, chosen.for) })));
}

function anthemLay(form) {
  const list = of(form, "lay").filter((o) => usable(form, o));
  if (!list.length) return null;
  const kind = chosen.card ? cardOf(chosen.card).kind : "";
  const option = list.find((o) => o.action.kind === kind);
  const places = option ? (option.action.places.length ? option.action.places : [1, 2, 3, 4, 5, 6]) : [];
  return h("fieldset", { key: "lay" }, h("legend", null, t("act.lay")),
    picker(form, (/** @type {string} */ one) => list.some((o) => o.action.kind === one), "cards"),
    option && chosen.claim === "" && h("div", { class: "confirm" },
      h("p", null, t("act.where", { card: cardLabel(form.view, chosen.card) })),
      h("div", { class: "row" }, places.map((/** @type {number} */ place) =>
        h("button", { type: "button", class: "primary", key: `p${place}`, onclick: () => give(form, { do: "lay", seat: form.seat, card: chosen.card, place }) }, t("act.place", { place }))))));
}

function claims(form) {
  const list = of(form, "claim").filter((o) => usable(form, o));
  if (!list.length) return null;
  const seat = form.view.game.seats.find((/** @type {any} */ s) => s.seat === form.seat);
  const all = chosen.claim ? stacksOfAll(form) : [];
  return h("fieldset", { key: "claim" }, h("legend", null, t("act.claim")),
    h("div", { class: "row" }, list.map((o) =>
      h("button", { type: "button", key: o.action.win, "aria-pressed": String(chosen.claim === o.action.win), onclick: () => { chosen.claim = chosen.claim === o.action.win ? "" : o.action.win; chosen.card = ""; chosen.shown = []; form.redraw(); } }, icon("crown"), t(`act.claim_${o.action.win}`)))),
    chosen.claim && h("div", { class: "confirm" },
      h("p", null, t("act.shown", { n: chosen.shown.length, hand: seat ? seat.hand : 0 })),
      h("div", { class: "picker small" }, all.map((id) =>
        h("button", { type: "button", key: id, class: cls("pick", houseClass(cardOf(id).house)), "aria-pressed": String(chosen.shown.includes(id)), "aria-label": cardLabel(form.view, id),
          onclick: () => { chosen.shown = chosen.shown.includes(id) ? chosen.shown.filter((c) => c !== id) : [...chosen.shown, id]; form.redraw(); } },
        card(form.view, id, { extra: { "aria-hidden": "true" } })))),
      h("div", { class: "row" },
        h("button", { type: "button", class: "primary", onclick: () => give(form, { do: "claim", seat: form.seat, win: chosen.claim, ...(chosen.shown.length ? { shown: chosen.shown } : {}) }) }, icon("check"), t("act.enter")))));
}

const stacksOfAll = (/** @type {Form} */ form) => [...form.owned].sort();

/** In words: what the option is. @param {any} view @param {Object<string, any>} action */
function words(view, action) {
  const kind = action.kind ? maybe(`kind.${action.kind}`, kindName(action.kind)) : "";
  const values = { kind, name: action.against ? nameOf(view, action.against) : action.for ? nameOf(view, action.for) : "" };
  return t(`act.why_${action.do}`, values);
}

/** What can't be done now, and why; the same reason said once. @param {Form} form */
export function whyNot(form) {
  const rest = form.options.filter((o) => !o.legal && o.why);
  if (!rest.length) return null;
  const reasons = new Map();
  for (const option of rest) {
    const text = option.why.text;
    if (!reasons.has(text)) reasons.set(text, { rule: option.why.rule, what: [] });
    reasons.get(text).what.push(words(form.view, option.action));
  }
  return h("details", { class: "why-not", key: "why" }, h("summary", null, t("seat.why_not")),
    h("dl", null, [...reasons].map(([text, { rule, what }]) => [
      h("dt", { key: `t${text}` }, [...new Set(what)].join(", ")),
      h("dd", { key: `d${text}` }, text, " ", ruleLink(form.view, rule))])));
}
