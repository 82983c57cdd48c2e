/** Setting the table up, step by step; each step is a page, can be left, skipped and come back to. */
import { boot, maybe, sentence, t } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { icon } from "./art.js";
import { command, post, toast } from "./send.js";
import { cameraStep } from "./setup-camera.js";
import { chosenText, facts } from "./setup-common.js";
import { decksStep } from "./setup-decks.js";
import { devicesStep, lightsStep, zonesStep } from "./setup-devices.js";

const STEPS = ["language", "table", "devices", "zones", "camera", "lights", "decks", "pin", "ready"];
const DRAW = {
  language: languageStep, table: tableStep, devices: devicesStep, zones: zonesStep, camera: cameraStep,
  lights: lightsStep, decks: decksStep, pin: pinStep, ready: readyStep,
};

let ofBoot = boot.view.boot;
let chosen = "";
let pin = { fresh: "", again: "", problem: "" };

/** @param {HTMLElement} root @param {any} view @param {any} _previous @param {() => void} redraw */
export function draw(root, view, _previous, redraw) {
  root.className = "desk setup-page";
  if (view.boot !== ofBoot) {
    ofBoot = view.boot;
    fetch("/api/v1/setup").then((a) => (a.ok ? a.json() : null)).then((fresh) => {
      if (fresh) Object.assign(facts, fresh);
      redraw();
    }).catch(() => toast(t("send.no_answer"), false));
  }
  const step = boot.extra.step;
  const at = STEPS.indexOf(step);
  const states = Object.fromEntries(view.setup.steps.map((/** @type {any} */ one) => [one.step, one.state]));
  patch(root,
    h("h1", { class: "unseen" }, t("setup.title")),
    h("div", { class: "setup-grid" },
      h("nav", { class: "steps", "aria-label": t("setup.steps") }, h("ol", null, STEPS.map((one, i) => stepLink(one, i, step, states)))),
      h("section", { class: "card step", key: step, "aria-labelledby": "step-title" },
        h("p", { class: "quiet" }, t("setup.of", { n: at + 1, of: STEPS.length })),
        h("h2", { id: "step-title" }, t(`setup.name.${step}`)),
        h("p", { class: "lead" }, t(`setup.what.${step}`)),
        view.setup.restarting && h("p", { class: "note", role: "status", key: "restart" }, t("setup.restarting")),
        DRAW[step](view, redraw),
        step !== "ready" && footer(step, at, states[step]))));
}

function stepLink(one, i, step, states) {
  const state = states[one];
  const mark = state === "done" ? icon("check") : h("span", { class: "number", "aria-hidden": "true" }, String(i + 1));
  return h("li", { key: one, class: cls("step-link", state) },
    h("a", { href: `/setup/${one}`, "aria-current": one === step ? "step" : null, init: one === step ? intoView : null }, mark,
      h("span", null, t(`setup.name.${one}`), state && h("span", { class: "state" }, t(`setup.state.${state}`)))));
}

/** On a phone the steps are a row that scrolls: the present one is to be seen. @param {HTMLElement} link */
function intoView(link) {
  requestAnimationFrame(() => link.scrollIntoView({ block: "nearest", inline: "center" }));
}

function footer(step, at, state) {
  const go = (/** @type {string} */ how) => async () => {
    const outcome = await command({ cmd: "setup-step", step, state: how });
    if (outcome.ok) location.assign(`/setup/${STEPS[at + 1]}`);
  };
  return h("footer", { class: "step-foot", key: "foot" },
    h("div", { class: "row" },
      at > 0 && h("a", { class: "button", href: `/setup/${STEPS[at - 1]}` }, t("setup.back")),
      h("button", { type: "button", class: "primary", id: "next", onclick: go("done") }, t("setup.next")),
      state !== "done" && h("button", { type: "button", id: "skip", onclick: go("skipped"), "aria-describedby": "skip-what" }, t("setup.skip"))),
    state !== "done" && h("p", { class: "quiet", id: "skip-what" }, t(`setup.without.${step}`)));
}

// -- language -----------------------------------------------------------------------------------------

function languageStep() {
  return h("div", { class: "choices", role: "group", "aria-label": t("setup.name.language") },
    boot.extra.languages.map((/** @type {any} */ one) => h("form", { method: "post", action: "/language", key: one.id,
      onsubmit: async (/** @type {SubmitEvent} */ e) => {
        e.preventDefault();
        const form = /** @type {HTMLFormElement} */ (e.target);
        const outcome = await command({ cmd: "setup-language", language: one.id });
        if (outcome.ok) form.submit();
      } },
      h("input", { type: "hidden", name: "csrf", value: boot.csrf }),
      h("input", { type: "hidden", name: "back", value: "/setup/language" }),
      h("input", { type: "hidden", name: "lang", value: one.id }),
      h("button", { class: "choice", lang: one.id, "aria-pressed": String(boot.lang === one.id) }, h("b", null, one.name)))));
}

// -- game and layout ----------------------------------------------------------------------------------

function tableStep(view, redraw) {
  const now = view.setup.layout;
  const picked = chosen || now;
  const games = [...new Set(facts.layouts.filter((/** @type {any} */ one) => one.game).map((/** @type {any} */ one) => one.game))];
  const wrong = facts.layouts.filter((/** @type {any} */ one) => one.wrong);
  const running = view.match && !view.match.over;
  return h("div", { class: "stack" },
    games.map((game) => h("fieldset", { key: game, class: "layouts" }, h("legend", null, maybe(`game.${game}`, game)),
      h("div", { class: "choices" }, facts.layouts.filter((/** @type {any} */ one) => one.game === game).map((/** @type {any} */ one) =>
        h("label", { class: cls("choice", one.name === picked && "on"), key: one.name },
          h("input", { type: "radio", name: "layout", value: one.name, checked: one.name === picked, onchange: () => { chosen = one.name; redraw(); } }),
          h("span", null, h("b", null, one.name), " ", one.name === now && h("span", { class: "tag" }, t("setup.layout_now")), " ", one.own && h("span", { class: "tag" }, t("setup.layout_own")),
            h("span", { class: "quiet block" }, t("setup.layout_is", one)))))))),
    wrong.map((/** @type {any} */ one) => h("p", { class: "problem", key: one.name }, `${one.name}: ${one.wrong}`)),
    picked !== now && running && h("p", { class: "note", key: "match" }, t("setup.layout_match")),
    h("div", { class: "row" },
      h("button", { type: "button", id: "use-layout", disabled: picked === now || view.setup.restarting, onclick: async () => {
        const outcome = await command({ cmd: "layout-use", layout: picked });
        if (outcome.ok) chosen = "";
        redraw();
      } }, picked === now ? t("setup.layout_stays", { name: now }) : t("setup.layout_use", { name: picked }))),
    h("details", null, h("summary", null, t("setup.own_file")),
      h("p", null, t("setup.own_what")),
      h("label", { class: "field-row" }, h("span", null, t("setup.own_pick")),
        h("input", { type: "file", accept: ".toml,text/plain", onchange: async (/** @type {Event} */ e) => {
          const text = await chosenText(/** @type {HTMLInputElement} */ (e.target));
          if (text === null) return;
          const outcome = await command({ cmd: "layout-own", text: text.text, name: text.name });
          if (outcome.ok) Object.assign(facts, await fetch("/api/v1/setup").then((a) => a.json()).catch(() => ({})));
          redraw();
        } }))));
}

// -- PIN ----------------------------------------------------------------------------------------------

function pinStep(_view, redraw) {
  const field = (/** @type {"fresh" | "again"} */ name, /** @type {string} */ label) => h("label", { class: "field-row", key: name }, h("span", null, label),
    h("input", { type: "password", inputmode: "numeric", autocomplete: "new-password", maxlength: 12, name, value: pin[name], oninput: (/** @type {Event} */ e) => { pin[name] = /** @type {HTMLInputElement} */ (e.target).value; } }));
  return h("form", { class: "stack narrow-form", onsubmit: async (/** @type {Event} */ e) => {
    e.preventDefault();
    pin.problem = pin.fresh === pin.again ? "" : t("setup.pin_differ");
    if (!pin.problem) {
      const outcome = await post("/api/v1/setup/pin", { pin: pin.fresh });
      if (outcome.ok) {
        pin = { fresh: "", again: "", problem: "" };
        toast(t("setup.pin_kept"));
      } else pin.problem = outcome.text;
    }
    redraw();
  } },
    field("fresh", t("setup.pin_new")), field("again", t("setup.pin_again")),
    pin.problem && h("p", { class: "problem", role: "alert", key: "problem" }, pin.problem),
    h("p", null, h("button", null, t("setup.pin_change"))));
}

// -- ready --------------------------------------------------------------------------------------------

function readyStep(view) {
  const missing = view.setup.missing;
  return h("div", { class: "stack" },
    missing.length === 0
      ? h("p", { class: "all-well" }, icon("check"), t("setup.all_there"))
      : [h("p", { key: "lack" }, t("setup.lacks")),
        h("ul", { class: "missing", key: "list" }, missing.map((/** @type {any} */ one) => h("li", { key: `${one.what} ${one.id || ""}` },
          icon("warning"), h("div", null, h("p", null, t(`setup.missing.${one.what}`, one)), one.detail && h("p", { class: "quiet" }, sentence(one.detail))),
          h("a", { class: "button", href: `/setup/${one.step}` }, t("setup.mend", { step: t(`setup.name.${one.step}`) })))))],
    h("div", { class: "row" },
      h("a", { class: "button primary", href: "/operator" }, t("setup.begin")),
      h("a", { class: "button", href: "/qr" }, t("op.qr")),
      h("a", { class: "button", href: "/health" }, t("setup.health")),
      h("a", { class: "button", href: "/" }, t("setup.to_table"))));
}
