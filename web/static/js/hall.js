/** The hall's pages: header, strips, and the page's own part drawn from each view of the hall. */
import { boot, t, tn } from "./boot.js";
import { h, patch } from "./dom.js";
import { drawDay } from "./hallday.js";
import { drawScreen } from "./hallscreen.js";
import { drawTables, needs } from "./halltables.js";
import { begin, now, redraw, staleStrip } from "./live.js";

const PAGES = { hall: drawTables, screen: drawScreen, day: drawDay };
const main = /** @type {HTMLElement} */ (document.getElementById("main"));

let spoken = /** @type {string|null} */ (null);

function draw() {
  const view = now.view;
  drawHeader(view);
  drawStrips(view);
  // How old the view is: clocks go on between two of them.
  PAGES[boot.page](main, view, (Date.now() - now.arrivedAt) / 1000, redraw);
  document.body.dataset.version = String(view.version);
  speak(view);
}

/** @param {any} view */
function drawHeader(view) {
  const tables = view.tables;
  const playing = tables.filter((/** @type {any} */ one) => one.game && !one.over && one.state === "here").length;
  const waiting = tables.filter(needs).length;
  patch(/** @type {HTMLElement} */ (document.getElementById("top-state")),
    view.name && h("strong", null, view.name),
    h("span", null, t("hall.state", { tables: tables.length, playing })),
    waiting > 0 && boot.page !== "screen" && h("strong", { class: "needs" }, tn("hall.calls", waiting)));
}

/** @param {any} view */
function drawStrips(view) {
  patch(/** @type {HTMLElement} */ (document.getElementById("strips")),
    staleStrip(),
    view.troubles.map((/** @type {any} */ one) =>
      h("div", { class: "strip red", key: one.kind, role: "alert" },
        h("b", null, t(`hall.trouble_${one.kind}`)), " ", h("span", null, t(`hall.trouble_${one.kind}_what`)))));
}

/** A new call for a judge, for screen readers. @param {any} view */
function speak(view) {
  const calls = view.tables.flatMap((/** @type {any} */ one) => one.alarms.filter((/** @type {any} */ a) => a.kind === "judge").map((/** @type {any} */ a) => ({ label: one.label, at: a.at })));
  const newest = calls.sort((/** @type {any} */ a, /** @type {any} */ b) => b.at - a.at)[0];
  const text = newest ? t("hall.alarm_judge", { table: newest.label }) : "";
  if (spoken !== null && text !== spoken) /** @type {HTMLElement} */ (document.getElementById("said")).textContent = text;
  spoken = text;
}

begin(draw);
setInterval(redraw, 1000);
