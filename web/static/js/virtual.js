/** The virtual table: people's cards and dice, moved by mouse, finger or keyboard; cables and troubles. */
import { boot, maybe, t } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { card, cardLabel, crest, die, houseClass, icon } from "./art.js";
import { arena, count, outcome } from "./arena.js";
import { between, initiative } from "./althera.js";
import { layout } from "./anthem.js";
import { command, post, toast } from "./send.js";
import { events, findings, houseOf, nameOf, questions } from "./side.js";

const CROWN = "crown";
const TROUBLES = ["flicker", "marginal", "ghost-neighbour", "stack", "twin", "phone", "mute-reader", "reader-restart", "stale-content", "babble",
  "brown-out", "unplug-link", "unplug-scan", "glare", "hand-over-tray", "frozen-camera", "unplug-camera", "clock-step", "disk-full", "disk-read-only"];

let world = boot.extra.world;
let worldFor = -1;
let picked = "";
let fetching = false;
let redrawSoon = () => {};

/** @param {HTMLElement} root @param {any} view @param {any} _previous @param {() => void} redraw */
export function draw(root, view, _previous, redraw) {
  redrawSoon = redraw;
  root.className = "desk virtual-page";
  if (worldFor !== view.version) {
    worldFor = view.version;
    refresh();
  }
  const game = view.match ? view.game : null;
  const seats = seatNumbers();
  patch(root,
    h("h1", { class: "unseen" }, t("virtual.title")),
    h("p", { class: "card note", key: "note" }, h("b", null, t("virtual.note")), " ", t(world.bots ? "virtual.bots" : "virtual.how")),
    h("div", { class: "desk-grid" },
      h("div", { class: "desk-main" },
        picked && h("div", { class: "card holding", role: "status", key: "holding" }, t("virtual.holding", { card: thing(view, picked) }),
          h("div", { class: "row" }, h("button", { type: "button", onclick: () => put("hand") }, t("virtual.to_hand")), h("button", { type: "button", onclick: () => put("pile") }, t("virtual.to_pile")), h("button", { type: "button", onclick: () => pick("") }, t("act.cancel")))),
        questions(view, true), findings(view),
        h("div", { class: "board", key: "board" }, seats.map((seat) => place(view, seat)), shared(view)),
        events(view, 8)),
      h("div", { class: "desk-side" }, table(view, game), cables(), troubles())));
  count(root);
}

const seatNumbers = () => Object.keys(world.hands || {}).map(Number).sort((a, b) => a - b);

function table(view, game) {
  if (!game) return h("section", { class: "card", key: "start" }, h("p", null, t("idle.what")), h("button", { type: "button", class: "primary", onclick: () => command({ cmd: "new-match" }) }, t("new.begin")));
  if (game.game === "anthem") return (game.seats || []).map((/** @type {any} */ s) => layout(view, s));
  const duels = game.duels || [];
  if (duels.length) return duels.map((/** @type {any} */ d) => arena(view, d));
  return [game.phase === "over" && h("button", { type: "button", class: "primary", key: "again", onclick: () => command({ cmd: "new-match" }) }, t("virtual.again")),
    game.phase === "initiative" && initiative(view),
    ["duels", "tiebreak"].includes(game.phase) && between(view),
    game.last_duel && outcome(view, game.last_duel, game.last_duel_steps)];
}

const thing = (view, id) => (id === CROWN ? t("virtual.crown") : cardLabel(view, id));

async function refresh() {
  if (fetching) return;
  fetching = true;
  try {
    const answer = await fetch("/api/v1/virtual");
    if (answer.ok) world = await answer.json();
  } catch {
    // the strip says that the connection is gone; the next view asks again
  }
  fetching = false;
  redrawSoon();
}

async function send(wanted) {
  const outcome = await post("/api/v1/virtual", { command: wanted });
  if (!outcome.ok) toast(outcome.text, false);
  await refresh();
}

function pick(id) {
  picked = id;
  redrawSoon();
}

function put(to) {
  const id = picked;
  picked = "";
  if (id === CROWN) {
    if (to !== "hand" && to !== "pile") send({ crown: to });
  } else if (id) {
    send({ move: id, to });
  }
  redrawSoon();
}

/** A card or the crown that can be dragged, or picked up with a tap or the Enter key. */
function movable(view, id, face) {
  return h("button", { type: "button", class: cls("movable", picked === id && "picked"), key: `m${id}`, "aria-label": thing(view, id), "aria-pressed": String(picked === id),
    "data-thing": id, onclick: () => { if (!dragged) pick(picked === id ? "" : id); }, onpointerdown: (/** @type {PointerEvent} */ e) => grab(e, id) }, face);
}

function spot(view, zone) {
  const things = zone.cards || [];
  const label = zone.kind === "scan" ? t("virtual.scan") : zone.kind === "place" ? t("act.place", { place: zone.place }) : t(`virtual.${zone.kind}`);
  return h("div", { class: cls("spot", zone.kind, picked && "open"), key: zone.id, "data-zone": zone.id },
    h("span", { class: "spot-name" }, label),
    things.map((/** @type {string} */ id) => movable(view, id, id === CROWN ? h("img", { class: "crown-piece", src: `${boot.base}/img/crown.svg`, alt: "", draggable: "false" }) : card(view, id, { extra: { "aria-hidden": "true" } }))),
    picked && !things.includes(picked) && h("button", { type: "button", class: "lay", key: "lay", onclick: () => put(zone.id) }, t("virtual.lay_here"), h("span", { class: "unseen" }, zone.id)));
}

function place(view, seat) {
  const zones = (world.zones || []).filter((/** @type {any} */ z) => z.seat === seat);
  const own = (world.dice || {})[String(seat)];
  const hand = (world.hands || {})[String(seat)] || [];
  const drawn = (world.drawn || {})[String(seat)];
  return h("section", { class: cls("place-card card", houseClass(houseOf(view, seat))), key: `w${seat}`, "aria-label": t("virtual.place", { name: nameOf(view, seat) }) },
    h("header", null, crest(houseOf(view, seat), "crest"), h("h2", null, nameOf(view, seat)),
      (world.decks || {})[String(seat)] !== null && (world.decks || {})[String(seat)] !== undefined && h("span", { class: "quiet" }, t("scores.deck", { n: world.decks[String(seat)] }))),
    h("div", { class: "spots" }, zones.map((/** @type {any} */ z) => spot(view, z)), own && dice(view, seat, own)),
    h("div", { class: "hand", "data-zone": "hand" }, hand.map((/** @type {string} */ id) => h("div", { class: cls("held", id === drawn && "drawn"), key: `h${id}` }, movable(view, id, card(view, id, { extra: { "aria-hidden": "true" } })))),
      !hand.length && h("span", { class: "quiet" }, t("virtual.no_hand"))));
}

function dice(view, seat, own) {
  return h("div", { class: "spot tray" }, h("span", { class: "spot-name" }, t("virtual.die")),
    die(own.rolling ? null : own.face, houseOf(view, seat), own.rolling ? "rolling" : ""),
    h("div", { class: "row" }, h("button", { type: "button", onclick: () => send({ throw: seat, face: null }) }, icon("die"), t("virtual.throw")),
      h("details", { class: "faces" }, h("summary", null, t("virtual.as")), h("div", { class: "row" }, [1, 2, 3, 4, 5, 6].map((face) =>
        h("button", { type: "button", class: "die-button", key: face, "aria-label": t("virtual.throw_as", { face }), onclick: () => send({ throw: seat, face }) }, String(face)))))));
}

function shared(view) {
  const zones = (world.zones || []).filter((/** @type {any} */ z) => z.seat === null || z.seat === undefined);
  const lying = (world.zones || []).some((/** @type {any} */ z) => z.cards.includes(CROWN));
  return h("section", { class: "place-card card", key: "shared", "aria-label": t("virtual.shared") }, h("header", null, h("h2", null, t("virtual.shared"))),
    h("div", { class: "spots" }, zones.map((/** @type {any} */ z) => spot(view, z)),
      !lying && (world.zones || []).some((/** @type {any} */ z) => z.kind === "crown") && h("div", { class: "spot" }, h("span", { class: "spot-name" }, t("virtual.crown")),
        movable(view, CROWN, h("img", { class: "crown-piece", src: `${boot.base}/img/crown.svg`, alt: "", draggable: "false" })))),
    view.scan && h("p", { class: "quiet" }, t("virtual.scan_says", { text: view.scan.text })));
}

function cables() {
  return h("section", { class: "card", key: "cables", "aria-label": t("virtual.cables") }, h("h2", null, t("virtual.cables")),
    h("ul", { class: "switches" }, (world.devices || []).map((/** @type {any} */ d) => h("li", { key: d.id }, h("label", { class: "check" },
      h("input", { type: "checkbox", role: "switch", checked: d.plugged, onchange: () => send(d.plugged ? { unplug: d.id } : { plug: d.id }) }), icon("plug"), h("span", null, d.id, " ", h("span", { class: "quiet" }, t(d.plugged ? "virtual.plugged" : "virtual.unplugged"))))))));
}

function troubles() {
  const on = world.chaos || [];
  // The table names its scenarios: {name, happens, instead}; an older one is asked for the best known.
  const all = world.troubles || TROUBLES.map((name) => ({ name }));
  return h("section", { class: "card", key: "chaos", "aria-label": t("virtual.chaos") }, h("h2", null, t("virtual.chaos")), h("p", { class: "quiet" }, t("virtual.chaos_what")),
    h("ul", { class: "switches" }, all.map((/** @type {any} */ one) => h("li", { key: one.name }, h("label", { class: "check" },
      h("input", { type: "checkbox", role: "switch", checked: on.includes(one.name), onchange: () => send({ chaos: one.name, on: !on.includes(one.name) }) }),
      h("span", null, maybe(`chaos.${one.name}`, sentence(one.happens || one.name.replaceAll("-", " ")))))))));
}

const sentence = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);

// -- dragging ------------------------------------------------------------------------------------

let dragged = false;

/** @param {PointerEvent} start @param {string} id */
function grab(start, id) {
  if (start.button !== 0) return;
  const origin = /** @type {HTMLElement} */ (start.currentTarget);
  const box = origin.getBoundingClientRect();
  /** @type {HTMLElement|null} */
  let ghost = null;
  dragged = false;
  const move = (/** @type {PointerEvent} */ e) => {
    const x = e.clientX - start.clientX;
    const y = e.clientY - start.clientY;
    if (!ghost && Math.hypot(x, y) > 8) {
      dragged = true;
      ghost = /** @type {HTMLElement} */ (origin.cloneNode(true));
      ghost.className = "movable ghost";
      ghost.removeAttribute("data-thing");
      for (const [name, value] of Object.entries({ left: box.left, top: box.top, width: box.width, height: box.height })) ghost.style.setProperty(name, `${value}px`);
      document.body.append(ghost);
      document.body.classList.add("dragging");
    }
    if (ghost) {
      ghost.style.setProperty("transform", `translate(${x}px, ${y}px) rotate(3deg)`);
      mark(zoneAt(e));
    }
  };
  const end = (/** @type {PointerEvent} */ e) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    document.body.classList.remove("dragging");
    const zone = ghost && e.type === "pointerup" ? zoneAt(e) : null;
    if (ghost) ghost.remove();
    mark(null);
    if (zone) {
      picked = id;
      put(/** @type {string} */ (zone.dataset.zone));
    }
    setTimeout(() => { dragged = false; }, 0); // the click that ends a drag picks nothing up
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

/** @param {PointerEvent} e @returns {HTMLElement|null} */
function zoneAt(e) {
  const under = document.elementFromPoint(e.clientX, e.clientY);
  return under ? under.closest("[data-zone]") : null;
}

/** @param {HTMLElement|null} zone */
function mark(zone) {
  for (const node of document.querySelectorAll("[data-zone].over")) if (node !== zone) node.classList.remove("over");
  if (zone) zone.classList.add("over");
}
