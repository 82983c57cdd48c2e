/** Set-up: readers and cameras and where they are plugged in; zones by touch; lights. */
import { boot, maybe, t } from "./boot.js";
import { cls, h } from "./dom.js";
import { icon } from "./art.js";
import { command, step } from "./send.js";
import { deviceLine, facts } from "./setup-common.js";

const ports = /** @type {Object<string, string>} */ ({});

/** @param {any} view @param {() => void} redraw */
export function devicesStep(view, redraw) {
  const known = Object.fromEntries(view.devices.map((/** @type {any} */ d) => [d.id, d]));
  const wanted = [...facts.layout.readers.map((/** @type {any} */ r) => ({ ...r, kind: "reader" })), ...facts.layout.cameras.map((/** @type {any} */ c) => ({ ...c, kind: "camera" }))];
  const others = view.devices.filter((/** @type {any} */ d) => !wanted.some((one) => one.id === d.id));
  return h("div", { class: "stack" },
    wanted.length === 0 && h("p", { key: "none" }, t("setup.no_devices")),
    h("ul", { class: "device-list" },
      wanted.map((one) => h("li", { key: one.id, class: "card inner" },
        deviceLine(known[one.id] || { id: one.id, kind: one.kind, state: "starting", since: view.at, detail: t("setup.device_silent") }),
        boot.virtual && one.kind === "reader" ? h("p", { class: "quiet" }, t("setup.stand_in")) : portForm(one, view, redraw))),
      others.map((/** @type {any} */ d) => h("li", { key: d.id, class: "card inner" }, deviceLine(d)))));
}

function portForm(one, view, redraw) {
  const now = facts.ports[one.id];
  const value = ports[one.id] ?? now;
  const list = `places-${one.id}`;
  const found = one.kind === "camera" ? facts.cameras.map((/** @type {string} */ c) => ({ port: c, what: "" })) : facts.serial;
  const keep = (/** @type {string} */ port) => async () => {
    const outcome = await command({ cmd: "device-port", device: one.id, port });
    if (outcome.ok) delete ports[one.id];
    redraw();
  };
  return h("details", null, h("summary", null, t("setup.port_at", { port: now })),
    h("div", { class: "stack" },
      h("label", { class: "field-row" }, h("span", null, t(one.kind === "camera" ? "setup.source" : "setup.port")),
        h("input", { type: "text", maxlength: 200, list, value, spellcheck: "false", autocapitalize: "off", oninput: (/** @type {Event} */ e) => { ports[one.id] = /** @type {HTMLInputElement} */ (e.target).value; redraw(); } })),
      h("datalist", { id: list }, found.map((/** @type {any} */ p) => h("option", { key: p.port, value: p.port }, p.what))),
      h("p", { class: "quiet" }, found.length ? t("setup.found", { list: found.map((/** @type {any} */ p) => (p.what ? `${p.port} (${p.what})` : p.port)).join(", ") }) : t(one.kind === "camera" ? "setup.found_no_camera" : "setup.found_no_port")),
      h("div", { class: "row" },
        h("button", { type: "button", disabled: value === now || !value.trim() || view.setup.restarting, onclick: keep(value) }, t("setup.port_use")),
        now !== facts.plain_ports[one.id] && h("button", { type: "button", key: "plain", disabled: view.setup.restarting, onclick: keep("") }, t("setup.port_plain", { port: facts.plain_ports[one.id] })))));
}

// -- zones --------------------------------------------------------------------------------------------

/** What a spot is called, without its seat. @param {any} zone */
function zoneName(zone) {
  if (zone.kind === "place") return t("virtual.place", { place: zone.place });
  return maybe(`setup.zone.${zone.kind}`, zone.id);
}

/** @param {any} view */
export function zonesStep(view) {
  const running = view.zone_setup;
  const zones = facts.layout.zones;
  const seats = [...new Set(zones.map((/** @type {any} */ z) => z.seat))];
  const bound = Object.fromEntries(((running && running.bound) || []).map((/** @type {any} */ one) => [one.zone, one]));
  const lamps = new Set(facts.layout.readers.filter((/** @type {any} */ r) => r.driver === "link").map((/** @type {any} */ r) => r.id));
  const asked = running && zones.find((/** @type {any} */ z) => z.id === running.zone);
  return h("div", { class: "stack" },
    running && h("p", { class: cls("asked", running.level), role: "status", "aria-live": "polite", key: "asked" },
      icon(running.level === "warn" ? "warning" : running.zone ? "hand" : "check"), h("span", null, running.text),
      asked && lamps.has(asked.reader) && h("span", { class: "quiet block" }, t("setup.lamp_lit"))),
    h("div", { class: "map", role: "list", "aria-label": t("setup.map") }, seats.map((seat) => h("div", { class: "map-seat", role: "listitem", key: String(seat) },
      h("h3", null, seat === null ? t("setup.zone.shared") : seatName(seat)),
      h("ul", null, zones.filter((/** @type {any} */ z) => z.seat === seat).map((/** @type {any} */ z) => zoneTile(z, bound[z.id], running)))))),
    h("div", { class: "row" },
      !running && h("button", { type: "button", class: "primary", id: "zones-start", key: "start", onclick: () => command({ cmd: "zones-start" }) }, t("setup.zones_start")),
      running && running.zone && h("button", { type: "button", key: "skip", onclick: () => step({ cmd: "zones-skip" }) }, t("setup.zones_skip")),
      running && running.bound.length > 0 && h("button", { type: "button", key: "back", onclick: () => step({ cmd: "zones-back" }) }, t("setup.zones_back")),
      running && running.bound.length > 0 && h("button", { type: "button", class: cls(!running.zone && "primary"), key: "save", onclick: async () => {
        const outcome = await command({ cmd: "zones-save" });
        if (outcome.ok) await command({ cmd: "setup-step", step: "zones", state: "done" });
      } }, t("setup.zones_save")),
      running && h("button", { type: "button", key: "stop", onclick: () => command({ cmd: "zones-stop" }) }, t("setup.zones_stop"))));
}

function seatName(seat) {
  const found = facts.layout.seats.find((/** @type {any} */ s) => s.id === seat);
  return (found && found.name) || t("seat.number", { seat });
}

function zoneTile(zone, touched, running) {
  const asked = running && running.zone === zone.id;
  const where = touched || zone;
  return h("li", { key: zone.id, class: cls("zone-tile", asked && "asked", touched && "done"), "aria-current": asked ? "true" : null },
    asked ? icon("hand") : touched ? icon("check") : null,
    h("b", null, zoneName(zone)),
    h("span", { class: "quiet block" }, asked ? t("setup.zone_asked") : t(touched ? "setup.zone_touched" : "setup.zone_plain", { reader: where.reader, antenna: where.antenna })));
}

// -- lights -------------------------------------------------------------------------------------------

const COLOURS = ["red", "green", "blue", "white"];

/** @param {any} view */
export function lightsStep(view) {
  const lights = view.setup.lights;
  if (!lights.length) return h("p", null, t("setup.no_lights"));
  const now = view.setup.light;
  return h("ul", { class: "lights" }, lights.map((/** @type {any} */ one) => light(one, now)));
}

function light(one, now) {
  const zone = facts.layout.zones.find((/** @type {any} */ z) => z.id === one.at);
  const name = zone ? `${zoneName(zone)}${zone.seat === null ? "" : `, ${seatName(zone.seat)}`}` : t("setup.the_crown");
  const lit = now && now.at === one.at;
  const seen = (/** @type {string} */ answer) => () => command({ cmd: "light-seen", at: one.at, seen: answer });
  return h("li", { key: one.at, class: cls("card inner light", lit && "lit") },
    h("div", { class: "light-name" }, icon(zone ? "info" : "crown"), h("b", null, name), " ",
      one.seen && h("span", { class: cls("tag", one.seen) }, icon(one.seen === "seen" ? "check" : "warning"), t(`setup.light.${one.seen}`))),
    h("div", { class: "row", role: "group", "aria-label": t("setup.light_of", { name }) },
      COLOURS.map((colour) => h("button", { type: "button", key: colour, class: "swatch", "aria-pressed": String(Boolean(lit && now.colour === colour)), onclick: () => command({ cmd: "light-test", at: one.at, colour }) },
        h("span", { class: `dot ${colour}`, "aria-hidden": "true" }), t(`setup.colour.${colour}`)))),
    lit && h("div", { class: "row did-you", key: "ask" }, h("span", null, t("setup.did_you_see")),
      h("button", { type: "button", class: "primary", onclick: seen("seen") }, t("setup.yes")),
      h("button", { type: "button", onclick: seen("unseen") }, t("setup.no"))),
    one.seen === "unseen" && h("p", { class: "quiet", key: "cure" }, t(zone ? "setup.lamp_cure" : "setup.crown_cure")));
}
