/** The page's frame: header, strips, toasts; draws the page's own part from each view that comes. */
import { boot, duration, hhmm, inLanguage, t } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { follow } from "./link.js";
import { settle, snapshot } from "./motion.js";
import { drawTable } from "./table.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const PAGES = { table: () => ({ draw: drawTable }), seat: () => import("./seat.js"), operator: () => import("./operator.js"), virtual: () => import("./virtual.js"), overlay: () => import("./overlay.js"), setup: () => import("./setup.js"), health: () => import("./health.js") };

let view = boot.view;
let arrivedAt = Date.now();
let up = true;
let staleSince = 0;
let spokenSeq = -1;
let sound = /** @type {any} */ (null);
let drawPage = /** @type {((root: HTMLElement, view: any, previous: any, redraw: () => void) => void)|null} */ (null);
let previous = /** @type {any} */ (null);
let queued = false;

function redraw() {
  if (queued) return;
  queued = true;
  requestAnimationFrame(drawNow);
  if (document.hidden) setTimeout(drawNow, 50); // hidden pages get no frames
}

function drawNow() {
  if (!queued) return;
  queued = false;
  if (boot.page !== "overlay") {
    drawHeader();
    drawStrips();
  }
  if (!drawPage) return;
  const before = snapshot(main);
  drawPage(main, view, previous, redraw);
  settle(main, before);
  if (sound) sound.hear(previous, view);
  previous = view;
  document.body.dataset.seq = String(view.seq); // what the screen shows now, for tests and for support
  speak();
}

function drawHeader() {
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
  const match = view.match;
  const running = match && !match.paused && !match.over && up;
  const seconds = match.elapsed + (running ? (Date.now() - arrivedAt) / 1000 : 0);
  const text = t("top.clock", { time: duration(seconds) });
  return match.expected && !match.over ? `${text} ${t("top.expected", { time: duration(match.expected) })}` : text;
}

function drawStrips() {
  const lost = (view.devices || []).filter((/** @type {any} */ d) => d.state !== "up");
  patch(/** @type {HTMLElement} */ (document.getElementById("strips")),
    staleSince > 0 && h("div", { class: "strip", key: "stale", role: "status" },
      h("b", null, t("strip.stale", { time: hhmm(staleSince) })), " ", h("span", null, t("strip.stale_what"))),
    (view.banner || []).map((/** @type {any} */ one) =>
      h("div", { class: cls("strip", one.level), key: `b${one.text}`, role: "alert" }, h("b", null, one.text), " ", h("span", null, one.cure))),
    lost.map((/** @type {any} */ d) =>
      h("div", { class: "strip", key: `d${d.id}`, role: "status" },
        h("b", null, t(`device.${d.state}`, { id: d.id, time: hhmm(d.since) })), " ",
        h("span", null, `${d.detail}${/[.!]$/.test(d.detail) ? "" : "."}${d.state === "weak" ? "" : ` ${t("device.by_hand")}`}`))));
}

/** The newest event for screen readers. */
function speak() {
  const event = (view.events || [])[0];
  if (!event || event.seq === spokenSeq) return;
  const first = spokenSeq === -1;
  spokenSeq = event.seq;
  const said = document.getElementById("said");
  if (!first && said) said.textContent = event.text;
}

/** A new version of the program has other pages: fetch them, but never in a loop. @param {string} assets */
function newAssets(assets) {
  if (assets === boot.assets) return;
  let tried = null;
  try {
    tried = sessionStorage.getItem("crowntable-reloaded");
    sessionStorage.setItem("crowntable-reloaded", assets);
  } catch {
    tried = assets;
  }
  if (tried !== assets) location.reload();
}

async function start() {
  const page = await PAGES[boot.page]();
  drawPage = page.draw;
  queued = true;
  drawNow();
  document.body.dataset.ready = "yes";
  let staleTimer = 0;
  const claim = follow(boot.base, inLanguage(boot.audience), {
    view(fresh) {
      if (fresh.boot === view.boot && fresh.version < view.version) return;
      view = fresh;
      arrivedAt = Date.now();
      redraw();
    },
    state(isUp, since) {
      up = isUp;
      clearTimeout(staleTimer);
      if (up) staleSince = 0;
      else staleTimer = setTimeout(() => { staleSince = since || arrivedAt / 1000; redraw(); }, 1500);
      redraw();
    },
    assets: newAssets,
  });
  if (boot.page !== "overlay") {
    sound = await import("./sound.js").catch(() => null);
    if (sound) sound.install(claim);
  }
  setInterval(() => {
    const clock = document.getElementById("clock");
    if (clock && view.match) clock.textContent = clockText();
  }, 1000);
}

start();
