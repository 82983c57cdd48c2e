/** Set-up: a deck swept over the scan spot; the list of cards as a file, in and out. */
import { maybe, t } from "./boot.js";
import { cls, h } from "./dom.js";
import { card, cardLabel, icon } from "./art.js";
import { command } from "./send.js";
import { chosenText, facts } from "./setup-common.js";

const plan = { only: "", again: false, mode: "number", sure: false, replace: false };

/** @param {any} view @param {() => void} redraw */
export function decksStep(view, redraw) {
  const { bound, total } = view.setup.cards;
  return h("div", { class: "stack" },
    h("div", { class: "counted", key: "counted" },
      h("progress", { max: total, value: bound, "aria-label": t("setup.cards_known") }),
      h("p", null, t("setup.cards_of", { bound, total }))),
    view.enrolment ? running(view, redraw) : start(redraw),
    listFile(redraw));
}

function start(redraw) {
  const scan = facts.layout.zones.find((/** @type {any} */ z) => z.kind === "scan");
  if (!scan) return h("p", { class: "note", key: "no-scan" }, t("setup.no_scan"));
  const writes = facts.writers.includes(scan.reader);
  const parts = [...new Set(facts.deck.map((/** @type {string} */ id) => id.split("/")[0]))].filter((one) => one !== "crown");
  const mode = (/** @type {string} */ name) => h("label", { class: cls("choice", plan.mode === name && "on"), key: name },
    h("input", { type: "radio", name: "mode", value: name, checked: plan.mode === name, disabled: name !== "number" && !writes, onchange: () => { plan.mode = name; plan.sure = false; redraw(); } }),
    h("span", null, h("b", null, t(`setup.mode.${name}`)), h("span", { class: "quiet block" }, t(`setup.mode_what.${name}`))));
  return h("form", { class: "stack", key: "start", onsubmit: (/** @type {Event} */ e) => {
    e.preventDefault();
    command({ cmd: "enrol-start", only: plan.only ? `${plan.only}/` : "", again: plan.again, mode: plan.mode });
  } },
    h("fieldset", null, h("legend", null, t("setup.how")), h("div", { class: "choices" }, mode("number"), mode("write"), mode("lock")),
      !writes && h("p", { class: "quiet", key: "cant" }, t("setup.cant_write", { reader: scan.reader })),
      plan.mode === "lock" && h("label", { class: "check", key: "sure" }, h("input", { type: "checkbox", checked: plan.sure, onchange: () => { plan.sure = !plan.sure; redraw(); } }), h("span", null, t("setup.lock_sure")))),
    h("div", { class: "fields" },
      h("label", { class: "field-row" }, h("span", null, t("setup.which")),
        h("select", { onchange: (/** @type {Event} */ e) => { plan.only = /** @type {HTMLSelectElement} */ (e.target).value; } },
          h("option", { value: "", selected: plan.only === "" }, t("setup.which_all")),
          parts.map((one) => h("option", { key: one, value: one, selected: plan.only === one }, maybe(`house.${one}`, one)))))),
    h("label", { class: "check" }, h("input", { type: "checkbox", checked: plan.again, onchange: () => { plan.again = !plan.again; } }), h("span", null, t("setup.again"))),
    h("p", null, h("button", { class: "primary", id: "enrol-start", disabled: plan.mode === "lock" && !plan.sure }, t("setup.enrol_start"))));
}

function running(view, redraw) {
  const e = view.enrolment;
  const tag = e.tag;
  return h("div", { class: "stack", key: "running" },
    h("div", { class: cls("enrol", e.level) },
      e.card && h("div", { class: "next-card", "aria-hidden": "true", key: "face" }, e.card === "crown" ? icon("crown", "icon big") : card(view, e.card)),
      h("div", { class: "enrol-says" },
        h("p", { class: "enrol-next", key: "next" }, e.card ? t("setup.lay", { card: label(view, e.card) }) : t("setup.enrol_done")),
        h("p", { class: "enrol-text", role: "status", "aria-live": "assertive" }, icon(e.level === "warn" ? "warning" : e.level === "ok" ? "check" : "hand"), h("span", null, e.text)),
        h("progress", { max: tag ? tag.of : 20, value: tag ? tag.reads : 0, "aria-label": t("setup.reads") }),
        h("p", { class: "quiet" }, tag ? t("setup.tag_read", { reads: tag.reads, of: tag.of, uid: tag.uid }) : t("setup.spot_empty")),
        h("p", { class: "quiet" }, t("setup.to_go", { n: e.to_go, of: e.total })))),
    h("div", { class: "row" },
      h("label", { class: "field-row" }, h("span", null, t("setup.other_card")),
        h("select", { onchange: (/** @type {Event} */ event) => {
          const pick = /** @type {HTMLSelectElement} */ (event.target);
          if (pick.value) command({ cmd: "enrol-card", card: pick.value });
          pick.value = "";
          redraw();
        } }, h("option", { value: "" }, t("setup.other_pick")), facts.deck.map((/** @type {string} */ id) => h("option", { key: id, value: id }, `${label(view, id)} (${id})`)))),
      h("button", { type: "button", class: cls(!e.card && "primary"), id: "enrol-stop", onclick: () => command({ cmd: "enrol-stop" }) }, t("setup.enrol_stop"))),
    e.bound.length > 0 && h("div", { key: "bound" }, h("h3", null, t("setup.bound")), h("ol", { class: "bound", reversed: true }, e.bound.map((/** @type {any} */ one) =>
      h("li", { key: `${one.card} ${one.uid}` }, icon("check"), h("span", null, h("b", null, label(view, one.card)), " ", h("span", { class: "quiet" }, `${one.uid} · ${one.text}`)))))));
}

const label = (/** @type {any} */ view, /** @type {string} */ id) => (id === "crown" ? t("setup.crown_card") : cardLabel(view, id));

function listFile(redraw) {
  return h("details", { key: "file" }, h("summary", null, t("setup.list")),
    h("div", { class: "stack" },
      h("p", null, t("setup.list_what")),
      h("p", null, h("a", { class: "button", href: "/setup/cards.csv", download: "cards.csv" }, t("setup.list_out"))),
      h("label", { class: "check" }, h("input", { type: "checkbox", checked: plan.replace, onchange: () => { plan.replace = !plan.replace; redraw(); } }), h("span", null, t("setup.list_replace"))),
      h("label", { class: "field-row" }, h("span", null, t("setup.list_in")),
        h("input", { type: "file", accept: ".csv,text/csv,text/plain", onchange: async (/** @type {Event} */ e) => {
          const given = await chosenText(/** @type {HTMLInputElement} */ (e.target));
          if (given) await command({ cmd: "cards-import", text: given.text, replace: plan.replace });
        } }))));
}
