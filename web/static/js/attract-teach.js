/** Each game in three minutes: pictured steps in our own words. A step is a text's key and its picture. */
import { t } from "./boot.js";
import { h } from "./dom.js";
import { card, crest, die, icon } from "./art.js";
import { arena } from "./arena.js";

/** How long each step stands, in ms: together three minutes. */
const MINUTES = 3;

const HOUSES = { 1: "cremisi", 2: "aurea" };
const NAMES = { 1: "Ada", 2: "Bruno" };

/** A view of nobody's match, for pictures. */
const plain = { match: { game: "althera" }, seats: [1, 2].map((seat) => ({ seat, name: NAMES[seat], house: HOUSES[seat] })), game: { game: "althera", plays: 3, seats: [] } };

/** Cards in a row. @param {string[]} ids @param {string[]} [notes] */
function row(ids, notes = []) {
  return h("ul", { class: "teach-row" }, ids.map((id, i) => h("li", { key: id }, card(plain, id, { extra: { "aria-hidden": "true" } }), notes[i] && h("b", null, notes[i]))));
}

function houses() {
  return h("div", { class: "teach-row" }, ["cremisi", "aurea", "celeste", "quercia", "purpurea"].map((house) => crest(house, "crest great")));
}

function dice(...faces) {
  return h("div", { class: "teach-row" }, faces.map((face, i) => die(face, Object.values(HOUSES)[i % 2], "teach-die")));
}

/** The example's duel after so many cards: 15, 24, 26, 63. @param {number} n */
function duel(n) {
  const plays = [["cremisi/cavalry/1", 1, 15, "opens", 15, 1], ["aurea/marksman/1", 2, 9, "absorbed", 24, 1], ["cremisi/commoners/1", 1, 2, "adds", 26, 1], ["aurea/captain/1", 2, 37, "takes", 63, 2]];
  const shown = plays.slice(0, n);
  const steps = shown.map(([id, by, value, effect, sum, owner], i) => ({
    card: id, by, for: by, value, effect, before: null, after: { owner, value: sum },
    sum: i ? `${shown.slice(0, i + 1).map((p) => p[2]).join(" + ")} = ${sum}` : "",
  }));
  const last = shown[n - 1];
  const played = (/** @type {number} */ seat) => shown.filter((p) => p[1] === seat).length;
  return arena(plain, { attacker: 1, defender: 2, steps, field: { owner: last[5], value: last[4] }, played: { 1: played(1), 2: played(2) }, to_play: n % 2 ? 2 : 1, awaiting_roll: null, shields: [], interveners: [] });
}

function places(...values) {
  return h("ol", { class: "places teach-places" }, values.map((v, i) => h("li", { key: i, class: v === null ? "place free" : "place" },
    v === null ? h("span", null, String(i)) : card({ ...plain, game: { game: "anthem" } }, `s1/${v}`, { extra: { "aria-hidden": "true" } }))));
}

/** An icon as large as a picture. @param {string} name */
const sign = (name) => h("div", { class: "teach-row" }, icon(name, "icon teach-icon"));

const LESSONS = {
  althera: [
    ["houses", houses],
    ["deck", () => row(["cremisi/commoners/1", "cremisi/vanguard/1", "cremisi/marksman/1", "cremisi/cavalry/1", "cremisi/guardian/1", "cremisi/captain/1", "cremisi/champion/1"])],
    ["crown", () => [sign("crown"), dice(6, 3)]],
    ["declare", () => sign("swords")],
    ["open", () => duel(1)],
    ["absorbed", () => duel(2)],
    ["adds", () => duel(3)],
    ["takes", () => duel(4)],
    ["three", () => row(["cremisi/cavalry/1", "cremisi/commoners/1", "cremisi/marksman/1"], ["1", "2", "3"])],
    ["specials", () => row(["aurea/shield/1", "aurea/overtake/1", "aurea/alteration/1", "aurea/oracle/1"])],
    ["retreat", () => dice(5, 6)],
    ["win", () => sign("deck")],
  ],
  anthem: [
    ["set", () => places(0, 1, 2, 3, 4, 5, 6, 9)],
    ["row", () => places(0, null, null, null, null, null, null, 9)],
    ["hand", () => row(["s1/2", "s2/5", "s3/5", "s1/7", "s2/dead"])],
    ["draw", () => sign("hand")],
    ["lay", () => places(0, null, 4, null, null, 6, null, 9)],
    ["room", () => places(0, null, 4, 6, null, null, null, 9)],
    ["keep", () => row(["s2/dead", "s3/4"])],
    ["win", () => places(0, 1, 2, 4, 5, 6, 8, 9)],
  ],
};

/** The steps of a game: key, text, picture, how long each stands in ms. @param {string} game */
export function lessons(game) {
  const list = LESSONS[game] || [];
  return list.map(([key, picture]) => ({ key, title: t(`teach.${game}.${key}`), text: t(`teach.${game}.${key}_what`), picture, stands: (MINUTES * 60_000) / list.length }));
}
