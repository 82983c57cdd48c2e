/** A player's own page: what I can do, what is asked of me, what I have. */
import { boot, t } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { crest, houseClass, icon } from "./art.js";
import { actionForm, fetchOwned } from "./actions.js";
import { arena, count, outcome } from "./arena.js";
import { layout } from "./anthem.js";
import { act, command } from "./send.js";
import { calls, changeOf, events, findings, houseOf, nameOf, names, questions, seatOf } from "./side.js";

const seat = boot.extra.seat;
const mine = boot.extra.mine;
let owned = /** @type {string[]} */ ([]);
let ownedFor = -1;

/** @param {HTMLElement} root @param {any} view @param {any} _previous @param {() => void} redraw */
export function draw(root, view, _previous, redraw) {
  root.className = "desk seat-page";
  const game = view.match ? view.game : null;
  const me = game && (game.seats || []).find((/** @type {any} */ s) => s.seat === seat);
  if (mine && me && ownedFor !== view.seq) {
    ownedFor = view.seq;
    fetchOwned().then((all) => {
      owned = all[String(seat)] || all["0"] || [];
      redraw();
    });
  }
  patch(root,
    header(view, me),
    !mine && h("p", { class: "card note", key: "readonly" }, h("b", null, t("seat.readonly")), " ", t("seat.readonly_what")),
    !me && h("p", { class: "card", key: "nobody" }, t(game ? "seat.unseated" : "idle.what")),
    me && h("div", { class: "desk-grid", key: "grid" },
      h("div", { class: "desk-main" },
        calls(view), questions(view, mine, seat), findings({ ...view, findings: (view.findings || []).filter((/** @type {any} */ f) => !f.seats.length || f.seats.includes(seat)) }),
        mine && h("section", { class: "card", "aria-label": t("seat.now"), key: "now" }, h("h2", null, t("seat.now")),
          actionForm({ view, options: game.options || [], seat, owned, operator: false, send: act, redraw })),
        table(view, me)),
      h("div", { class: "desk-side" }, counts(view, me),
        mine && h("section", { class: "card", key: "judge" }, h("button", { type: "button", onclick: () => command({ cmd: "judge" }) }, icon("flag"), t("seat.judge")), h("p", { class: "quiet" }, t("seat.judge_what"))),
        events(view, 8))));
  count(root);
}

function header(view, me) {
  const house = seatOf(view, seat).house_name;
  return h("section", { class: cls("seat-head", houseClass(houseOf(view, seat))), key: "head" },
    crest(houseOf(view, seat), "crest great"),
    h("div", null, h("p", null, t("seat.number", { seat }), house ? ` · ${house}` : ""), h("h1", null, nameOf(view, seat)),
      me && h("p", { class: "state" }, stateText(view)),
      mine && view.asking && view.match && view.match.over && h("p", { class: "how" }, h("a", { href: `/feedback/${view.match.id}?seat=${seat}` }, t("asked.link")))));
}

/** The one thing that matters now, in a sentence. */
function stateText(view) {
  const game = view.game;
  // Only who plays from here is "you"; whoever else has opened the page reads the player's name.
  const me = (/** @type {number} */ one) => mine && one === seat;
  if (game.winners) return game.winners.some(me) ? t("seat.won") : t("seat.over", { name: names(view, game.winners) });
  if (game.game === "anthem") return me(game.to_move) ? t("seat.your_turn") : t("seat.their_turn", { name: nameOf(view, game.to_move) });
  const duel = (game.duels || []).find((/** @type {any} */ d) => d.attacker === seat || d.defender === seat);
  if ((game.awaiting_rolls || []).includes(seat)) return mine ? t("seat.your_roll") : t("seat.waiting_roll", { name: nameOf(view, seat) });
  if (duel && me(duel.to_play)) return t("seat.your_play");
  if (duel) return duel.awaiting_roll ? t("seat.waiting_roll", { name: nameOf(view, duel.awaiting_roll) }) : t("seat.waiting", { name: nameOf(view, duel.to_play) });
  if (game.declarer === seat) return mine ? t("seat.your_declare") : t("between.title", { name: nameOf(view, seat) });
  if (game.phase === "initiative") return t("initiative.title");
  if (game.declarer && !(game.duels || []).length) return t("between.title", { name: nameOf(view, game.declarer) });
  return t("seat.watching");
}

function table(view, me) {
  if (view.game.game === "anthem") return layout(view, me);
  const duels = view.game.duels || [];
  const first = [...duels].sort((a, b) => Number(b.attacker === seat || b.defender === seat) - Number(a.attacker === seat || a.defender === seat));
  if (first.length) return first.map((d) => arena(view, d));
  return view.game.last_duel ? outcome(view, view.game.last_duel, view.game.last_duel_steps) : null;
}

function counts(view, me) {
  if (view.game.game === "anthem") return null;
  const change = changeOf(view, seat);
  return h("section", { class: "card counts", "aria-label": t(mine ? "seat.counts" : "scores.title"), key: "counts" }, h("h2", null, t(mine ? "seat.counts" : "scores.title")),
    h("dl", { class: "numbers" },
      h("div", null, h("dt", null, t("seat.count_all")), h("dd", null, String(me.cards))),
      h("div", null, h("dt", null, t("seat.count_hand")), h("dd", null, String(me.hand))),
      h("div", null, h("dt", null, t("seat.count_deck")), h("dd", null, String(me.deck))),
      h("div", null, h("dt", null, t("seat.count_change")), h("dd", null, change > 0 ? `+${change}` : String(change).replace("-", "−")))));
}
