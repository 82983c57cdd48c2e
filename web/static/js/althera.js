/** Althera's table: arenas, or what stands between duels; the houses beside it. */
import { boot, t } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { crest, die, houseClass } from "./art.js";
import { arena, count, outcome } from "./arena.js";
import { fly, ghostsOf } from "./motion.js";
import { awaited, calls, crownCard, events, findings, houseOf, howWasIt, joinCard, nameOf, names, notices, pairsGrid, questions, rollGrounds, scoreboard, seatOf, who } from "./side.js";

/** How long a duel's outcome stays beside other duels, in ms. */
const AFTERGLOW = 7000;
let outcomeSince = 0;
let outcomeShown = "";

/** @param {HTMLElement} root @param {any} view @param {any} previous @param {() => void} redraw */
export function drawAlthera(root, view, previous, redraw) {
  const game = view.game;
  const ghosts = captured(view, previous);
  const running = game.duels || [];
  const last = game.last_duel;
  const ident = last ? JSON.stringify([last, game.turn]) : "";
  if (ident !== outcomeShown) {
    outcomeShown = ident;
    outcomeSince = previous ? Date.now() : 0;
    if (previous && ident) setTimeout(redraw, AFTERGLOW + 50);
  }
  const whole = previous !== null || view.replay; // the duel is seen first, what stands beside it a frame later
  const glow = last && (!running.length || Date.now() - outcomeSince < AFTERGLOW);
  patch(root,
    !view.replay && h("h1", { class: "unseen" }, t("table.title")),
    h("div", { class: "play-column" },
      calls(view), questions(view, false), findings(view),
      game.phase === "over" && victory(view),
      running.length > 0 && h("div", { class: cls("arenas", running.length > 1 && "several"), key: "arenas" }, running.map((/** @type {any} */ d) => arena(view, d))),
      !running.length && game.phase === "initiative" && initiative(view),
      !running.length && ["duels", "tiebreak"].includes(game.phase) && between(view),
      glow && outcome(view, last, game.last_duel_steps)),
    whole && h("aside", { class: "side", "aria-label": t("table.side") },
      running.length > 0 && awaitedElsewhere(view),
      scoreboard(view), pairsGrid(view), crownCard(view), notices(view), joinCard()),
    whole && events(view));
  count(root);
  if (ghosts.length && last && last.winner !== null) {
    requestAnimationFrame(() => fly(ghosts, root.querySelector(`.score[data-seat="${last.winner}"] .crest`)));
  }
}

/** The captured cards where they lie before the duel leaves the screen. */
function captured(view, previous) {
  const last = view.game.last_duel;
  if (!previous || !previous.game || !last || !(last.captured || []).length) return [];
  const gone = (previous.game.duels || []).find((/** @type {any} */ d) => d.attacker === last.attacker && d.defender === last.defender);
  const still = (view.game.duels || []).some((/** @type {any} */ d) => d.attacker === last.attacker && d.defender === last.defender);
  if (!gone || still) return [];
  return ghostsOf(last.captured.map((/** @type {string} */ id) => `${last.attacker}-${last.defender}-${id}`));
}

/** Rolls that no arena shows. */
function awaitedElsewhere(view) {
  const inDuels = new Set((view.game.duels || []).map((/** @type {any} */ d) => d.awaiting_roll));
  return (view.dice.awaited || []).some((/** @type {any} */ one) => !inDuels.has(one.seat)) ? awaited(view) : null;
}

/** Who still rolls for the crown. @param {any} view */
export function initiative(view) {
  const waiting = view.game.awaiting_rolls || [];
  const faces = new Map((view.dice.last || []).map((/** @type {any} */ d) => [d.seat, d.face]));
  return h("section", { class: "stage" },
    h("img", { class: "throne", src: `${boot.base}/img/crown.svg`, alt: "" }),
    h("h2", { class: "stage-title" }, t("initiative.title")),
    h("p", null, t("initiative.what")),
    h("ul", { class: "contenders" }, (view.game.seats || []).map((/** @type {any} */ s) => {
      const rolls = waiting.includes(s.seat);
      return h("li", { key: `c${s.seat}`, class: cls(houseClass(houseOf(view, s.seat)), rolls && "turn") },
        crest(houseOf(view, s.seat), "crest great"), h("b", null, nameOf(view, s.seat)),
        die(rolls ? null : faces.get(s.seat) || null, houseOf(view, s.seat), rolls ? "rolling" : ""),
        h("span", { class: "quiet" }, t(rolls ? "initiative.rolls" : "initiative.rolled")));
    })),
    rollGrounds(view, (view.game.seats || []).map((/** @type {any} */ s) => s.seat).filter((/** @type {number} */ seat) => faces.has(seat))));
}

/** Who declares the next duel, and against whom. @param {any} view */
export function between(view) {
  const game = view.game;
  const seat = game.declarer;
  if (!seat) return null;
  const foes = (game.pairs_left || []).filter((/** @type {number[]} */ p) => p.includes(seat)).map((/** @type {number[]} */ p) => (p[0] === seat ? p[1] : p[0]));
  return h("section", { class: cls("stage", houseClass(houseOf(view, seat))) },
    crest(houseOf(view, seat), "crest throne"),
    h("h2", { class: "stage-title" }, t(game.phase === "tiebreak" ? "between.tiebreak" : "between.title", { name: nameOf(view, seat) })),
    h("p", null, game.crown === seat ? t("between.crown") : t("between.next")),
    foes.length > 0 && h("ul", { class: "contenders" }, foes.map((/** @type {number} */ foe) =>
      h("li", { key: `f${foe}`, class: houseClass(houseOf(view, foe)) }, crest(houseOf(view, foe), "crest great"), h("b", null, nameOf(view, foe)),
        h("span", { class: "quiet" }, t("between.may"))))));
}

function victory(view) {
  const winners = view.game.winners || [];
  const seats = [...(view.game.seats || [])].sort((a, b) => b.cards - a.cards);
  const first = winners[0];
  return h("section", { class: cls("stage victory", first && houseClass(houseOf(view, first))), key: "victory" },
    first && h("div", { class: "laurel" }, winners.map((/** @type {number} */ w) => crest(houseOf(view, w), "crest throne"))),
    h("h2", { class: "stage-title" }, t(winners.length > 1 ? "victory.many" : "victory.one", { names: names(view, winners) })),
    first && seatOf(view, first).house_name && h("p", null, t("victory.house", { house: seatOf(view, first).house_name })),
    h("ol", { class: "podium" }, seats.map((s) => h("li", { key: `p${s.seat}`, class: houseClass(houseOf(view, s.seat)) },
      who(view, s.seat), h("b", null, t("victory.cards", { n: s.cards }))))),
    howWasIt(view));
}
