/** A free table's screen while nobody plays: a good duel of its own, the game in three minutes, an invitation. */
import { boot, maybe, t } from "./boot.js";
import { cls, h, patch } from "./dom.js";
import { lessons } from "./attract-teach.js";
import { now } from "./live.js";
import { settle, snapshot } from "./motion.js";
import { paint } from "./overlay.js";
import { howWasIt } from "./side.js";

/** How long a step of the replay and its last one stand, in ms. */
const STEP = 2200;
const ENDING = 6000;
/** Fewer views than this make no story. */
const LEAST = 4;
/** How long after a match the code of its form stays on this screen, in ms. */
const ASKED = 600_000;

let scenes = /** @type {any[]} */ ([]);
let at = 0;
let round = 0;
let timer = 0;
let paused = false;
let leftAt = -1;
let preparing = false;
let running = false;

/** Stops the show: the table is in use. */
export function stop() {
  clearTimeout(timer);
  running = false;
  preparing = false;
  scenes = [];
  leftAt = -1;
}

/**
 * Draws the show; false where a person has asked for the table itself.
 * @param {HTMLElement} root @param {any} view @param {() => void} redraw
 */
export function draw(root, view, redraw) {
  if (leftAt === view.seq) return false;
  if (!running) {
    running = true;
    at = 0;
    prepare(view, redraw);
  }
  root.className = "attract-page";
  const scene = scenes[at] || { title: "", text: "", picture: () => null };
  patch(root,
    h("h1", { class: "unseen" }, t("attract.title")),
    h("section", { class: "invite", key: "invite" },
      h("img", { class: "invite-crown", src: `${boot.base}/img/crown.svg`, alt: "" }),
      h("div", null, h("p", { class: "invite-big" }, t(view.free.on ? "attract.begin" : "attract.begin_here")), h("p", null, t("attract.free"))),
      boot.extra.join && h("p", { class: "join" }, t("join.here"), " ", h("b", null, boot.extra.join.replace("http://", ""))),
      Date.now() - now.arrivedAt < ASKED && howWasIt(view)),
    h("section", { class: cls("show", scene.replay && "is-replay"), key: "show", "aria-label": t(scene.replay ? "attract.replay" : "attract.lesson") },
      h("header", null,
        h("p", { class: "quiet" }, scene.over),
        h("h2", null, scene.title),
        scene.text && h("p", { class: "lesson" }, scene.text)),
      scene.replay
        ? h("div", { class: "overlay picture", key: "replay", own: true, id: "attract-replay" })
        : h("div", { class: "picture", key: `p${scene.key}` }, scene.picture())),
    h("div", { class: "row show-tools", key: "tools" },
      h("button", { type: "button", onclick: () => go(at - 1, redraw) }, t("attract.back")),
      h("button", { type: "button", id: "attract-pause", onclick: () => { paused = !paused; wait(redraw); redraw(); } }, t(paused ? "attract.go_on" : "attract.pause")),
      h("button", { type: "button", onclick: () => go(at + 1, redraw) }, t("attract.next")),
      h("button", { type: "button", onclick: () => { stop(); leftAt = view.seq; redraw(); } }, t("attract.table")),
      h("progress", { max: scenes.length || 1, value: at + 1, "aria-label": t("attract.progress") })));
  const place = root.querySelector("#attract-replay");
  if (scene.replay && place) {
    const before = snapshot(place);
    paint(place, scene.view);
    settle(/** @type {HTMLElement} */ (place), before);
  }
  document.body.dataset.scene = scene.key || "";
  return true;
}

/** Lays out one round: a good duel where the records have one, then the lessons. */
async function prepare(view, redraw) {
  if (preparing) return;
  preparing = true;
  const game = view.match ? view.match.game : view.free.game;
  const list = lessons(game);
  const taught = list.map((one, i) => ({ ...one, over: t("attract.lesson_of", { game: maybe(`game.${game}`, game), n: i + 1, all: list.length }) }));
  const shown = await replay(game);
  if (!preparing) return; // the table is in use by now
  preparing = false;
  scenes = [...shown, ...taught];
  at = 0;
  wait(redraw);
  redraw();
}

/** The views of one of the best duels as scenes; another one each round; none where there is none. */
async function replay(game) {
  try {
    const best = await fetch(`/api/v1/showcase?game=${encodeURIComponent(game)}`).then((answer) => answer.json());
    if (!best.length) return [];
    const one = best[round++ % best.length];
    const answer = await fetch(`/api/v1/matches/${one.match}/views?first=${one.from}&count=${one.to - one.from + 1}`);
    const views = (await answer.json()).views || [];
    if (views.length < LEAST) return [];
    const number = views[0].match.number;
    const names = Object.fromEntries(views[0].seats.map((/** @type {any} */ s) => [s.seat, s.name]));
    const title = one.attacker ? t("arena.title", { a: names[one.attacker], b: names[one.defender] }) : t("attract.ending");
    return views.map((/** @type {any} */ v, /** @type {number} */ i) => ({
      key: `r${one.match}-${v.version}`, replay: true, view: { ...v, replay: true }, title, over: t("attract.from", { n: number }), stands: i === views.length - 1 ? ENDING : STEP,
    }));
  } catch {
    return []; // without the records the lessons alone are shown
  }
}

function go(n, redraw) {
  if (!scenes.length) return;
  at = (n + scenes.length) % scenes.length;
  wait(redraw);
  redraw();
}

function wait(redraw) {
  clearTimeout(timer);
  if (paused || !running || !scenes.length) return;
  timer = setTimeout(() => {
    if (at + 1 < scenes.length) return go(at + 1, redraw);
    running = false; // the next drawing lays out another round
    redraw();
  }, scenes[at].stands);
}
