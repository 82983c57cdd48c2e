/** The day: what is planned, what has become of it, and who stands where. */
import { boot, maybe, t, tn } from "./boot.js";
import { cls, h, patch } from "./dom.js";

/** Seconds after which the day is fetched again although nothing new was said. */
const OLD = 60;
let day = /** @type {any} */ (null);
let fetchedFor = -1;
let fetchedAt = 0;
let fetching = false;

/** @param {HTMLElement} root @param {any} view @param {number} _age @param {() => void} redraw */
export function drawDay(root, view, _age, redraw) {
  if (day === null) {
    day = boot.extra.day;
    fetchedFor = view.played;
    fetchedAt = performance.now() / 1000;
  }
  refresh(view, redraw);
  const labels = new Map(view.tables.map((/** @type {any} */ one) => [one.table, one.label]));
  patch(root, h("div", { class: "hall-day" },
    day.played === null && h("p", { class: "card problem", role: "alert" }, t("hall.day_unknown")),
    day.trouble && h("p", { class: "card problem", role: "alert" }, day.trouble),
    h("section", { class: "card", "aria-labelledby": "plan" },
      h("h1", { id: "plan" }, t("hall.schedule")),
      day.schedule.length ? schedule(labels) : h("p", { class: "quiet" }, t("hall.schedule_none"))),
    h("section", { class: "card", "aria-labelledby": "standing" },
      h("h1", { id: "standing" }, t("hall.standings")),
      day.played !== null && h("p", { class: "quiet" }, tn("hall.played", day.played)),
      Object.keys(day.standings).length
        ? [Object.entries(day.standings).map(standing), h("p", { class: "quiet" }, t("hall.standings_how"))]
        : h("p", { class: "quiet" }, t("hall.standings_none")))));
}

function refresh(view, redraw) {
  const now = performance.now() / 1000;
  if (fetching || (view.played === fetchedFor && now - fetchedAt < OLD) || now - fetchedAt < 6) return;
  fetching = true;
  fetchedAt = now;
  fetch("/api/v1/day").then((answer) => (answer.ok ? answer.json() : null)).catch(() => null).then((found) => {
    fetching = false;
    if (found) {
      day = found;
      fetchedFor = view.played;
    }
    redraw();
  });
}

function schedule(labels) {
  const heads = ["time", "table", "what", "who", "result"];
  return h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": t("hall.schedule") }, h("table", null,
    h("thead", null, h("tr", null, heads.map((one) => h("th", { scope: "col", key: one }, t(`hall.${one}`))))),
    h("tbody", null, day.schedule.map((/** @type {any} */ row, /** @type {number} */ i) =>
      h("tr", { key: String(i), class: cls(row.match && (row.match.over ? "past" : "now")) },
        h("td", null, row.start), h("td", null, labels.get(row.table) || row.table), h("td", null, row.title),
        h("td", null, row.players.join(", ")), h("td", null, result(row.match)))))));
}

function result(match) {
  if (!match) return t("hall.planned");
  if (!match.over) return h("b", null, t("hall.running"));
  return match.winners.length ? t("hall.won", { names: new Intl.ListFormat(boot.lang).format(match.winners) }) : t("hall.over");
}

const points = new Intl.NumberFormat(boot.lang, { maximumFractionDigits: 2 });

function standing([game, rows]) {
  const heads = ["place", "name", "matches", "wins", "points"];
  return h("div", { key: game },
    h("h2", null, maybe(`hall.game_${game}`, game)),
    h("table", { class: "standing" },
      h("thead", null, h("tr", null, heads.map((one) => h("th", { scope: "col", key: one, class: cls(one !== "name" && "number") }, t(`hall.${one}`))))),
      h("tbody", null, rows.map((/** @type {any} */ row) => h("tr", { key: row.name },
        h("td", { class: "number" }, String(row.place)), h("th", { scope: "row" }, row.name),
        h("td", { class: "number" }, String(row.matches)), h("td", { class: "number" }, String(row.wins)), h("td", { class: "number" }, h("b", null, points.format(row.points))))))));
}
