/** The operator's page: every action by hand, questions, corrections, the match, the devices. */
import { boot, duration, hhmm, inLanguage, maybe, sentence, t } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { cardLabel, crest, diceSeen, houseClass, icon } from "./art.js";
import { actionForm, chosen, clear, fetchOwned } from "./actions.js";
import { amendForm, amending } from "./amend.js";
import { newMatchForm } from "./newmatch.js";
import { act, command, step } from "./send.js";
import { calls, events, findings, houseOf, nameOf, questions, scoreboard, who } from "./side.js";

let seat = 0;
let owned = /** @type {Object<string, string[]>} */ ({});
let seatView = /** @type {any} */ (null);
let fetchedFor = "";
let preview = /** @type {any} */ (null);
let saying = "";

/** @param {HTMLElement} root @param {any} view @param {any} _previous @param {() => void} redraw */
export function draw(root, view, _previous, redraw) {
  root.className = "desk operator-page";
  const game = view.match ? view.game : null;
  const seats = game ? (game.seats || []).map((/** @type {any} */ s) => s.seat) : [];
  if (seats.length && !seats.includes(seat)) seat = seats[0];
  refresh(view, seats, redraw);
  patch(root,
    h("h1", { class: "unseen" }, t("op.title")),
    h("div", { class: "desk-grid" },
      h("div", { class: "desk-main" },
        calls(view, ["judge"]),
        questions(view, true),
        findings(view, (f) => findingTools(f)),
        game && entry(view, seats, redraw),
        game && corrections(view, redraw),
        events(view, 15, (e) => eventTools(view, e, redraw)),
        h("section", { class: "card", key: "new" }, h("details", { open: !game }, h("summary", null, h("h2", null, t("op.new_match"))), newMatchForm(view, redraw)))),
      h("div", { class: "desk-side" },
        matchCard(view, redraw),
        game && game.game === "althera" && scoreboard(view),
        freeCard(view), devices(view), zones(view), phones(), care())));
}

function refresh(view, seats, redraw) {
  const wanted = `${view.boot} ${view.seq} ${seat}`;
  if (!seats.length || wanted === fetchedFor) return;
  fetchedFor = wanted;
  Promise.all([fetchOwned(), fetch(`/api/v1/view?audience=${inLanguage(`seat:${seat}`)}`).then((a) => (a.ok ? a.json() : null)).catch(() => null)]).then(([cards, mine]) => {
    owned = cards;
    seatView = mine;
    redraw();
  });
}

function entry(view, seats, redraw) {
  const fits = seatView && seatView.audience.seat === seat;
  return h("section", { class: "card", key: "entry", "aria-label": t("op.by_hand") },
    h("h2", null, t("op.by_hand")),
    h("div", { class: "row seats", role: "group", "aria-label": t("op.whose") }, seats.map((/** @type {number} */ one) =>
      h("button", { type: "button", key: `s${one}`, "aria-pressed": String(one === seat), class: cls("seat-button", houseClass(houseOf(view, one))),
        onclick: () => { seat = one; clear(); redraw(); } }, crest(houseOf(view, one), "mini"), nameOf(view, one)))),
    fits && actionForm({ view: seatView, options: seatView.game.options || [], seat, owned: owned[String(seat)] || owned["0"] || [], operator: true, send: act, redraw }),
    view.game.game === "althera" && view.game.phase !== "over" && h("details", { key: "crown" }, h("summary", null, t("op.crown")),
      h("div", { class: "row" }, seats.map((/** @type {number} */ one) =>
        h("button", { type: "button", key: `c${one}`, onclick: () => act(chosen.force ? { do: "crown", seat: one, force: true } : { do: "crown", seat: one }) }, icon("crown"), who(view, one))))));
}

function findingTools(f) {
  return [
    f.severity === "illegal" && f.seq && h("button", { type: "button", key: "allow", onclick: () => command({ cmd: "allow", seq: f.seq }) }, icon("check"), t("op.allow")),
    h("button", { type: "button", key: "dismiss", onclick: () => command({ cmd: "dismiss", id: f.id }) }, t("op.dismiss")),
  ];
}

function corrections(view, redraw) {
  const undo = view.undo || {};
  const redo = view.redo || {};
  return h("section", { class: "card", key: "corrections", "aria-label": t("op.corrections") },
    h("h2", null, t("op.corrections")),
    h("div", { class: "row" },
      h("button", { type: "button", disabled: !undo.possible, onclick: async () => {
        preview = await fetch("/api/v1/undo-preview").then((a) => a.json()).catch(() => null);
        redraw();
      } }, t("op.undo"), undo.text ? h("span", { class: "quiet" }, undo.text) : null),
      h("button", { type: "button", disabled: !redo.possible, onclick: () => step({ cmd: "redo" }) }, t("op.redo"), redo.text ? h("span", { class: "quiet" }, redo.text) : null)),
    preview && h("div", { class: "confirm", key: "preview" },
      h("p", null, h("b", null, preview.text)),
      (preview.changes || []).length > 0 && h("ul", { class: "changes" }, preview.changes.map((/** @type {string} */ line) => h("li", null, line))),
      h("div", { class: "row" },
        h("button", { type: "button", class: "primary", onclick: async () => { preview = null; await command({ cmd: "undo" }); redraw(); } }, t("op.undo_yes")),
        h("button", { type: "button", onclick: () => { preview = null; redraw(); } }, t("act.cancel")))),
    h("p", { class: "quiet" }, t("op.amend_how")));
}

function eventTools(view, e, redraw) {
  if (e.kind !== "action" || e.undone) return null;
  return [
    h("div", { class: "row", key: "tools" },
      e.ok === false && h("button", { type: "button", onclick: () => command({ cmd: "allow", seq: e.seq }) }, icon("check"), t("op.allow")),
      h("button", { type: "button", onclick: () => amending(e.seq, redraw) }, icon("pen"), t("op.amend"))),
    amendForm(view, e.seq, owned, redraw),
  ];
}

function matchCard(view, redraw) {
  const match = view.match;
  const say = (/** @type {string} */ cmd, instead = "") => async () => {
    const text = saying.trim() || instead;
    if (!text) return;
    saying = "";
    await command({ cmd, text });
    redraw();
  };
  return h("section", { class: "card", key: "match", "aria-label": t("op.match") },
    h("h2", null, t("op.match")),
    match && h("p", { class: "quiet" }, t("op.match_is", { game: maybe(`game.${match.game}`, match.game), number: match.number, ruleset: match.ruleset, layout: match.layout })),
    match && h("div", { class: "row" }, h("button", { type: "button", onclick: () => command({ cmd: match.paused ? "resume" : "pause" }) }, t(match.paused ? "op.resume" : "op.pause"))),
    h("label", null, h("span", null, t("op.say")),
      h("input", { type: "text", maxlength: 200, value: saying, oninput: (/** @type {Event} */ e) => { saying = /** @type {HTMLInputElement} */ (e.target).value; } })),
    h("div", { class: "row" },
      h("button", { type: "button", onclick: say("flag", t("op.flagged")) }, icon("flag"), t("op.flag")),
      h("button", { type: "button", onclick: say("announce") }, icon("info"), t("op.announce"))));
}

/** A free table's switch and what it has been of use. */
function freeCard(view) {
  const free = view.free;
  if (!free || !free.counters) return null;
  const since = new Intl.DateTimeFormat(boot.lang, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" }).format(new Date(free.counters.since * 1000));
  const seconds = [30, 60, 120, 300, 600];
  if (!seconds.includes(free.after)) seconds.push(free.after);
  const number = (/** @type {string} */ key, /** @type {string} */ value) => h("div", { key }, h("dt", null, t(`free.${key}`)), h("dd", null, value));
  return h("section", { class: "card", key: "free", "aria-label": t("free.title") },
    h("h2", null, t("free.title")),
    h("label", { class: "check" },
      h("input", { type: "checkbox", role: "switch", id: "attract-on", checked: free.on, onchange: () => command({ cmd: "attract", on: !free.on }) }), h("span", null, t("free.on"))),
    h("label", { class: "field-row" }, h("span", null, t("free.after")),
      h("select", { onchange: (/** @type {Event} */ e) => command({ cmd: "attract", after: Number(/** @type {HTMLSelectElement} */ (e.target).value) }) },
        seconds.map((n) => h("option", { key: n, value: n, selected: n === free.after }, t("free.seconds", { n }))))),
    h("dl", { class: "numbers three" }, number("hours", duration(free.counters.seconds)), number("matches", String(free.counters.matches)), number("plays", String(free.counters.plays))),
    h("p", { class: "row" }, h("span", { class: "quiet" }, t("free.since", { when: since })),
      h("button", { type: "button", onclick: () => command({ cmd: "count-anew" }) }, t("free.anew"))));
}

function devices(view) {
  const list = view.devices || [];
  return h("section", { class: "card devices", key: "devices", "aria-label": t("op.devices") }, h("h2", null, t("op.devices")),
    list.length
      ? h("ul", null, list.map((/** @type {any} */ d) => h("li", { key: d.id, class: `device ${d.state}` },
          icon(d.state === "up" ? "check" : "warning"),
          h("div", null, h("b", null, d.id), " ", h("span", { class: "tag" }, maybe(`device.kind.${d.kind}`, d.kind)), " ", t(`device.is_${d.state}`, { time: hhmm(d.since) }),
            h("p", { class: "quiet" }, sentence(d.detail)), facts(d)))))
      : h("p", { class: "quiet" }, t("op.no_devices")),
    seen(view));
}

/** What the camera makes of the dice just now, sure or not. */
function seen(view) {
  const list = (view.dice && view.dice.seen) || [];
  if (!list.length) return null;
  return h("div", { key: "seen" }, h("h3", null, t("op.seen")), diceSeen(list));
}

function facts(device) {
  const rows = Object.entries(device.facts || {});
  if (!rows.length) return null;
  return h("details", { key: "facts" }, h("summary", { class: "quiet" }, t("op.facts")),
    h("dl", { class: "facts" }, rows.map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, String(value))))));
}

function zones(view) {
  const list = view.zones || [];
  if (!list.length) return null;
  return h("section", { class: "card", key: "zones" }, h("details", null, h("summary", null, h("h2", null, t("op.zones"))),
    h("ul", { class: "zones" }, list.map((/** @type {any} */ z) => h("li", { key: z.id }, h("b", null, z.id),
      h("span", null, z.cards.length ? z.cards.map((/** @type {any} */ c) => `${cardLabel(view, c.card)}${c.state === "settled" ? "" : ` (${c.state})`}`).join(", ") : t("op.zone_empty")),
      h("span", { class: "quiet" }, z.health === null || z.health === undefined ? "" : t("op.zone_health", { percent: Math.round(z.health * 100) })))))));
}

/** The ways to the pages that care for the table itself. */
function care() {
  return h("section", { class: "card", key: "care" }, h("h2", null, t("op.care")),
    h("div", { class: "row" }, h("a", { class: "button", href: "/setup" }, t("health.setup")), h("a", { class: "button", href: "/health" }, t("setup.health")), h("a", { class: "button", href: "/feedback" }, t("op.answers"))));
}

function phones() {
  return h("section", { class: "card", key: "phones" }, h("h2", null, t("op.phones")),
    h("p", null, boot.extra.lan ? t("op.phones_at", { url: boot.extra.lan }) : t("op.phones_local")),
    h("div", { class: "row" }, h("a", { class: "button", href: "/qr" }, t("op.qr")),
      h("form", { method: "post", action: "/operator/logout" }, h("input", { type: "hidden", name: "csrf", value: boot.csrf }), h("button", null, t("op.logout")))));
}
