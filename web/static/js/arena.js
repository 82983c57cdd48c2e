/** A duel as an arena: both houses, the field's value, the pile of accumulation. */
import { boot, t, tn } from "./boot.js";
import { cls, h } from "./dom.js";
import { card, cardLabel, crest, houseClass, icon } from "./art.js";
import { countTo } from "./motion.js";
import { cardGrounds, houseOf, nameOf, names } from "./side.js";

/**
 * One card of a duel as the engine describes it (`duels[].steps`).
 * @typedef {{card: string, by: number, for: number, value: number|null, sum: string,
 *            effect: "opens"|"adds"|"absorbed"|"takes"|"shield"|"cancelled"|"awaits-roll",
 *            before: {owner: number, value: number}|null, after: {owner: number, value: number}|null}} Step
 */

/** The effect of a card in a word. @param {any} view @param {Step} step */
function effect(view, step) {
  return t(`step.${step.effect}`, { name: step.after ? nameOf(view, step.after.owner) : "" });
}

/** What a card has brought, as a term of the sum. @param {Step} step */
function term(step) {
  if (step.value === null || step.value === undefined) return "";
  if (step.effect === "opens") return String(step.value);
  return step.value < 0 ? `−${-step.value}` : `+${step.value}`;
}

/** The running sum as people write it, with the rounding said where there was some (ALT-5.3). @param {string} text */
function sum(text) {
  const scaled = /^(\d+) x (?:1\.5|0\.5) = \d+$/.exec(text);
  const taken = /^(\d+) - (\d+) = \d+$/.exec(text);
  const rounded = (scaled && Number(scaled[1]) % 2 === 1) || (taken && Number(taken[2]) * 2 === Number(taken[1]) + 1);
  const half = (/** @type {string} */ number) => new Intl.NumberFormat(boot.lang).format(Number(number));
  const shown = text.replace(" x ", " × ").replace(" - ", " − ").replace(/\d\.5/, half);
  return rounded ? `${shown} (${t(scaled ? "arena.rounded" : "arena.rounded_off")})` : shown;
}

/** The pile, under whoever owns it. @param {any} view @param {any} duel @param {Step[]} list */
export function pile(view, duel, list) {
  const owner = duel.field ? duel.field.owner : null;
  const under = owner === duel.attacker ? "left" : owner === duel.defender ? "right" : "middle";
  return h("ol", { class: cls("pile", `under-${under}`), "aria-label": t("pile.title") },
    list.map((step) => {
      const worth = term(step);
      return h("li", {
        key: step.card, class: cls("play", step.effect),
        "data-flip": `${duel.attacker}-${duel.defender}-${step.card}`,
        "data-from": step.for === duel.attacker ? "left" : "right",
      },
      h("span", { class: "unseen" }, `${nameOf(view, step.by)}: ${cardLabel(view, step.card)}. ${worth} ${effect(view, step)}.`),
      card(view, step.card, { extra: { "aria-hidden": "true" } }),
      h("span", { class: "op", "aria-hidden": "true" },
        worth && h("b", null, worth),
        h("span", null, effect(view, step)),
        step.by !== step.for && h("span", null, t("step.by", { name: nameOf(view, step.by) }))));
    }));
}

function side(view, duel, seat, role) {
  const played = (duel.played || {})[String(seat)] || 0;
  const plays = view.game.plays || 3;
  const owns = duel.field && duel.field.owner === seat;
  const turn = duel.to_play === seat && duel.awaiting_roll === null;
  const rolls = duel.awaiting_roll === seat;
  const shield = (duel.shields || []).includes(seat);
  return h("div", { role: "group", class: cls("fighter", role, houseClass(houseOf(view, seat)), turn && "turn", rolls && "turn", owns && "owns"), "aria-label": nameOf(view, seat) },
    crest(houseOf(view, seat), "crest great"),
    h("div", { class: "fighter-text" },
      h("p", { class: "role" }, t(`arena.${role}`)),
      h("h3", null, nameOf(view, seat)),
      h("p", { class: "plays" },
        Array.from({ length: plays }, (_, i) => h("i", { class: i < played ? "spent" : "", "aria-hidden": "true" })),
        h("span", null, tn("arena.plays", Math.max(0, plays - played))))),
    h("div", { class: "badges" },
      turn && h("span", { class: "badge now" }, t("arena.to_play")),
      rolls && h("span", { class: "badge now" }, icon("die"), t("arena.rolls")),
      shield && h("span", { class: "badge" }, icon("shield"), t("arena.shield"))));
}

/** The number in the middle and whose it is. @param {any} view @param {any} duel */
function field(view, duel) {
  const now = duel.field;
  const value = now ? now.value : 0;
  const third = duel.awaiting_roll !== null && duel.awaiting_roll !== duel.attacker && duel.awaiting_roll !== duel.defender;
  return h("div", { class: cls("field", now && houseClass(houseOf(view, now.owner)), !now && "nothing"), key: "field" },
    h("p", { class: "field-label" }, t("arena.field")),
    // The number is drawn by `countTo`, so that it can count; patch leaves its inside alone.
    h("p", { class: "value", "data-value": now ? value : "", "data-digits": String(value).length },
      now ? h("b", { key: "n", own: true, "data-count": value, init: (/** @type {Element} */ node) => { node.textContent = String(value); } }) : h("span", null, "—")),
    h("p", { class: "owner" }, now ? [crest(houseOf(view, now.owner), "mini"), t("arena.owns", { name: nameOf(view, now.owner) })] : t("arena.empty", { name: nameOf(view, duel.to_play ?? duel.attacker) })),
    third && h("p", { class: "badge now" }, icon("die"), t("arena.rolls_for", { name: nameOf(view, duel.awaiting_roll) })));
}

/** A running duel. @param {any} view @param {any} duel */
export function arena(view, duel) {
  const list = /** @type {Step[]} */ (duel.steps || []);
  const plays = view.game.plays || 3;
  const played = Object.values(duel.played || {});
  const round = Math.min(plays, Math.max(1, Math.min(...played) + 1));
  const owner = duel.field ? houseClass(houseOf(view, duel.field.owner)) : "";
  const text = [...list].reverse().map((s) => s.sum).find(Boolean) || "";
  return h("article", { class: cls("arena", owner), key: `d${duel.attacker}-${duel.defender}`, "aria-label": t("arena.title", { a: nameOf(view, duel.attacker), b: nameOf(view, duel.defender) }) },
    h("header", null,
      h("h2", null, t("arena.title", { a: nameOf(view, duel.attacker), b: nameOf(view, duel.defender) })),
      h("p", null, t("arena.round", { round, plays }),
        (duel.interveners || []).length ? ` · ${t("arena.interveners", { names: names(view, duel.interveners) })}` : "")),
    h("div", { class: "lists" }, side(view, duel, duel.attacker, "attacker"), field(view, duel), side(view, duel, duel.defender, "defender")),
    list.length ? pile(view, duel, list) : h("p", { class: "pile waiting" }, t("arena.first_card", { name: nameOf(view, duel.to_play ?? duel.attacker) })),
    text && h("p", { class: "sum" }, sum(text)),
    cardGrounds(view, list.map((s) => s.card)));
}

/** Lets the numbers count to what they are now. @param {ParentNode} root */
export function count(root) {
  for (const node of root.querySelectorAll("[data-count]")) countTo(node, /** @type {HTMLElement} */ (node).dataset.count || "");
}

/** How the last duel came out. @param {any} view @param {any} last @param {Step[]} list */
export function outcome(view, last, list = []) {
  const won = last.winner !== null && last.winner !== undefined;
  const taken = new Set(last.captured || []);
  const loser = won ? (last.winner === last.attacker ? last.defender : last.attacker) : null;
  return h("article", { class: cls("outcome", won && houseClass(houseOf(view, last.winner))), key: `o${last.attacker}-${last.defender}-${last.value}-${(last.captured || []).length}`, "aria-label": t("outcome.title") },
    won && crest(houseOf(view, last.winner), "crest great"),
    h("div", { class: "outcome-text" },
      h("p", { class: "role" }, t("outcome.title")),
      h("h3", null, won ? t("outcome.won", { name: nameOf(view, last.winner), value: last.value ?? 0 }) : t("outcome.nobody", { a: nameOf(view, last.attacker), b: nameOf(view, last.defender) })),
      h("p", null, won ? `${t(`outcome.${last.ended_by}`, { name: nameOf(view, last.ended_by === "stand" ? last.winner : loser) })} ${taken.size ? tn("outcome.captured", taken.size, { name: nameOf(view, loser) }) : t("outcome.nothing")}` : t("outcome.back")),
      Object.entries(last.specials || {}).filter(([, cards]) => cards.length).map(([seat, cards]) =>
        h("p", { class: "quiet", key: `sp${seat}` }, tn("outcome.specials", cards.length, { name: nameOf(view, Number(seat)) })))),
    list.length > 0 && h("ol", { class: "pile small" }, list.map((s) => h("li", { key: s.card, class: cls("play", taken.has(s.card) && "captured") },
      h("span", { class: "unseen" }, cardLabel(view, s.card)), card(view, s.card, { extra: { "aria-hidden": "true" } }), taken.has(s.card) && h("span", { class: "op" }, h("span", null, t("outcome.taken")))))));
}
