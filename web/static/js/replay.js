/** A match looked at again: steps through it with the table page's own drawing, plays it, charts it. */
import { boot, duration, maybe, t, tn } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { crest, houseClass, icon } from "./art.js";
import { charts } from "./charts.js";
import { settle, snapshot } from "./motion.js";
import { Steps } from "./replay-steps.js";
import { nameOf } from "./side.js";
import { draw as drawTable } from "./table.js";

/** Times as fast as it was played. */
const SPEEDS = [0.5, 1, 2, 4, 8];
/** The shortest and the longest that a step stands at speed 1, in ms: nobody watches a minute of thinking. */
const SHORTEST = 900;
const LONGEST = 3200;

const SIGNS = {
  first: "M5 4 H7.5 V20 H5 Z M20 4 V20 L9 12 Z",
  back: "M17 4 V20 L6 12 Z",
  next: "M7 4 V20 L18 12 Z",
  last: "M16.5 4 H19 V20 H16.5 Z M4 4 V20 L15 12 Z",
  pause: "M6 4 H10 V20 H6 Z M14 4 H18 V20 H14 Z",
};

const name = boot.extra.match;
const [head, player, stage, below] = ["replay-head", "player", "stage", "charts"].map((id) => /** @type {HTMLElement} */ (document.getElementById(id)));
const steps = new Steps(name);
let at = 1;
let shown = /** @type {any} */ (null);
let playing = false;
let speed = 1;
let timer = 0;
let problem = "";

/** Goes to step n. `glide`: a step like those of a running match, which may move and count. @param {number} n */
async function go(n, glide = false) {
  at = Math.min(steps.total, Math.max(1, n));
  const wanted = at;
  drawPlayer();
  const view = await steps.view(at);
  if (wanted !== at) return;
  problem = view ? "" : t("send.no_answer");
  if (view) show(view, glide);
  else pause();
  drawPlayer();
}

function show(view, glide) {
  const before = snapshot(stage);
  const next = glide && shown && view.version - shown.version === 1;
  drawTable(stage, view, next ? shown : null, () => show(view, false));
  if (next) settle(stage, before);
  shown = view;
  document.body.dataset.step = String(view.version);
  below.querySelectorAll(".chart").forEach((chart) => /** @type {any} */ (chart).mark?.(view.version));
  if (!playing) history.replaceState(null, "", `#${view.version}`);
}

function play() {
  if (at >= steps.total) at = 1;
  playing = true;
  go(at);
  wait();
}

function pause() {
  playing = false;
  clearTimeout(timer);
  drawPlayer();
}

function wait() {
  clearTimeout(timer);
  if (!playing) return;
  const real = at < steps.total ? (steps.at(at + 1).clock - steps.at(at).clock) * 1000 : 0;
  timer = setTimeout(async () => {
    if (at >= steps.total) return pause();
    await go(at + 1, true);
    wait();
  }, Math.min(LONGEST, Math.max(SHORTEST, real)) / speed);
}

/** One step by a person's hand: the play stops there. @param {number} n */
function step(n) {
  if (playing) pause();
  go(n, n === at + 1);
}

function duelAt(n) {
  return steps.duels.find((/** @type {any} */ d) => d.from <= n && n <= d.to) || null;
}

const KEYS = {
  ArrowLeft: () => step(at - 1),
  ArrowRight: () => step(at + 1),
  Home: () => step(1),
  End: () => step(steps.total),
  " ": () => (playing ? pause() : play()),
};

document.addEventListener("keydown", (event) => {
  const act = KEYS[event.key];
  const on = /** @type {Element} */ (event.target);
  if (!act || !steps.total || event.ctrlKey || event.altKey || event.metaKey) return;
  if (on.closest("select, textarea, input:not([type=range])")) return;
  if (event.key === " " && on.closest("button, a, summary")) return;
  event.preventDefault();
  act();
});

/** A step in words: "42 of 187: Ada plays Cavalry (15)." @param {number} n */
function spoken(n) {
  return t("replay.step", { n, all: steps.total, text: steps.at(n).text });
}

function drawPlayer() {
  const now = steps.at(at);
  const fight = duelAt(at);
  const button = (/** @type {string} */ key, /** @type {() => void} */ act, /** @type {boolean} */ off) =>
    h("button", { type: "button", key, class: "transport", title: t(`replay.${key}`), "aria-label": t(`replay.${key}`), disabled: off, onclick: act }, sign(key));
  patch(player,
    h("section", { class: "card player", "aria-label": t("replay.player") },
      h("p", { class: cls("step-text", now.broken && "broken") },
        h("b", { class: "step-n" }, t("replay.of", { n: at, all: steps.total })), " ",
        h("span", { class: "step-clock" }, duration(now.clock)), " ",
        h("span", null, now.text),
        now.by_hand && h("span", { class: "tag" }, icon("hand"), t("events.by_hand")),
        now.edited && h("span", { class: "tag" }, icon("pen"), t("events.edited")),
        now.forced && h("span", { class: "tag" }, icon("warning"), t("replay.forced"))),
      problem && h("p", { class: "problem", role: "alert" }, problem),
      h("div", { class: "track" },
        h("input", { type: "range", class: "scrubber", id: "scrubber", min: 1, max: steps.total, step: 1, value: at, "aria-label": t("replay.scrubber"), "aria-valuetext": spoken(at),
          oninput: (/** @type {Event} */ e) => step(Number(/** @type {HTMLInputElement} */ (e.target).value)) }),
        h("div", { class: "duel-marks", "aria-hidden": "true" }, steps.duels.map((/** @type {any} */ d) =>
          h("i", { key: `m${d.from}`, class: cls(houseClass(d.winner ? steps.house(d.winner) : null), d === fight && "now"), style: { left: percent(d.from - 1), width: percent(d.to - d.from) } })))),
      h("div", { class: "row transports" },
        button("first", () => step(1), at === 1),
        button("back", () => step(at - 1), at === 1),
        h("button", { type: "button", key: "play", class: "primary transport wide", id: "play", onclick: () => (playing ? pause() : play()) }, sign(playing ? "pause" : "next"), t(playing ? "replay.pause" : "replay.play")),
        button("next", () => step(at + 1), at === steps.total),
        button("last", () => step(steps.total), at === steps.total),
        h("label", { class: "speed", key: "speed" }, h("span", null, t("replay.speed")),
          h("select", { id: "speed", onchange: (/** @type {Event} */ e) => { speed = Number(/** @type {HTMLSelectElement} */ (e.target).value); wait(); } },
            SPEEDS.map((one) => h("option", { key: one, value: one, selected: one === speed }, `× ${one.toLocaleString(boot.lang)}`)))),
        steps.duels.length > 0 && h("label", { class: "duel-choice", key: "duel" }, h("span", null, t("replay.duel")),
          h("select", { id: "duel", onchange: (/** @type {Event} */ e) => step(Number(/** @type {HTMLSelectElement} */ (e.target).value)) },
            h("option", { key: "none", value: at, selected: !fight, disabled: true }, t("replay.no_duel")),
            steps.duels.map((/** @type {any} */ d) => h("option", { key: d.from, value: d.from, selected: d === fight }, duelName(d)))))),
      h("p", { class: "quiet keys" }, t("replay.keys"))));
}

/** A sign as on every player. @param {keyof typeof SIGNS} name */
function sign(name) {
  return h("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" }, h("path", { d: SIGNS[name], fill: "currentColor" }));
}

function percent(n) {
  return `${(n / Math.max(1, steps.total - 1)) * 100}%`;
}

function duelName(d) {
  const who = t("arena.title", { a: nameOf(steps, d.attacker), b: nameOf(steps, d.defender) });
  const end = d.winner ? t("replay.won_at", { name: nameOf(steps, d.winner), value: d.value }) : t("replay.nobody");
  return t("replay.duel_is", { turn: d.turn, who, end });
}

function drawHead() {
  const m = steps.match;
  const game = maybe(`game.${m.game}`, m.game);
  const when = new Intl.DateTimeFormat(boot.lang, { dateStyle: "long", timeStyle: "short", hourCycle: "h23" }).format(new Date(m.started * 1000));
  patch(head,
    h("h1", null, t("replay.title", { n: m.number, game })),
    h("p", { class: "facts-line" }, [when, t("replay.length", { time: duration(m.seconds), plays: m.plays }), t("replay.ruleset", { ruleset: m.ruleset })].join(" · "),
      m.corrected > 0 && h("span", { class: "tag" }, icon("pen"), tn("replay.corrected", m.corrected)),
      m.doubtful > 0 && h("span", { class: "tag warn" }, icon("warning"), tn("replay.doubtful", m.doubtful))),
    h("ul", { class: "row" }, m.seats.map((/** @type {any} */ s) => h("li", { key: s.seat, class: cls("who", houseClass(s.house)) }, crest(s.house, "mini"), s.name, s.house_name ? h("span", { class: "quiet" }, s.house_name) : null,
      (m.winners || []).includes(s.seat) && h("span", { class: "tag gold" }, icon("crown"), t("replay.won"))))),
    !m.over && h("p", { class: "card note" }, t("replay.open")),
    m.trouble && h("p", { class: "problem", role: "alert" }, m.trouble),
    h("nav", { class: "row takeaway", "aria-label": t("replay.take") },
      h("a", { class: "button", href: `/matches/${name}/sheet` }, t("replay.sheet")),
      ["jsonl", "csv", "txt", "html"].map((to) => h("a", { key: to, class: "button", href: `/matches/${name}/record.${to}`, download: "" }, t(`replay.to_${to}`)))));
}

function refused(text) {
  patch(head, h("h1", null, t("replay.title_bare", { match: name })), h("p", { class: "problem", role: "alert" }, text),
    h("p", null, h("a", { class: "button", href: "/matches" }, t("replay.all"))));
}

async function start() {
  patch(head, h("p", { class: "card empty", role: "status" }, t("replay.reading")));
  const trouble = await steps.load();
  if (trouble) refused(trouble);
  else {
    drawHead();
    const asked = Number(location.hash.slice(1));
    await go(Number.isInteger(asked) && asked > 0 ? asked : 1);
    charts(below, steps, step);
    addEventListener("hashchange", () => step(Number(location.hash.slice(1)) || at));
    stage.setAttribute("aria-label", t("replay.stage"));
    stage.setAttribute("role", "region");
  }
  document.body.dataset.ready = "yes";
}

start();
