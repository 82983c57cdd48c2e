/** Sound, off until a person wants it: short cues of our own making, and plays spoken by the browser's own voice. */
import { boot, t } from "./boot.js";
import { h, patch } from "./dom.js";

const KEY = "crowntable-sound";
/** Sentences that may wait to be spoken; of more the oldest are left out: the voice keeps up with the table. */
const WAITING = 2;

/**
 * The cues as notes: frequency in Hz, begin and length in s, loudness (0 to 1), and the frequency it glides to.
 * @type {Object<string, {wave: OscillatorType, notes: number[][]}>}
 */
const CUES = {
  play: { wave: "triangle", notes: [[523, 0, 0.09, 0.5]] },
  capture: { wave: "triangle", notes: [[392, 0, 0.12, 0.5], [523, 0.1, 0.12, 0.5], [659, 0.2, 0.22, 0.5]] },
  warning: { wave: "square", notes: [[233, 0, 0.14, 0.22], [196, 0.17, 0.22, 0.22]] },
  roll: { wave: "sine", notes: [[660, 0, 0.16, 0.5, 990], [660, 0.22, 0.16, 0.5, 990]] },
  win: { wave: "triangle", notes: [[523, 0, 0.16, 0.5], [659, 0.15, 0.16, 0.5], [784, 0.3, 0.16, 0.5], [1047, 0.45, 0.5, 0.55]] },
};
/** Together they may not be louder than this. */
const LOUD = 0.5;

let wanted = read();
let context = /** @type {AudioContext|null} */ (null);
let claim = /** @type {(key: string) => Promise<boolean>} */ (async () => true);
let open = false;

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) || "{}");
    return { cues: kept.cues === true, voice: kept.voice === true };
  } catch {
    return { cues: false, voice: false };
  }
}

/** What of a new view is to be heard, the most telling last. @param {any} previous @param {any} view @returns {string[]} */
export function cuesOf(previous, view) {
  if (!previous || previous.boot !== view.boot || !previous.match || !view.match || previous.match.id !== view.match.id) return [];
  const [was, now] = [previous.game, view.game];
  const heard = new Set();
  const known = new Set((previous.findings || []).map((/** @type {any} */ f) => f.id));
  if ((view.findings || []).some((/** @type {any} */ f) => f.open && f.severity !== "info" && !known.has(f.id))) heard.add("warning");
  if (cards(now) > cards(was)) heard.add("play");
  const ended = now.last_duel && JSON.stringify(now.last_duel) !== JSON.stringify(was.last_duel);
  if (ended) heard.add((now.last_duel.captured || []).length ? "capture" : "play");
  const asked = new Set(((previous.dice || {}).awaited || []).map((/** @type {any} */ one) => one.seat));
  if (((view.dice || {}).awaited || []).some((/** @type {any} */ one) => !asked.has(one.seat))) heard.add("roll");
  if (now.winners && !was.winners) heard.add("win");
  return ["play", "capture", "warning", "roll", "win"].filter((name) => heard.has(name));
}

/** How many cards lie on the table. */
function cards(game) {
  const duels = (game.duels || []).reduce((/** @type {number} */ sum, /** @type {any} */ d) => sum + (d.steps || []).length, 0);
  const laid = (game.seats || []).reduce((/** @type {number} */ sum, /** @type {any} */ s) => sum + (s.layout || []).filter(Boolean).length, 0);
  return duels + laid;
}

/** The sentences of what has happened since, oldest first; what the rules refused among them. @param {any} previous @param {any} view @returns {string[]} */
export function sentencesOf(previous, view) {
  if (!previous || previous.boot !== view.boot) return [];
  const last = (previous.events || [])[0];
  const fresh = (view.events || []).filter((/** @type {any} */ e) => ["action", "announce"].includes(e.kind) && (!last || e.seq > last.seq));
  return fresh.slice(0, WAITING).reverse().map((/** @type {any} */ e) => e.text);
}

/**
 * Plays a cue; the answer is when it ends, in seconds of the context.
 * @param {BaseAudioContext} audio @param {string} name @param {number} at
 */
export function cue(audio, name, at) {
  const { wave, notes } = CUES[name];
  let ends = at;
  for (const [pitch, begin, length, loud, to] of notes) {
    const tone = audio.createOscillator();
    const gain = audio.createGain();
    tone.type = wave;
    tone.frequency.setValueAtTime(pitch, at + begin);
    if (to) tone.frequency.exponentialRampToValueAtTime(to, at + begin + length);
    gain.gain.setValueAtTime(0, at + begin);
    gain.gain.linearRampToValueAtTime(loud * LOUD, at + begin + 0.012);
    gain.gain.exponentialRampToValueAtTime(0.001, at + begin + length);
    tone.connect(gain).connect(audio.destination);
    tone.start(at + begin);
    tone.stop(at + begin + length);
    ends = Math.max(ends, at + begin + length);
  }
  return ends;
}

/** A new view has been drawn. @param {any} previous @param {any} view */
export async function hear(previous, view) {
  if (wanted.cues && context && context.state === "running") {
    let at = context.currentTime + 0.02;
    for (const name of cuesOf(previous, view)) {
      if (await claim(`${view.boot}:${view.seq}:${name}`)) at = cue(context, name, at) + 0.04;
    }
  }
  const said = wanted.voice && !needsGesture() ? sentencesOf(previous, view) : [];
  if (said.length && (await claim(`${view.boot}:${view.seq}:voice`))) said.forEach(speak);
}

function speak(text) {
  const voices = speechSynthesis.getVoices();
  const words = new SpeechSynthesisUtterance(text);
  words.lang = boot.lang;
  words.voice = voices.find((voice) => voice.lang.toLowerCase().startsWith(boot.lang)) || null;
  if (speechSynthesis.pending) speechSynthesis.cancel(); // the newest matters
  speechSynthesis.speak(words);
}

/** Whether this browser lets nothing be heard until somebody has touched the page. */
function needsGesture() {
  const active = navigator.userActivation;
  return active ? !active.hasBeenActive : !context || context.state !== "running";
}

/** After a person's gesture browsers let a page be heard. */
function wake() {
  if (!wanted.cues && !wanted.voice) return;
  try {
    context = context || new AudioContext();
    context.resume().then(draw);
  } catch {
    context = null; // a browser without sound stays silent
  }
  draw();
}

function choose(name, on) {
  wanted = { ...wanted, [name]: on };
  try {
    localStorage.setItem(KEY, JSON.stringify(wanted));
  } catch {
    // without storage the choice holds for this page only
  }
  if (!wanted.voice && "speechSynthesis" in window) speechSynthesis.cancel();
  wake();
  if (name === "cues" && on && context) cue(context, "play", context.currentTime + 0.05);
  draw();
}

function draw() {
  const place = document.getElementById("sound");
  if (!place) return;
  const on = wanted.cues || wanted.voice;
  const waits = on && needsGesture();
  const voice = "speechSynthesis" in window;
  const box = (/** @type {"cues"|"voice"} */ name, /** @type {boolean} */ off) => h("label", { class: "check", key: name },
    h("input", { type: "checkbox", role: "switch", checked: wanted[name], disabled: off, onchange: (/** @type {Event} */ e) => choose(name, /** @type {HTMLInputElement} */ (e.target).checked) }), h("span", null, t(`sound.${name}`)));
  patch(place,
    h("button", { type: "button", class: "plain", "aria-expanded": String(open), "aria-controls": "sound-panel", onclick: () => { open = !open; draw(); } }, t(waits ? "sound.waits" : on ? "sound.on" : "sound.off")),
    h("div", { id: "sound-panel", class: "card sound-panel", hidden: !open }, box("cues", false), box("voice", !voice), !voice && h("p", { class: "quiet" }, t("sound.no_voice"))));
}

/** Puts the switch into the page's head. @param {(key: string) => Promise<boolean>} ask whether this tab is the one to be heard */
export function install(ask) {
  claim = ask;
  const theme = document.getElementById("theme");
  if (!theme) return;
  const place = document.createElement("div");
  place.id = "sound";
  place.className = "sound";
  theme.before(place);
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, wake, { passive: true });
  addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    wanted = read();
    draw();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && open) {
      open = false;
      draw();
    }
  });
  draw();
}
