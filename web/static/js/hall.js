/** The hall's pages: header, strips, and the page's own part drawn from each view of the hall. */
import { boot, hhmm, inLanguage, t, tn } from "./boot.js";
import { h, patch } from "./dom.js";
import { drawDay } from "./hallday.js";
import { drawScreen } from "./hallscreen.js";
import { drawTables, needs } from "./halltables.js";
import { follow } from "./link.js";

const PAGES = { hall: drawTables, screen: drawScreen, day: drawDay };
const main = /** @type {HTMLElement} */ (document.getElementById("main"));

let view = boot.view;
let arrivedAt = Date.now();
let staleSince = 0;
let queued = false;
let spoken = /** @type {string|null} */ (null);

function redraw() {
  if (queued) return;
  queued = true;
  requestAnimationFrame(drawNow);
  if (document.hidden) setTimeout(drawNow, 50); // hidden pages get no frames
}

function drawNow() {
  if (!queued) return;
  queued = false;
  drawHeader();
  drawStrips();
  // How old the view is: clocks go on between two of them.
  PAGES[boot.page](main, view, (Date.now() - arrivedAt) / 1000, redraw);
  document.body.dataset.version = String(view.version);
  speak();
}

function drawHeader() {
  const tables = view.tables;
  const playing = tables.filter((/** @type {any} */ one) => one.game && !one.over && one.state === "here").length;
  const waiting = tables.filter(needs).length;
  patch(/** @type {HTMLElement} */ (document.getElementById("top-state")),
    view.name && h("strong", null, view.name),
    h("span", null, t("hall.state", { tables: tables.length, playing })),
    waiting > 0 && boot.page !== "screen" && h("strong", { class: "needs" }, tn("hall.calls", waiting)));
}

function drawStrips() {
  patch(/** @type {HTMLElement} */ (document.getElementById("strips")),
    staleSince > 0 && h("div", { class: "strip", key: "stale", role: "status" },
      h("b", null, t("strip.stale", { time: hhmm(staleSince) })), " ", h("span", null, t("strip.stale_what"))),
    view.troubles.map((/** @type {any} */ one) =>
      h("div", { class: "strip red", key: one.kind, role: "alert" },
        h("b", null, t(`hall.trouble_${one.kind}`)), " ", h("span", null, t(`hall.trouble_${one.kind}_what`)))));
}

/** A new call for a judge, for screen readers. */
function speak() {
  const calls = view.tables.flatMap((/** @type {any} */ one) => one.alarms.filter((/** @type {any} */ a) => a.kind === "judge").map((/** @type {any} */ a) => ({ label: one.label, at: a.at })));
  const newest = calls.sort((/** @type {any} */ a, /** @type {any} */ b) => b.at - a.at)[0];
  const text = newest ? t("hall.alarm_judge", { table: newest.label }) : "";
  if (spoken !== null && text !== spoken) /** @type {HTMLElement} */ (document.getElementById("said")).textContent = text;
  spoken = text;
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

queued = true;
drawNow();
document.body.dataset.ready = "yes";
let staleTimer = 0;
follow(boot.base, inLanguage(boot.audience), {
  view(fresh) {
    if (fresh.boot === view.boot && fresh.version < view.version) return;
    view = fresh;
    arrivedAt = Date.now();
    redraw();
  },
  state(up, since) {
    clearTimeout(staleTimer);
    if (up) staleSince = 0;
    else staleTimer = setTimeout(() => { staleSince = since || arrivedAt / 1000; redraw(); }, 1500);
    redraw();
  },
  assets: newAssets,
});
setInterval(redraw, 1000);
