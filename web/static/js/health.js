/** How the table is: what the doctor says, readers, zones, camera, and the end of the log. */
import { boot, maybe, t } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { diceSeen, icon } from "./art.js";
import { deviceLine } from "./setup-common.js";

/** Milliseconds between two looks at the machine itself; devices come with the view. */
const PERIOD = 10_000;
let checks = boot.extra.checks;
let log = boot.extra.log;
let asked = { find: "", level: "" };
let timer = 0;

/** @param {HTMLElement} root @param {any} view @param {any} _previous @param {() => void} redraw */
export function draw(root, view, _previous, redraw) {
  root.className = "desk health-page";
  if (!timer) timer = setInterval(() => { if (!document.hidden) look(redraw); }, PERIOD);
  const worst = ["fail", "warn"].find((level) => checks.some((/** @type {any} */ c) => c.level === level)) || "ok";
  patch(root,
    h("header", { class: "health-head" }, h("h1", null, t("health.title")),
      h("p", { class: cls("verdict", worst) }, icon(worst === "ok" ? "check" : "warning"), t(`health.verdict.${worst}`)),
      h("p", { class: "quiet" }, t("health.program", { program: view.program, layout: view.setup.layout }))),
    h("div", { class: "desk-grid" },
      h("div", { class: "desk-main" }, checkList(), devices(view), logCard(redraw)),
      h("div", { class: "desk-side" }, zones(view), dice(view), help())));
}

async function look(redraw) {
  const fresh = await fetch("/api/v1/health").then((a) => (a.ok ? a.json() : null)).catch(() => null);
  if (fresh) checks = fresh.checks;
  redraw();
}

function checkList() {
  return h("section", { class: "card", "aria-labelledby": "checks" }, h("h2", { id: "checks" }, t("health.checks")),
    h("ul", { class: "checks" }, checks.map((/** @type {any} */ c, /** @type {number} */ i) => h("li", { key: `${c.name} ${i}`, class: c.level },
      icon(c.level === "ok" ? "check" : "warning"),
      h("div", null, h("b", null, maybe(`health.name.${c.name.replaceAll(" ", "_")}`, c.name)), " ", h("span", { class: "tag" }, t(`health.level.${c.level}`)),
        h("p", null, c.saw), c.do && h("p", { class: "quiet" }, c.do))))));
}

// -- devices and zones --------------------------------------------------------------------------------

function devices(view) {
  const list = view.devices || [];
  return h("section", { class: "card", "aria-labelledby": "devices" }, h("h2", { id: "devices" }, t("op.devices")),
    list.length === 0 && h("p", { class: "quiet", key: "none" }, t("op.no_devices")),
    h("ul", { class: "device-list" }, list.map((/** @type {any} */ d) => h("li", { key: d.id, class: "inner" }, deviceLine(d), antennas(d), factList(d)))));
}

/** "antenna 3 reads" -> ["3", "reads"], in any language; null for a fact of the whole device. @param {string} name */
const ofAntenna = (name) => /^antenna (\d+),? (.+)$/.exec(name);
const factName = (/** @type {string} */ name) => maybe(`health.fact.${name.replaceAll(" ", "_")}`, name);

function antennas(d) {
  const rows = new Map();
  const columns = new Set();
  for (const [name, value] of Object.entries(d.facts || {})) {
    const found = ofAntenna(name);
    if (!found) continue;
    if (!rows.has(found[1])) rows.set(found[1], {});
    rows.get(found[1])[found[2]] = value;
    columns.add(found[2]);
  }
  if (!rows.size) return null;
  return h("div", { class: "scrolled", key: "antennas", tabindex: "0", role: "region", "aria-label": t("health.antennas_of", { id: d.id }) }, h("table", null,
    h("thead", null, h("tr", null, h("th", { scope: "col" }, t("health.antenna")), [...columns].map((c) => h("th", { scope: "col", key: c }, factName(c))))),
    h("tbody", null, [...rows].map(([n, row]) => h("tr", { key: n }, h("th", { scope: "row" }, n), [...columns].map((c) => h("td", { key: c }, row[c] === undefined ? "–" : String(row[c]))))))));
}

function factList(d) {
  const rows = Object.entries(d.facts || {}).filter(([name]) => !ofAntenna(name));
  if (!rows.length) return null;
  return h("dl", { class: "facts", key: "facts" }, rows.map(([name, value]) => h("div", { key: name }, h("dt", null, factName(name)), h("dd", null, String(value)))));
}

/** @param {any} view @param {any} zone */
function spot(view, zone) {
  const what = zone.kind === "place" ? t("virtual.place", { place: zone.place }) : maybe(`setup.zone.${zone.kind}`, zone.id);
  const sitting = (view.seats || []).find((/** @type {any} */ s) => s.seat === zone.seat);
  return zone.seat === null ? what : `${what}, ${sitting ? sitting.name : t("seat.number", { seat: zone.seat })}`;
}

function zones(view) {
  const list = view.zones || [];
  if (!list.length) return null;
  return h("section", { class: "card", key: "zones", "aria-labelledby": "zones" }, h("h2", { id: "zones" }, t("health.zones")), h("p", { class: "quiet" }, t("health.zones_what")),
    h("ul", { class: "rates" }, list.map((/** @type {any} */ z) => {
      const percent = z.health === null || z.health === undefined ? null : Math.round(z.health * 100);
      return h("li", { key: z.id, class: cls(percent === null && "unread") }, h("span", null, spot(view, z)),
        h("meter", { min: 0, max: 100, low: 60, high: 85, optimum: 100, value: percent ?? 0, "aria-label": spot(view, z), "aria-valuetext": percent === null ? t("health.no_rate") : `${percent} %` }),
        h("span", { class: "rate" }, percent === null ? t("health.no_rate") : `${percent} %`));
    })));
}

function dice(view) {
  const list = (view.dice && view.dice.seen) || [];
  return h("section", { class: "card", key: "dice", "aria-labelledby": "dice" }, h("h2", { id: "dice" }, t("health.dice")),
    list.length
      ? diceSeen(list)
      : h("p", { class: "quiet" }, t("setup.no_dice")),
    h("p", { class: "quiet" }, h("a", { href: "/setup/camera" }, t("health.camera"))));
}

function help() {
  return h("section", { class: "card", key: "help", "aria-labelledby": "help" }, h("h2", { id: "help" }, t("health.help")), h("p", null, t("health.bundle_what")),
    h("p", null, h("a", { class: "button", href: "/health/bundle.zip", download: "crowntable-help.zip" }, t("health.bundle"))),
    h("p", null, h("a", { class: "button", href: "/setup" }, t("health.setup"))));
}

// -- the log ------------------------------------------------------------------------------------------

function logCard(redraw) {
  return h("section", { class: "card", key: "log", "aria-labelledby": "log" }, h("h2", { id: "log" }, t("health.log")), h("p", { class: "quiet" }, t("health.log_what")),
    h("form", { class: "row log-form", role: "search", onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); fetchLog(null, redraw); } },
      h("label", { class: "field-row" }, h("span", null, t("health.find")), h("input", { type: "search", maxlength: 100, value: asked.find, oninput: (/** @type {Event} */ e) => { asked.find = /** @type {HTMLInputElement} */ (e.target).value; } })),
      h("label", { class: "field-row" }, h("span", null, t("health.from_level")), h("select", { onchange: (/** @type {Event} */ e) => { asked.level = /** @type {HTMLSelectElement} */ (e.target).value; fetchLog(null, redraw); } },
        ["", "WARNING", "ERROR"].map((level) => h("option", { key: level, value: level, selected: asked.level === level }, t(`health.from.${level.toLowerCase() || "all"}`))))),
      h("button", null, t("health.search"))),
    log.lines.length
      ? h("ol", { class: "log", tabindex: "0", "aria-label": t("health.log") }, log.lines.map((/** @type {any} */ line) => h("li", { key: line.n, class: line.level.toLowerCase() },
        h("time", null, line.at), " ", h("span", { class: "tag" }, line.level), " ", h("span", { class: "quiet" }, line.name), " ", h("span", { class: "log-text" }, line.text))))
      : h("p", { class: "quiet", role: "status" }, t("health.no_lines")),
    log.more !== null && h("p", { key: "more" }, h("button", { type: "button", onclick: () => fetchLog(log.more, redraw) }, t("health.older"))));
}

async function fetchLog(before, redraw) {
  const query = new URLSearchParams({ find: asked.find, level: asked.level });
  if (before !== null) query.set("before", String(before));
  const fresh = await fetch(`/api/v1/log?${query}`).then((a) => (a.ok ? a.json() : null)).catch(() => null);
  if (fresh) log = before === null ? fresh : { lines: [...log.lines, ...fresh.lines], more: fresh.more };
  redraw();
}
