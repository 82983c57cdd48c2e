/** The parts beside the arena: scoreboard, pairs, crown, findings, questions, events. */
import { boot, hhmm, maybe, t, tn } from "./boot.js";
import { cls, h } from "./dom.js";
import { cardLabel, crest, die, houseClass, icon } from "./art.js";
import { command } from "./send.js";

/** The seat's entry of the view. @param {any} view @param {number} seat */
export function seatOf(view, seat) {
  return (view.seats || []).find((/** @type {any} */ s) => s.seat === seat) || { seat, name: t("seat.number", { seat }), house: null };
}

/** @param {any} view @param {number} seat */
export const nameOf = (view, seat) => seatOf(view, seat).name || t("seat.number", { seat });

/** The house of a seat, in Anthem its card set. @param {any} view @param {number} seat */
export function houseOf(view, seat) {
  const entry = seatOf(view, seat);
  if (entry.house) return entry.house;
  const inGame = ((view.game || {}).seats || []).find((/** @type {any} */ s) => s.seat === seat);
  return inGame && inGame.set ? (String(inGame.set).startsWith("s") ? inGame.set : `s${inGame.set}`) : null;
}

/** "Ada, Bruno and Chiara". @param {any} view @param {number[]} seats */
export function names(view, seats) {
  return new Intl.ListFormat(boot.lang, { type: "conjunction" }).format(seats.map((s) => nameOf(view, s)));
}

/** Crest and name on one line. @param {any} view @param {number} seat */
export function who(view, seat) {
  return h("span", { class: cls("who", houseClass(houseOf(view, seat))) }, crest(houseOf(view, seat), "mini"), nameOf(view, seat));
}

/** The decks as the score they are. @param {any} view */
export function scoreboard(view) {
  const seats = view.game.seats || [];
  const most = Math.max(1, ...seats.map((/** @type {any} */ s) => s.cards));
  const leading = Math.max(...seats.filter((/** @type {any} */ s) => !s.out).map((/** @type {any} */ s) => s.cards));
  const leaders = seats.filter((/** @type {any} */ s) => s.cards === leading && !s.out);
  return h("section", { class: "card scores", "aria-label": t("scores.title") },
    h("h2", null, t("scores.title")),
    h("ol", null, seats.map((/** @type {any} */ s) => scoreRow(view, s, most, leaders))));
}

function scoreRow(view, s, most, leaders) {
  const change = changeOf(view, s.seat);
  const house = houseOf(view, s.seat);
  const leads = leaders.length < (view.game.seats || []).length && leaders.some((/** @type {any} */ one) => one.seat === s.seat);
  const tied = leaders.length > 1;
  return h("li", { class: cls("score", houseClass(house), s.out && "out"), key: `s${s.seat}`, "data-seat": s.seat },
    crest(house, "crest"),
    h("div", { class: "score-name" }, h("b", null, nameOf(view, s.seat)),
      view.game.crown === s.seat && h("span", { class: "tag gold" }, icon("crown"), t("scores.crown")),
      leads && h("span", { class: "tag" }, t(tied ? "scores.tied" : "scores.leads")),
      s.out && h("span", { class: "tag" }, t("scores.out"))),
    h("div", { class: "bar", "aria-hidden": "true" }, h("i", { style: { width: `${(s.cards / most) * 100}%` } })),
    h("div", { class: "score-count" }, h("b", { class: "count" }, String(s.cards)), h("span", null, t("scores.cards")),
      change !== 0 && h("span", { class: cls("change", change > 0 ? "more" : "less"), title: t("scores.change") },
        h("span", { "aria-hidden": "true" }, change > 0 ? "▲" : "▼"), h("span", { class: "unseen" }, `${t(change > 0 ? "scores.more" : "scores.less")} `), String(Math.abs(change)))),
    h("div", { class: "score-parts" },
      h("span", null, icon("hand"), t("scores.hand", { n: s.hand })),
      h("span", null, icon("deck"), t("scores.deck", { n: s.deck }))));
}

/** Cards won or lost since the turn began. @param {any} view @param {number} seat */
export function changeOf(view, seat) {
  const change = (view.game.change || {})[String(seat)];
  return typeof change === "number" ? change : 0;
}

/** The turn as a grid: who has faced whom. @param {any} view */
export function pairsGrid(view) {
  const game = view.game;
  const seats = (game.seats || []).filter((/** @type {any} */ s) => !s.out).map((/** @type {any} */ s) => s.seat);
  if (seats.length < 2 || !["duels", "tiebreak"].includes(game.phase)) return null;
  const left = new Set((game.pairs_left || []).map((/** @type {number[]} */ p) => [...p].sort().join()));
  const now = new Set((game.duels || []).map((/** @type {any} */ d) => [d.attacker, d.defender].sort().join()));
  const state = (/** @type {number} */ a, /** @type {number} */ b) => {
    const pair = [a, b].sort().join();
    return now.has(pair) ? "now" : left.has(pair) ? "left" : "done";
  };
  const mark = { now: () => icon("swords"), left: () => h("span", { class: "dot" }), done: () => icon("check") };
  return h("section", { class: "card pairs", "aria-label": t("pairs.title") },
    h("h2", null, t("pairs.title"), " ", h("small", null, tn("pairs.count", left.size))),
    h("div", { class: "scroll" }, h("table", null,
      h("thead", null, h("tr", null, h("td", null), seats.slice(1).map((/** @type {number} */ b) =>
        h("th", { scope: "col" }, crest(houseOf(view, b), "mini"), h("span", { class: "unseen" }, nameOf(view, b)))))),
      h("tbody", null, seats.slice(0, -1).map((/** @type {number} */ a, /** @type {number} */ row) =>
        h("tr", null, h("th", { scope: "row" }, crest(houseOf(view, a), "mini"), h("span", null, nameOf(view, a))),
          seats.slice(1).map((/** @type {number} */ b, /** @type {number} */ column) => column < row
            ? h("td", { class: "void" })
            : h("td", { class: `pair ${state(a, b)}` }, mark[state(a, b)](), h("span", { class: "word" }, t(`pairs.${state(a, b)}`))))))))));
}

/** After a match: the code that opens its form on a phone, for this screen's own visitor a link. @param {any} view */
export function howWasIt(view) {
  if (view.replay || !view.asking || !view.match || !view.match.over) return null;
  const href = `/feedback/${view.match.id}`;
  return h("a", { class: "how-was-it", key: `how${view.match.id}`, href },
    boot.extra.join && h("img", { src: `${href}/qr.svg`, alt: "", width: 160, height: 160 }),
    h("span", null, h("b", null, t("asked.title")), h("span", null, t("asked.minute"))));
}

/** The crown's light, as the LEDs show it. @param {any} view */
export function crownCard(view) {
  const crown = view.crown;
  if (!crown) return null;
  const lights = Array.from({ length: 12 }, (_, i) => {
    const angle = (i / 12) * 2 * Math.PI;
    return h("circle", { cx: 50 + 42 * Math.sin(angle), cy: 50 - 42 * Math.cos(angle), r: 6, class: "lamp", style: { "--i": i } });
  });
  const holder = (view.game || {}).crown;
  const dark = crown.hardware && view.devices.some((/** @type {any} */ d) => d.kind === "crown" && d.state !== "up");
  const pace = crown.pace > 0 ? `${(1 / crown.pace).toFixed(2)}s` : "0s";
  return h("section", { class: "card crown", "aria-label": t("crown.title") },
    h("div", { class: cls("ring", `is-${crown.pattern}`), style: { "--lamp": crown.colour, "--pace": pace } },
      h("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, lights),
      holder ? crest(houseOf(view, holder)) : h("img", { class: "crest", src: `${boot.base}/img/crown.svg`, alt: "" })),
    h("div", null, h("h2", null, t("crown.title")), holder && h("p", { class: "unseen" }, t("crown.held", { name: nameOf(view, holder) })),
      h("p", null, crown.why), dark && h("p", { class: "quiet" }, t("crown.hardware", { what: crown.hardware }))));
}

/** A rule's id, leading to its place in the rulebook. @param {any} view @param {string} rule */
export function ruleLink(view, rule) {
  return h("a", { class: "rule", href: `/rules/${view.game.game}#${rule}` }, rule);
}

/** Findings: calm, precise, each with its rule and its cure. @param {any} view @param {(finding: any) => any} [tools] */
export function findings(view, tools) {
  const open = (view.findings || []).filter((/** @type {any} */ f) => f.open);
  return open.map((/** @type {any} */ f) =>
    h("article", { class: cls("card finding", f.severity), key: f.id },
      icon(f.severity === "illegal" ? "illegal" : f.severity === "warning" ? "warning" : "info"),
      h("div", null,
        h("p", { class: "finding-what" }, h("span", { class: "kind" }, t(`finding.${f.severity}`)), " ", h("b", null, f.text)),
        f.cure && h("p", null, f.cure),
        f.rule && h("p", { class: "quiet" }, ruleLink(view, f.rule), f.rule_text ? ` ${f.rule_text}` : ""),
        tools && h("div", { class: "row" }, tools(f)))));
}

/** Open questions; with `answer` each has its one-tap answers. @param {any} view @param {boolean} answer @param {number|null} [seat] */
export function questions(view, answer, seat = null) {
  const mine = (view.questions || []).filter((/** @type {any} */ q) => seat === null || !q.seats.length || q.seats.includes(seat));
  return mine.map((/** @type {any} */ q) =>
    h("article", { class: "card question", key: q.id },
      icon("question"),
      h("div", null,
        h("p", { class: "finding-what" }, h("span", { class: "kind" }, q.seats.length ? t("question.to", { names: names(view, q.seats) }) : t("question.open")), " ", h("b", null, q.text)),
        answer
          ? h("div", { class: "row answers" }, q.answers.map((/** @type {any} */ a) =>
              h("button", { type: "button", class: "primary", key: a.id, onclick: () => command({ cmd: "answer", question: q.id, answer: a.id }) }, a.label)))
          : h("p", { class: "quiet" }, q.answers.map((/** @type {any} */ a) => a.label).join(" · ")))));
}

/** How long, in seconds, a call to everybody stays on the screen. */
const CALL = 300;

/** The newest announcement, and for the operator who asks for a judge. @param {any} view @param {string[]} [kinds] */
export function calls(view, kinds = ["announce"]) {
  const fresh = (view.events || []).filter((/** @type {any} */ e) => kinds.includes(e.kind) && view.at - e.at < CALL);
  return kinds.map((kind) => fresh.find((/** @type {any} */ e) => e.kind === kind)).filter(Boolean).map((/** @type {any} */ e) =>
    h("article", { class: "card question call", key: `call${e.seq}` }, icon("flag"),
      h("p", { class: "finding-what" }, h("span", { class: "kind" }, t(`call.${e.kind}`)), " ", h("b", null, e.text))));
}

const DETAIL = 12;

/** What happened last; each opens to what the table saw. @param {any} view @param {number} [most] @param {(event: any) => any} [tools] */
export function events(view, most = DETAIL, tools) {
  // A device that came or went matters to who can mend it; the others hear what they miss in the page's head.
  const list = (view.events || []).filter((/** @type {any} */ e) => tools || e.kind !== "device").slice(0, most);
  return h("section", { class: "card events", "aria-label": t("events.title") },
    h("h2", null, t("events.title")),
    list.length
      ? h("ol", null, list.map((/** @type {any} */ e) => h("li", { key: `e${e.seq}`, class: cls("event", e.undone && "undone", e.ok === false && "refused") },
          h("details", null,
            h("summary", null, h("time", null, hhmm(e.at)), h("span", null, e.text,
              e.by_hand && h("span", { class: "tag" }, icon("hand"), t("events.by_hand")),
              e.edited && h("span", { class: "tag" }, icon("pen"), t("events.edited")),
              e.undone && h("span", { class: "tag" }, t("events.undone")))),
            h("div", { class: "evidence" },
              h("p", null, t("events.from", { who: whoText(e.who) })),
              (e.evidence || []).length ? h("ul", null, e.evidence.map((/** @type {string} */ line) => h("li", null, line))) : h("p", null, t("events.no_evidence")),
              tools && tools(e))))))
      : h("p", { class: "quiet" }, t("events.none")));
}

/** What cards and rolls that stand on the screen rest on. @param {any} view @param {[string, any][]} named label and ground */
export function grounds(view, named) {
  const rows = named.filter(([, one]) => one);
  if (!rows.length) return null;
  return h("details", { class: "grounds", key: "grounds" },
    h("summary", null, t("grounds.title")),
    h("dl", null, rows.map(([label, one]) => [
      h("dt", { key: `t${one.seq}` }, label, " ", h("time", null, hhmm(one.at)),
        one.by_hand && h("span", { class: "tag" }, icon("hand"), t("events.by_hand")),
        one.edited && h("span", { class: "tag" }, icon("pen"), t("events.edited"))),
      h("dd", { key: `d${one.seq}` }, (one.evidence || []).length ? one.evidence.join("; ") : t("events.no_evidence"))])));
}

/** The grounds of these cards, in order. @param {any} view @param {string[]} cards */
export function cardGrounds(view, cards) {
  const known = (view.grounds && view.grounds.cards) || {};
  return grounds(view, cards.map((id) => [cardLabel(view, id), known[id]]));
}

/** The grounds of each seat's last roll. @param {any} view @param {number[]} seats */
export function rollGrounds(view, seats) {
  const known = (view.grounds && view.grounds.rolls) || {};
  return grounds(view, seats.map((seat) => [nameOf(view, seat), known[String(seat)]]));
}

function whoText(text) {
  const [kind, ...rest] = String(text).split(" ");
  return maybe(`who.${kind}`, text).replace("{id}", rest.join(" ")).trim();
}

/** Whose die is awaited. @param {any} view */
export function awaited(view) {
  const list = (view.dice && view.dice.awaited) || [];
  if (!list.length) return null;
  return h("section", { class: "card rolls", "aria-label": t("roll.title") },
    h("h2", null, icon("die"), t("roll.now")),
    h("ul", { class: "row" }, list.map((/** @type {any} */ one) =>
      h("li", { key: `r${one.seat}` }, die(null, houseOf(view, one.seat), "rolling"), who(view, one.seat), h("span", { class: "quiet" }, maybe(`roll.why.${one.why}`, one.why))))));
}

/** What the table itself has to say. @param {any} view */
export function notices(view) {
  const list = view.notices || [];
  return list.length ? h("section", { class: "card notices" }, h("h2", null, t("notices.title")), h("ul", null, list.slice(0, 3).map((/** @type {any} */ n) => h("li", null, n.text)))) : null;
}

/** Where phones find the table. */
export function joinCard() {
  const url = boot.extra.join;
  return url ? h("p", { class: "join" }, t("join.here"), " ", h("b", null, url.replace("http://", ""))) : null;
}
