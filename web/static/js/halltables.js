/** The hall's tables: first those that need somebody, then all of them. */
import { boot, duration, hhmm, maybe, t, tn } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { crest, houseClass, icon } from "./art.js";
import { post, toast } from "./send.js";

const SHOWN = ["all", "playing", "help"];
const ICONS = { judge: "flag", gone: "plug", silent: "plug", stopped: "plug", disk: "illegal", device: "plug", question: "question" };
let wanted = "";
let shown = "all";
/** @type {() => void} */
let again = () => {};

/** Does a table need somebody? One that was stopped on purpose does not. @param {any} table */
export const needs = (table) => table.alarms.some((/** @type {any} */ a) => a.kind !== "stopped");

/** @param {HTMLElement} root @param {any} view @param {number} age seconds since the view came @param {() => void} redraw */
export function drawTables(root, view, age, redraw) {
  again = redraw;
  const fitting = view.tables.filter(fits);
  patch(root, h("div", { class: "hall" },
    h("h1", { class: "unseen" }, t("hall.list")),
    alarms(view),
    view.tables.length
      ? [tools(), fitting.length
          ? h("ul", { class: "hall-tables", "aria-label": t("hall.list") }, fitting.map((/** @type {any} */ one) => tableCard(one, view, age)))
          : h("p", { class: "empty" }, t("hall.nothing_found"))]
      : h("div", { class: "empty" }, h("p", null, t("hall.no_tables")), h("p", null, t("hall.no_tables_how")))));
}

function fits(table) {
  if (shown === "playing" && (!table.game || table.over || table.state !== "here")) return false;
  if (shown === "help" && !needs(table)) return false;
  const words = `${table.label} ${table.table} ${(table.seats || []).map((/** @type {any} */ s) => s.name).join(" ")}`.toLowerCase();
  return words.includes(wanted.toLowerCase().trim());
}

function tools() {
  return h("div", { class: "hall-tools", key: "tools", role: "search" },
    h("label", { class: "unseen", for: "find" }, t("hall.find")),
    h("input", { id: "find", type: "search", placeholder: t("hall.find"), autocomplete: "off", oninput: (/** @type {any} */ e) => { wanted = e.target.value; again(); } }),
    h("div", { class: "row", role: "group", "aria-label": t("hall.show") }, SHOWN.map((one) =>
      h("button", { type: "button", key: one, "aria-pressed": shown === one ? "true" : "false", onclick: () => { shown = one; again(); } }, t(`hall.show_${one}`)))));
}

function alarms(view) {
  const rows = view.tables.flatMap((/** @type {any} */ table) => table.alarms.map((/** @type {any} */ alarm) => ({ table, alarm })))
    .filter((/** @type {any} */ row) => row.alarm.kind !== "stopped");
  const rank = (/** @type {any} */ row) => (row.alarm.kind === "judge" ? 0 : 1);
  rows.sort((/** @type {any} */ a, /** @type {any} */ b) => rank(a) - rank(b) || a.alarm.at - b.alarm.at);
  if (!view.tables.length) return null;
  return h("section", { class: "hall-alarms", key: "alarms", "aria-label": t("hall.alarms") },
    h("h2", { class: "unseen" }, t("hall.alarms")),
    rows.length
      ? h("ul", null, rows.map(alarmRow))
      : h("p", { class: "calm" }, icon("check"), t("hall.calm")));
}

function alarmRow({ table, alarm }) {
  const more = alarm.kind === "device" ? t("hall.alarm_device_what", { id: alarm.text }) : alarm.text || maybe(`hall.alarm_${alarm.kind}_what`, "");
  return h("li", { class: cls("card alarm", alarm.kind), key: `${table.table} ${alarm.kind} ${alarm.seq || alarm.at}` },
    icon(ICONS[alarm.kind] || "warning"),
    h("div", null,
      h("p", null, h("b", null, t(`hall.alarm_${alarm.kind}`, { table: table.label })), " ", alarm.at > 0 && h("span", { class: "quiet" }, t("hall.since", { time: hhmm(alarm.at) }))),
      more && h("p", null, more)),
    alarm.kind === "judge" && boot.operator && h("button", { type: "button", class: "primary", onclick: () => go(table, alarm) }, t("hall.go")));
}

async function go(table, alarm) {
  const outcome = await post("/api/v1/attend", { table: table.table, journal: alarm.journal, seq: alarm.seq });
  toast(outcome.text, outcome.ok);
}

function tableCard(table, view, age) {
  return h("li", { class: cls("card hall-table", table.state, needs(table) && "needs"), key: table.table, "data-table": table.table },
    h("header", null,
      h("h3", null, table.label),
      h("span", { class: "quiet" }, gameOf(table)),
      h("span", { class: "chips" },
        table.state !== "here" && h("span", { class: "tag" }, icon("plug"), t(`hall.${table.state}`)),
        table.paused && h("span", { class: "tag" }, t("hall.paused")),
        table.virtual && h("span", { class: "tag" }, t("hall.virtual")),
        table.alarms.some((/** @type {any} */ a) => a.kind === "judge") && h("span", { class: "tag red" }, icon("flag"), t("hall.alarm_judge", { table: table.label })))),
    table.game
      ? [h("p", { class: "hall-turn" }, h("span", null, turnOf(table)), h("span", { class: "clock" }, icon("clock"), clockOf(table, view, age))),
         h("ul", { class: "hall-seats" }, table.seats.map((/** @type {any} */ s) => seatRow(table, s))),
         h("p", { class: "hall-hot" }, table.hot !== null && table.hot !== undefined && h("b", null, t("hall.hot", { value: table.hot })))]
      : h("p", { class: "quiet" }, t("hall.no_match")));
}

const gameOf = (table) => (table.game ? maybe(`hall.game_${table.game}`, table.game) : "");

function turnOf(table) {
  if (table.over) {
    const names = table.seats.filter((/** @type {any} */ s) => table.winners.includes(s.seat)).map((/** @type {any} */ s) => s.name);
    return names.length ? t("hall.won", { names: new Intl.ListFormat(boot.lang).format(names) }) : t("hall.over");
  }
  if (table.turn === null) return "";
  return table.turns ? t("hall.turn", { turn: table.turn, turns: table.turns }) : t("hall.turn_anthem", { turn: table.turn });
}

function clockOf(table, view, age) {
  const runs = !table.paused && !table.over && table.state === "here";
  return duration(table.elapsed + (runs ? Math.max(0, view.at - table.at) + age : 0));
}

function seatRow(table, seat) {
  const leads = table.leaders.includes(seat.seat);
  const most = Math.max(1, ...table.seats.map((/** @type {any} */ s) => s.count || 0));
  return h("li", { class: cls(houseClass(seat.house), leads && "leads"), key: `s${seat.seat}` },
    crest(seat.house, "mini"),
    h("span", { class: "hall-name" }, h("span", null, seat.name), leads && h("span", { class: "tag" }, t(table.leaders.length > 1 ? "hall.tied" : "hall.leads"))),
    h("span", { class: "bar", "aria-hidden": "true" }, h("i", { style: { width: `${((seat.count || 0) / most) * 100}%` } })),
    seat.count !== null && h("span", { class: "hall-count" }, h("b", { "aria-hidden": "true" }, String(seat.count)),
      h("span", { class: "unseen" }, tn(table.game === "anthem" ? "hall.laid" : "hall.cards", seat.count))));
}
