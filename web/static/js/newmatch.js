/** The form that begins a match: game, seats, houses, names, length, the ruleset's switches. */
import { boot, maybe, t } from "./boot.js";
import { h } from "./dom.js";
import { crest, houseClass } from "./art.js";
import { command } from "./send.js";

const plan = { game: "", count: 0, turns: 0, seats: /** @type {{name: string, house: string}[]} */ ([]), rules: /** @type {Object<string, string>} */ ({}) };

function prepare(view) {
  if (plan.game) return;
  const match = view.match;
  const game = boot.extra.games.find((/** @type {any} */ g) => g.game === (match ? match.game : "althera")) || boot.extra.games[0];
  choose(game);
  const known = view.seats || [];
  if (known.length) {
    plan.count = known.length;
    plan.seats = known.map((/** @type {any} */ s) => ({ name: s.name || "", house: s.house || "" }));
    if (view.game.turns) plan.turns = view.game.turns;
  }
}

function choose(game) {
  plan.game = game.game;
  plan.count = game.seats.includes(3) ? 3 : game.seats[0];
  plan.turns = game.turns[0] || 0;
  plan.rules = {};
  plan.seats = [];
}

function seatAt(game, i) {
  while (plan.seats.length <= i) {
    const taken = plan.seats.map((s) => s.house);
    plan.seats.push({ name: "", house: game.houses.find((/** @type {string} */ house) => !taken.includes(house)) || "" });
  }
  return plan.seats[i];
}

/** @param {any} view @param {() => void} redraw */
export function newMatchForm(view, redraw) {
  prepare(view);
  const games = boot.extra.games;
  const game = games.find((/** @type {any} */ g) => g.game === plan.game);
  const seats = Array.from({ length: plan.count }, (_, i) => seatAt(game, i));
  const twice = new Set(seats.map((s) => s.house)).size < seats.length && game.houses.length > 0;
  return h("form", { class: "new-match", onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); begin(game, seats); } },
    h("div", { class: "fields" },
      field(t("new.game"), select(plan.game, games.map((/** @type {any} */ g) => [g.game, maybe(`game.${g.game}`, g.game)]), (value) => { choose(games.find((/** @type {any} */ g) => g.game === value)); redraw(); })),
      field(t("new.players"), select(String(plan.count), game.seats.map((/** @type {number} */ n) => [String(n), String(n)]), (value) => { plan.count = Number(value); redraw(); })),
      game.turns.length > 0 && field(t("new.turns"), select(String(plan.turns), game.turns.map((/** @type {number} */ n) => [String(n), String(n)]), (value) => { plan.turns = Number(value); redraw(); }))),
    h("ol", { class: "players" }, seats.map((s, i) => h("li", { key: `n${i}`, class: houseClass(s.house || `s${i + 1}`) },
      crest(s.house || `s${i + 1}`, "crest"),
      field(t("seat.number", { seat: i + 1 }), h("input", { type: "text", maxlength: 24, value: s.name, placeholder: t("new.name"), oninput: (/** @type {Event} */ e) => { s.name = /** @type {HTMLInputElement} */ (e.target).value; } })),
      game.houses.length > 0 && field(t("new.house"), select(s.house, game.houses.map((/** @type {string} */ house) => [house, maybe(`house.${house}`, house)]), (value) => { s.house = value; redraw(); }))))),
    game.switches.length > 0 && h("details", null, h("summary", null, t("new.rules")),
      h("div", { class: "fields" }, game.switches.map((/** @type {any} */ one) => ruleField(one, redraw)))),
    twice && h("p", { class: "problem" }, t("new.twice")),
    h("p", { class: "row" }, h("button", { class: "primary", disabled: twice }, t("new.begin")), view.match && !view.match.over ? h("span", { class: "quiet" }, t("new.ends")) : null));
}

function ruleField(one, redraw) {
  const value = plan.rules[one.key] ?? String(one.value);
  const set = (/** @type {string} */ next) => {
    if (next === String(one.value)) delete plan.rules[one.key];
    else plan.rules[one.key] = next;
    redraw();
  };
  const label = maybe(`rule.${one.key}`, one.key.replaceAll("_", " "));
  if (one.choices) return field(label, select(value, one.choices.map((/** @type {string} */ c) => [c, c.replaceAll("_", " ")]), set));
  return field(label, h("input", { type: "number", min: one.low, max: one.high, value, onchange: (/** @type {Event} */ e) => set(/** @type {HTMLInputElement} */ (e.target).value) }));
}

function field(label, input) {
  return h("label", { class: "field-row", key: label }, h("span", null, label), input);
}

function select(value, options, change) {
  return h("select", { onchange: (/** @type {Event} */ e) => change(/** @type {HTMLSelectElement} */ (e.target).value) },
    options.map(([id, label]) => h("option", { key: id, value: id, selected: id === value }, label)));
}

async function begin(game, seats) {
  const rows = seats.map((s, i) => ({ seat: i + 1, ...(s.name.trim() ? { name: s.name.trim() } : {}), ...(game.houses.length ? { house: s.house } : {}) }));
  const outcome = await command({ cmd: "new-match", game: game.game, seats: rows, ...(plan.turns ? { turns: plan.turns } : {}), ruleset: plan.rules });
  if (outcome.ok) scrollTo(0, 0); // the match stands above the form
}
