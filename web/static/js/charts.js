/** Two charts of a match, drawn by ourselves: the field's growth with its owner, the cards over time. */
import { boot, t } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { houseClass } from "./art.js";
import { nameOf } from "./side.js";

const TALL = 260;
const PAD = { left: 44, right: 12, top: 16, bottom: 26 };
/** How each seat's line is broken, so that it is known without its colour. */
const DASHES = ["none", "9 4", "2 4", "12 4 2 4", "5 5"];

/**
 * Draws both charts, each with its table; a click leads to that step.
 * @param {HTMLElement} root @param {import("./replay-steps.js").Steps} steps @param {(n: number) => void} jump
 */
export function charts(root, steps, jump) {
  const frames = [];
  if (steps.match.steps.some((/** @type {any} */ s) => s.field)) frames.push(frame("field", fieldChart, fieldTable));
  if (steps.match.steps.some((/** @type {any} */ s) => s.laid)) frames.push(frame("laid", (...rest) => lineChart("laid", ...rest), (all) => seatTable("laid", all)));
  if (steps.match.steps.some((/** @type {any} */ s) => s.cards)) frames.push(frame("cards", (...rest) => lineChart("cards", ...rest), (all) => seatTable("cards", all)));
  patch(root, frames.map((one) => one.node));
  const draw = () => frames.forEach((one) => one.draw(root, steps, jump));
  draw();
  new ResizeObserver(draw).observe(root);
}

function frame(id, chart, table) {
  let wide = 0;
  const game = (/** @type {any} */ steps) => (id === "cards" && steps.match.game === "anthem" ? "hands" : id);
  return {
    node: h("section", { class: "card chart-card", key: id, id: `chart-${id}` }),
    draw(/** @type {HTMLElement} */ root, steps, jump) {
      const card = /** @type {HTMLElement} */ (root.querySelector(`#chart-${id}`));
      const room = Math.round(card.clientWidth - parseFloat(getComputedStyle(card).paddingLeft) * 2);
      if (room === wide || room < 50) return;
      wide = room;
      const title = t(`chart.${game(steps)}`);
      patch(card,
        h("h2", null, title),
        legend(steps),
        h("div", { class: "chart", key: `w${wide}`, onclick: (/** @type {MouseEvent} */ e) => jump(stepAt(steps, wide, e)), init: (/** @type {any} */ node) => { node.mark = (/** @type {number} */ n) => mark(node, steps, wide, n); } },
          chart(steps, wide, title, t(`chart.${game(steps)}_what`)),
          h("div", { class: "cursor", "aria-hidden": "true" })),
        h("details", null, h("summary", null, t("chart.table")),
          h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, table(steps))));
      mark(card.querySelector(".chart"), steps, wide, Number(document.body.dataset.step || 1));
    },
  };
}

/** Who is drawn how: colour, hatching and dashes say the same. */
function legend(steps) {
  return h("ul", { class: "row legend" }, steps.seats.map((/** @type {any} */ s, /** @type {number} */ i) => h("li", { key: s.seat, class: houseClass(houseOf(steps, s.seat)) },
    h("svg", { viewBox: "0 0 40 20", width: 40, height: 20, "aria-hidden": "true" },
      h("rect", { x: 1, y: 1, width: 16, height: 18, class: "bar-fill" }), h("g", null, hatching(i, 1, 1, 16, 18)),
      h("line", { x1: 20, y1: 10, x2: 40, y2: 10, class: "seat-line", "stroke-dasharray": DASHES[i % DASHES.length] })),
    nameOf(steps, s.seat))));
}

function houseOf(steps, seat) {
  return steps.house(seat) || `s${seat}`;
}

/** What tells one seat's bars from another's without colour: lines or dots inside them. */
function hatching(i, x, y, width, height) {
  const marks = [];
  if (height < 6 || width < 4) return marks;
  const step = 6;
  if (i === 1 || i === 4) for (let at = y + 3; at < y + height - 1; at += step) marks.push(h("line", { x1: x + 1, x2: x + width - 1, y1: at, y2: at, class: "hatch" }));
  if (i === 2 || i === 4) for (let at = x + 3; at < x + width - 1; at += step) marks.push(h("line", { x1: at, x2: at, y1: y + 1, y2: y + height - 1, class: "hatch" }));
  if (i === 3) for (let at = y + 4; at < y + height - 2; at += step) marks.push(h("circle", { cx: x + width / 2, cy: at, r: 1.3, class: "hatch-dot" }));
  return marks;
}

/** Left edge of step n (from 1) where all steps share the width. */
function across(steps, wide, n) {
  return PAD.left + ((n - 1) / Math.max(1, steps.total - 1)) * (wide - PAD.left - PAD.right);
}

function stepAt(steps, wide, event) {
  const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
  const share = (event.clientX - box.left - PAD.left) / (wide - PAD.left - PAD.right);
  return Math.round(1 + Math.min(1, Math.max(0, share)) * (steps.total - 1));
}

function mark(chart, steps, wide, n) {
  const cursor = chart && /** @type {HTMLElement|null} */ (chart.querySelector(".cursor"));
  if (cursor) cursor.style.setProperty("left", `${across(steps, wide, n)}px`);
}

/** A round number of about `most` / 4, for the lines across. */
function stride(most) {
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  return [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough) || rough;
}

function axes(wide, least, most, y) {
  const lines = [];
  const by = stride(most - least);
  for (let value = Math.ceil(least / by) * by; value <= most; value += by) {
    lines.push(h("line", { x1: PAD.left, x2: wide - PAD.right, y1: y(value), y2: y(value), class: "grid-line" }),
      h("text", { x: PAD.left - 8, y: y(value) + 4, "text-anchor": "end" }, value.toLocaleString(boot.lang)));
  }
  return lines;
}

function svg(wide, title, what, ...kids) {
  const id = `svg-${title.replace(/\W+/g, "-")}`;
  return h("svg", { viewBox: `0 0 ${wide} ${TALL}`, width: wide, height: TALL, role: "img", "aria-labelledby": `${id}-t`, "aria-describedby": `${id}-d` },
    h("title", { id: `${id}-t` }, title), h("desc", { id: `${id}-d` }, what), kids);
}

/** A bar for each step that changed a field, as high as the field, in its owner's colour and hatching. */
function fieldChart(steps, wide, title, what) {
  const points = steps.match.steps.filter((/** @type {any} */ s) => s.field);
  const most = Math.max(10, ...points.map((/** @type {any} */ s) => s.field.value));
  const y = (/** @type {number} */ value) => TALL - PAD.bottom - (value / most) * (TALL - PAD.top - PAD.bottom);
  const room = (wide - PAD.left - PAD.right) / Math.max(1, steps.total - 1);
  const thick = Math.max(1.5, Math.min(26, room * 0.86));
  const order = steps.seats.map((/** @type {any} */ s) => s.seat);
  const bars = points.map((/** @type {any} */ s) => {
    const height = TALL - PAD.bottom - y(s.field.value);
    const x = across(steps, wide, s.n) - thick / 2;
    return h("g", { key: `b${s.n}`, class: houseClass(houseOf(steps, s.field.owner)), "data-n": s.n, "data-value": s.field.value, "data-owner": s.field.owner },
      h("rect", { x, y: y(s.field.value), width: thick, height, class: "bar-fill" }),
      hatching(order.indexOf(s.field.owner), x, y(s.field.value), thick, height));
  });
  return svg(wide, title, what, axes(wide, 0, most, y), bars, peaks(steps, wide, y), h("text", { x: wide / 2, y: TALL - 6, "text-anchor": "middle" }, t("chart.plays")));
}

/** What a duel ended at, over its last bar, where there is room. */
function peaks(steps, wide, y) {
  let free = -Infinity;
  return [...steps.duels].sort((a, b) => a.to - b.to).map((d) => {
    const x = across(steps, wide, d.to);
    if (!d.value || x - free < 34) return null;
    free = x;
    return h("text", { key: `p${d.to}`, x: Math.min(x, wide - 16), y: Math.max(11, y(d.value) - 5), "text-anchor": "middle", class: "peak" }, String(d.value));
  });
}

/** A line for each seat that steps as its cards do. @param {"cards"|"laid"} what */
function lineChart(what, steps, wide, title, told) {
  const list = steps.match.steps.filter((/** @type {any} */ s) => s[what]);
  const values = list.flatMap((/** @type {any} */ s) => Object.values(s[what]));
  const most = Math.max(4, ...values) + 1;
  const least = Math.max(0, Math.min(...values) - 1);
  const y = (/** @type {number} */ value) => TALL - PAD.bottom - ((value - least) / (most - least)) * (TALL - PAD.top - PAD.bottom);
  const lines = steps.seats.map((/** @type {any} */ seat, /** @type {number} */ i) => {
    const key = String(seat.seat);
    let path = "";
    let before = /** @type {number|null} */ (null);
    for (const s of list) {
      const value = s[what][key];
      if (value === undefined || value === before) continue;
      // Lines that run together are drawn a little apart, so that none hides.
      const x = across(steps, wide, s.n).toFixed(1);
      const high = (y(value) + (i - (steps.seats.length - 1) / 2) * 2.4).toFixed(1);
      path += before === null ? `M${x} ${high}` : `H${x}V${high}`;
      before = value;
    }
    path += `H${wide - PAD.right}`;
    return h("path", { key, d: path, class: cls("seat-line", houseClass(houseOf(steps, seat.seat))), "data-seat": key, "data-last": before, "stroke-dasharray": DASHES[i % DASHES.length] });
  });
  return svg(wide, title, told, axes(wide, least, most, y), lines, h("text", { x: wide / 2, y: TALL - 6, "text-anchor": "middle" }, t("chart.plays")));
}

function fieldTable(steps) {
  const rows = steps.match.steps.filter((/** @type {any} */ s) => s.field);
  return h("table", { class: "data" },
    h("thead", null, h("tr", null, ["step", "duel", "happened", "value", "owner"].map((key) => h("th", { scope: "col" }, t(`chart.col_${key}`))))),
    h("tbody", null, rows.map((/** @type {any} */ s) => h("tr", { key: s.n }, h("th", { scope: "row" }, String(s.n)),
      h("td", null, t("arena.title", { a: nameOf(steps, s.field.a), b: nameOf(steps, s.field.b) })), h("td", null, s.text),
      h("td", null, String(s.field.value)), h("td", null, s.field.owner ? nameOf(steps, s.field.owner) : "—")))));
}

/** Only the steps at which a count changed. @param {"cards"|"laid"} what */
function seatTable(what, steps) {
  let before = "";
  const rows = steps.match.steps.filter((/** @type {any} */ s) => {
    const now = JSON.stringify(s[what]);
    const fresh = s[what] && now !== before;
    before = now;
    return fresh;
  });
  return h("table", { class: "data" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, t("chart.col_step")), steps.seats.map((/** @type {any} */ s) => h("th", { scope: "col", key: s.seat }, nameOf(steps, s.seat))))),
    h("tbody", null, rows.map((/** @type {any} */ s) => h("tr", { key: s.n }, h("th", { scope: "row" }, String(s.n)),
      steps.seats.map((/** @type {any} */ seat) => h("td", { key: seat.seat }, String(s[what][String(seat.seat)] ?? "—")))))));
}
