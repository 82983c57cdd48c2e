/** The page's frame: header, strips, toasts; draws the page's own part from each view that comes. */
import { boot, duration, hhmm, maybe, sentence, t } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { begin, now, redraw, staleStrip } from "./live.js";
import { settle, snapshot } from "./motion.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));

let spokenSeq = -1;
let sound = /** @type {any} */ (null);
let drawPage = /** @type {(root: HTMLElement, view: any, previous: any, redraw: () => void) => void} */ (() => {});
let previous = /** @type {any} */ (null);

function draw() {
  const view = now.view;
  if (boot.page !== "overlay") {
    drawHeader(view);
    drawStrips(view);
  }
  const before = snapshot(main);
  drawPage(main, view, previous, redraw);
  settle(main, before);
  if (sound) sound.hear(previous, view);
  previous = view;
  document.body.dataset.seq = String(view.seq); // what the screen shows now, for tests and for support
  speak(view);
}

/** @param {any} view */
function drawHeader(view) {
  const state = /** @type {HTMLElement} */ (document.getElementById("top-state"));
  const match = view.match;
  const game = view.game || {};
  patch(state,
    match && game.turns && h("strong", null, t("top.turn", { turn: game.turn, turns: game.turns })),
    match && game.game === "anthem" && h("strong", null, t("top.anthem_turn", { turn: game.turn })),
    match && h("span", { class: "clock", id: "clock" }, clockText()),
    match && match.virtual && h("span", null, t("top.virtual")),
    match && match.paused && h("strong", { class: "paused" }, t("top.paused")));
}

function clockText() {
  const match = now.view.match;
  const running = !match.paused && !match.over && now.up;
  const seconds = match.elapsed + (running ? (Date.now() - now.arrivedAt) / 1000 : 0);
  const text = t("top.clock", { time: duration(seconds) });
  return match.expected && !match.over ? `${text} ${t("top.expected", { time: duration(match.expected) })}` : text;
}

/** @param {any} view */
function drawStrips(view) {
  patch(/** @type {HTMLElement} */ (document.getElementById("strips")),
    staleStrip(),
    (view.banner || []).map((/** @type {any} */ one) =>
      h("div", { class: cls("strip", one.level), key: `b${one.text}`, role: "alert" }, h("b", null, one.text), " ", h("span", null, one.cure))),
    (view.devices || []).filter(missed).map(deviceStrip));
}

// Who plays or watches can't mend a device: they hear what is out and that play goes on, the rest on asking.
const MENDING = ["operator", "setup", "health", "virtual"].includes(boot.page);
const missed = (/** @type {any} */ d) => MENDING ? d.state !== "up" : d.state === "lost" && d.kind !== "crown";

/** What ails a device, in the page's head. @param {any} d */
function deviceStrip(d) {
  const device = maybe(`device.named.${d.kind}`, "{id}").replace("{id}", d.id);
  const detail = h("span", { key: "detail" }, sentence(d.detail));
  return h("div", { class: "strip", key: `d${d.id}`, role: "status" },
    h("b", null, t(`device.${d.state}`, { device, time: hhmm(d.since) })), " ",
    MENDING && detail, MENDING && " ",
    d.state !== "weak" && h("span", null, t("device.by_hand")),
    !MENDING && h("details", { key: "more" }, h("summary", null, t("device.detail")), detail));
}

/** The newest event for screen readers. @param {any} view */
function speak(view) {
  const event = (view.events || [])[0];
  if (!event || event.seq === spokenSeq) return;
  const first = spokenSeq === -1;
  spokenSeq = event.seq;
  const said = document.getElementById("said");
  if (!first && said) said.textContent = event.text;
}

/** Starts a page. @param {typeof drawPage} draws draws its own part */
export async function start(draws) {
  drawPage = draws;
  const claim = await begin(draw);
  if (boot.page !== "overlay") {
    sound = await import("./sound.js").catch(() => null);
    if (sound) sound.install(claim);
  }
  setInterval(() => {
    const clock = document.getElementById("clock");
    if (clock && now.view.match) clock.textContent = clockText();
  }, 1000);
}
