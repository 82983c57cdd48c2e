/** Set-up: what the camera sees now, how well it is calibrated, where the tray lies. */
import { boot, t } from "./boot.js";
import { cls, h } from "./dom.js";
import { colourName, diceSeen, icon, whyUnread } from "./art.js";
import { command, post } from "./send.js";
import { deviceLine, facts } from "./setup-common.js";

/** Milliseconds between an answer and the next question: a few pictures a second are enough to aim by. */
const PAUSE = 400;
let camera = "";
let look = /** @type {any} */ (null);
let watching = false;
let part = "tray";
let drag = /** @type {{x: number, y: number, box: number[]}|null} */ (null);
let calibrated = /** @type {{ok: boolean, text: string}|null} */ (null);
let busy = false;

/** @param {any} view @param {() => void} redraw */
export function cameraStep(view, redraw) {
  const cameras = facts.layout.cameras.map((/** @type {any} */ c) => c.id);
  if (!cameras.length) return h("p", null, t("setup.no_camera"));
  if (!cameras.includes(camera)) camera = cameras[0];
  if (!watching) watch(redraw);
  const device = view.devices.find((/** @type {any} */ d) => d.id === camera);
  const known = view.setup.cameras[camera] || { exposure: {}, light: {} };
  const figures = { mode: known.mode, exposure: known.exposure.text, rate: known.rate, brightness: known.brightness };
  return h("div", { class: "stack" },
    cameras.length > 1 && h("div", { class: "row", role: "group", "aria-label": t("setup.cameras"), key: "cameras" }, cameras.map((/** @type {string} */ one) =>
      h("button", { type: "button", key: one, "aria-pressed": String(one === camera), onclick: () => { camera = one; look = null; redraw(); } }, one))),
    h("div", { class: "camera-grid" },
      picture(view, redraw),
      h("div", { class: "stack" },
        device ? deviceLine(device) : h("p", null, t("setup.device_silent")),
        h("div", null, h("h3", null, t("setup.seen_now")), dice()),
        h("dl", { class: "facts" }, Object.entries(figures).filter(([, value]) => value).map(([name, value]) =>
          h("div", { key: name }, h("dt", null, t(`setup.fact.${name}`)), h("dd", null, String(value))))))),
    calibration(known, redraw),
    tray(view, redraw));
}

async function watch(redraw) {
  watching = true;
  for (;;) {
    if (!document.hidden && !drag) {
      const answer = await fetch(`/api/v1/setup/look?camera=${encodeURIComponent(camera)}`).then((a) => (a.ok ? a.json() : null)).catch(() => null);
      if (!drag) look = answer && answer.look;
      redraw();
    }
    await new Promise((done) => setTimeout(done, look ? PAUSE : 2 * PAUSE));
  }
}

// -- the picture --------------------------------------------------------------------------------------

function picture(view, redraw) {
  if (!look) return h("div", { class: "no-picture", key: "none" }, icon("warning"), h("p", null, t("setup.no_picture")));
  const [width, height] = look.size;
  const line = Math.max(2, width / 320);
  const boxes = view.setup.trays[camera] || {};
  return h("figure", { class: "view", key: "picture" },
    h("img", { src: look.picture, width, height, alt: t("setup.picture_of", { camera }) }),
    h("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", class: "over",
      onpointerdown: (/** @type {PointerEvent} */ e) => begin(e, redraw), onpointermove: (/** @type {PointerEvent} */ e) => move(e, redraw),
      onpointerup: () => end(redraw), onpointercancel: () => { drag = null; redraw(); } },
      Object.entries(boxes).map(([name, box]) => frame(`p${name}`, box, partName(name), cls("part", name === part && "on"), line)),
      drag && frame("drag", drag.box, "", "part on", line),
      look.dice.map((/** @type {any} */ d, /** @type {number} */ i) => frame(`d${i}`, d.box, d.face ? `${d.face} · ${Math.round(d.confidence * 100)} %` : whyUnread(d), d.face ? "sure" : "unsure", line))),
    h("figcaption", { class: "quiet" }, t(look.moving ? "setup.moving" : "setup.still", { ms: look.ms })));
}

function frame(key, box, label, className, line) {
  const [x, y, w, h4] = box;
  const size = line * 8;
  const above = y > size * 1.4;
  return h("g", { key, class: className },
    h("rect", { x, y, width: w, height: h4, "stroke-width": line, "stroke-dasharray": className === "unsure" ? `${line * 4} ${line * 2}` : null }),
    label && h("text", { x, y: above ? y - line * 2 : y + h4 + size, "font-size": size, "stroke-width": line * 1.4 }, label));
}

function dice() {
  const list = (look && look.dice) || [];
  if (!list.length) return h("p", { class: "quiet" }, t("setup.no_dice"));
  return diceSeen(list);
}

// -- calibration --------------------------------------------------------------------------------------

function calibration(known, redraw) {
  return h("section", { class: "card inner", key: "calibration", "aria-labelledby": "calibration-title" },
    h("h3", { id: "calibration-title" }, t("setup.calibration")),
    h("p", null, t("setup.board")),
    known.calibration ? h("p", { class: "score", key: "score" }, icon(known.calibration.poor ? "warning" : "check"), h("span", null, known.calibration.text)) : h("p", { class: "quiet", key: "none" }, t("setup.not_calibrated")),
    known.light.text && h("p", { class: "quiet", key: "light" }, t("setup.white", { text: known.light.text })),
    calibrated && !calibrated.ok && h("p", { class: "problem", role: "alert", key: "problem" }, calibrated.text),
    h("p", null, h("button", { type: "button", id: "calibrate", disabled: busy || !look, onclick: async () => {
      busy = true;
      redraw();
      calibrated = await post("/api/v1/setup/calibrate", { camera });
      busy = false;
      redraw();
    } }, t(busy ? "setup.calibrating" : "setup.calibrate"))),
    calibrated && calibrated.ok && h("p", { role: "status", key: "done", class: "quiet" }, t("setup.calibrated", { text: calibrated.text })));
}

// -- the tray -----------------------------------------------------------------------------------------

function partName(name) {
  return name === "tray" ? t("setup.part_tray") : t("setup.part_seat", { seat: name.replace("seat", "") });
}

function tray(view, redraw) {
  const boxes = view.setup.trays[camera] || {};
  const parts = ["tray", ...facts.layout.seats.map((/** @type {any} */ s) => `seat${s.id}`)];
  const [width, height] = look ? look.size : [0, 0];
  const box = boxes[part] || [0, 0, width, height];
  const names = ["left", "top", "width", "height"];
  const whole = [width, height, width, height];
  return h("section", { class: "card inner", key: "tray", "aria-labelledby": "tray-title" },
    h("h3", { id: "tray-title" }, t("setup.tray")),
    h("p", null, t("setup.tray_what")),
    h("div", { class: "row", role: "group", "aria-label": t("setup.tray_part") }, parts.map((one) => h("button", { type: "button", key: one, "aria-pressed": String(one === part), onclick: () => { part = one; redraw(); } },
      boxes[one] && icon("check"), partName(one)))),
    look && h("div", { class: "fields", key: "numbers" }, names.map((name, i) => h("label", { class: "field-row", key: name }, h("span", null, t(`setup.box.${name}`)),
      h("input", { type: "number", min: i < 2 ? 0 : 1, max: 100, value: Math.round((100 * box[i]) / whole[i]), onchange: (/** @type {Event} */ e) => {
        const fresh = [...box];
        fresh[i] = Math.round((whole[i] * Number(/** @type {HTMLInputElement} */ (e.target).value)) / 100);
        keep(fresh, redraw);
      } })))),
    boxes[part] && h("p", { key: "forget" }, h("button", { type: "button", onclick: () => keep(null, redraw) }, t("setup.part_forget", { part: partName(part) }))));
}

async function keep(box, redraw) {
  await command({ cmd: "tray-part", camera, part, box });
  redraw();
}

function at(e) {
  const area = /** @type {SVGElement} */ (e.currentTarget).getBoundingClientRect();
  const [width, height] = look.size;
  const x = ((e.clientX - area.left) / area.width) * width;
  const y = ((e.clientY - area.top) / area.height) * height;
  return { x: Math.round(Math.min(Math.max(x, 0), width)), y: Math.round(Math.min(Math.max(y, 0), height)) };
}

function begin(e, redraw) {
  const { x, y } = at(e);
  drag = { x, y, box: [x, y, 0, 0] };
  /** @type {Element} */ (e.currentTarget).setPointerCapture(e.pointerId);
  e.preventDefault();
  redraw();
}

function move(e, redraw) {
  if (!drag) return;
  const { x, y } = at(e);
  drag.box = [Math.min(x, drag.x), Math.min(y, drag.y), Math.abs(x - drag.x), Math.abs(y - drag.y)];
  redraw();
}

function end(redraw) {
  const done = drag;
  drag = null;
  // A tap is no region.
  if (done && done.box[2] > look.size[0] / 50 && done.box[3] > look.size[1] / 50) keep(done.box, redraw);
  redraw();
}
