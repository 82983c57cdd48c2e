/** Small drawings: crests, cards, dice, icons. All our own; colour is never the only difference. */
import { boot, maybe, t } from "./boot.js";
import { cls, h } from "./dom.js";

const CRESTS = ["cremisi", "aurea", "celeste", "quercia", "purpurea", "s1", "s2", "s3", "s4"];

/** The CSS class that brings a house's colours and pattern. @param {string|null|undefined} house */
export function houseClass(house) {
  return `h-${house && CRESTS.includes(house) ? house : "none"}`;
}

/** A house's crest; decorative, for its name always stands beside it. Lazy: each is a document for the browser
 *  to build, and the page shows its words and numbers before any of them; the size keeps its place. */
export function crest(house, className = "crest") {
  const name = house && CRESTS.includes(house) ? house : "none";
  return h("img", { class: className, loading: "lazy", src: `${boot.base}/img/crest-${name}.svg`, alt: "", width: 120, height: 138, draggable: "false" });
}

const ICONS = {
  crown: "M3 18 L1 7 L7 11 L12 4 L17 11 L23 7 L21 18 Z M3 20 H21 V22 H3 Z",
  shield: "M3 3 H21 V12 C21 17 17 20.5 12 22.5 C7 20.5 3 17 3 12 Z M12 5.2 V20 C15.8 18.4 18.8 15.8 18.8 12 V5.2 Z",
  overtake: "M12 2 L21 11 H16 V14 H8 V11 H3 Z M8 16 H16 V18 H8 Z M8 20 H16 V22 H8 Z",
  alteration: "M6 2 H9 V6 H13 V9 H9 V13 H6 V9 H2 V6 H6 Z M11 16 H22 V19 H11 Z M18.5 3 L20.5 4.5 L6 21 L4 19.5 Z",
  oracle: "M12 5 C17 5 21 9 23 12 C21 15 17 19 12 19 C7 19 3 15 1 12 C3 9 7 5 12 5 Z M12 7.5 A4.5 4.5 0 1 0 12 16.5 A4.5 4.5 0 1 0 12 7.5 Z M12 10 A2 2 0 1 1 12 14 A2 2 0 1 1 12 10 Z",
  dead: "M12 2 C6.5 2 3 6 3 11 C3 14 4.5 16.5 7 17.6 V21 H9.5 V19 H11 V21 H13 V19 H14.5 V21 H17 V17.6 C19.5 16.5 21 14 21 11 C21 6 17.5 2 12 2 Z M8.3 9 A2.2 2.2 0 1 1 8.3 13.4 A2.2 2.2 0 1 1 8.3 9 Z M15.7 9 A2.2 2.2 0 1 1 15.7 13.4 A2.2 2.2 0 1 1 15.7 9 Z",
  hand: "M4 8 L10 4 L17 16 L11 20 Z M12 4 L19 4 L19 15 L17.6 15 Z",
  deck: "M5 3 H17 V19 H5 Z M18.5 5 H20 V22 H8 V20.5 H18.5 Z",
  clock: "M12 2 A10 10 0 1 0 12 22 A10 10 0 1 0 12 2 Z M12 4.5 A7.5 7.5 0 1 1 12 19.5 A7.5 7.5 0 1 1 12 4.5 Z M11 7 H13 V12 L16.5 14 L15.5 15.7 L11 13 Z",
  warning: "M12 2 L23 21 H1 Z M11 9 H13 V15 H11 Z M11 16.6 H13 V18.8 H11 Z",
  illegal: "M7.5 2 H16.5 L22 7.5 V16.5 L16.5 22 H7.5 L2 16.5 V7.5 Z M11 6 H13 V14 H11 Z M11 15.6 H13 V17.8 H11 Z",
  info: "M12 2 A10 10 0 1 0 12 22 A10 10 0 1 0 12 2 Z M11 10 H13 V17.5 H11 Z M11 6.2 H13 V8.4 H11 Z",
  question: "M12 2 A10 10 0 1 0 12 22 A10 10 0 1 0 12 2 Z M8.2 9.2 C8.2 4.8 15.8 4.8 15.8 9.4 C15.8 12 13.2 12.2 13.2 14.4 H10.9 C10.9 11.4 13.4 11.2 13.4 9.5 C13.4 7.7 10.6 7.7 10.6 9.4 Z M10.8 15.9 H13.3 V18.2 H10.8 Z",
  check: "M9.2 20 L2 12.6 L4.4 10.3 L9.2 15.2 L19.6 4 L22 6.2 Z",
  swords: "M2 2 L6 2.6 L20.5 17.6 L17.6 20.5 L2.6 6 Z M22 2 L18 2.6 L13.2 7.6 L16.2 10.7 L21.4 6 Z M10.7 16.2 L7.8 13.2 L3.5 17.6 L6.4 20.5 Z",
  die: "M4 2 H20 A2 2 0 0 1 22 4 V20 A2 2 0 0 1 20 22 H4 A2 2 0 0 1 2 20 V4 A2 2 0 0 1 4 2 Z M8 6 A2 2 0 1 0 8 10 A2 2 0 1 0 8 6 Z M16 14 A2 2 0 1 0 16 18 A2 2 0 1 0 16 14 Z M12 10 A2 2 0 1 0 12 14 A2 2 0 1 0 12 10 Z",
  flag: "M4 2 H6 V22 H4 Z M7 3 H20 L16.5 8 L20 13 H7 Z",
  pen: "M3 17 L15 5 L19 9 L7 21 H3 Z M16.4 3.6 L18 2 L22 6 L20.4 7.6 Z",
  plug: "M8 2 H10 V7 H14 V2 H16 V7 H18 V12 C18 15 16 17 13 17.4 V22 H11 V17.4 C8 17 6 15 6 12 V7 H8 Z",
};

/** An icon in the colour of the text round it; decorative. @param {string} name */
export function icon(name, className = "icon") {
  return h("svg", { class: className, viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" },
    h("path", { d: ICONS[name] || ICONS.info, "fill-rule": "evenodd", fill: "currentColor" }));
}

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

/** A die's face, or a question mark while it is not known. @param {number|null} face */
export function die(face, house, className = "") {
  const label = face ? t("die.shows", { face }) : t("die.unknown");
  return h("svg", { class: cls("die", houseClass(house), className), viewBox: "0 0 48 48", role: "img", "aria-label": label },
    h("rect", { x: 2, y: 2, width: 44, height: 44, rx: 9, class: "die-body" }),
    face
      ? PIPS[face].map((at) => h("circle", { cx: 12 + (at % 3) * 12, cy: 12 + Math.floor(at / 3) * 12, r: 4.6, class: "die-pip" }))
      : h("text", { x: 24, y: 34, "text-anchor": "middle", class: "die-ask" }, "?"));
}

/**
 * What a card id says. Althera: house/kind/copy. Anthem: set/value or set/dead.
 * @param {string} id @returns {{house: string, kind: string, copy: string|null, game: string}}
 */
export function cardOf(id) {
  const [house, kind, copy] = id.split("/");
  return { house, kind, copy: copy || null, game: copy ? "althera" : "anthem" };
}

const SPECIALS = ["shield", "overtake", "alteration", "oracle"];

/** Is this kind of Althera card a special? @param {string} kind */
export const isSpecial = (kind) => SPECIALS.includes(kind);

/** The name of a card's kind: Cavalry; of an Anthem card its value, or Dead. @param {string} kind */
export function kindName(kind) {
  return maybe(`kind.${kind}`, kind);
}

/** The printed value of a score card by the rules in play. @param {any} view @param {string} kind */
export function printed(view, kind) {
  const found = view && view.game && view.game.values ? view.game.values[kind] : undefined;
  return found === undefined ? DEFAULTS[kind] : found;
}
const DEFAULTS = { commoners: 2, vanguard: 5, marksman: 9, cavalry: 15, guardian: 23, captain: 37, champion: 61 };

/** A card with its value and name in words, for labels. */
export function cardLabel(view, id) {
  const { house, kind, game } = cardOf(id);
  const name = kindName(kind);
  const from = maybe(`house.${house}`, house);
  const value = game === "althera" && !isSpecial(kind) ? ` ${printed(view, kind)}` : "";
  return t("card.label", { name: `${name}${value}`, house: from });
}

/**
 * A card's face. `note` stands below it, `extra` are further props.
 * @param {any} view @param {string} id @param {{note?: any, extra?: Object<string, any>, className?: string}} [how]
 */
export function card(view, id, how = {}) {
  const { house, kind, game } = cardOf(id);
  const big = game === "anthem"
    ? (kind === "dead" ? icon("dead", "icon big") : h("b", { class: "big" }, kind))
    : isSpecial(kind) ? icon(kind, "icon big") : h("b", { class: "big" }, String(printed(view, kind)));
  const low = game === "anthem" ? (kind === "dead" ? kindName("dead") : kind === "0" ? t("kind.start") : kind === "9" ? t("kind.end") : "") : kindName(kind);
  return h("div", { class: cls("face", houseClass(house), isSpecial(kind) && "special", how.className), ...how.extra },
    crest(house, "mini"), big, low && h("span", { class: "low", style: { "--letters": low.length } }, low), how.note);
}

/** A die's colour by its name. @param {any} d */
export function colourName(d) {
  return d.colour ? maybe(`colour.${d.colour.replaceAll(" ", "_")}`, d.colour) : t("op.no_colour");
}

/** Why a die has no number. @param {any} d */
export function whyUnread(d) {
  return maybe(`why.${(d.why || "unclear").replaceAll(" ", "_")}`, d.why || "");
}

/** What the camera makes of the dice just now, sure or not. @param {any[]} list */
export function diceSeen(list) {
  return h("ul", { class: "dice-now" }, list.map((d, i) => h("li", { key: i, class: d.face ? "sure" : "unsure" },
    icon(d.face ? "check" : "question"),
    d.face
      ? t("setup.die_sure", { colour: colourName(d), face: d.face, percent: Math.round(d.confidence * 100) })
      : t("setup.die_unsure", { colour: colourName(d), why: whyUnread(d) }))));
}
