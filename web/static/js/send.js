/** Sending: commands and actions to the table, and its answer as a short word on the screen. */
import { boot, t } from "./boot.js";

/** Milliseconds after which a table that has not answered is taken to be out of reach. */
const PATIENCE = 20_000;

/**
 * Posts JSON; the answer is the table's Outcome, or one that says why there is none.
 * @param {string} path @param {Object<string, any>} body
 * @returns {Promise<{ok: boolean, text: string, findings: any[], seq: number|null}>}
 */
export async function post(path, body) {
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": boot.csrf },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE),
    });
    const read = await answer.json();
    return { ok: Boolean(read.ok), text: [read.text, read.cure].filter(Boolean).join(" "), findings: read.findings || [], seq: read.seq ?? null };
  } catch {
    return { ok: false, text: t("send.no_answer"), findings: [], seq: null };
  }
}

/** A game action as this page's person. @param {Object<string, any>} action */
export function act(action) {
  return once("/api/v1/act", { as: boot.audience, action });
}

/** What is not a game action. @param {Object<string, any>} command */
export function command(command) {
  return once("/api/v1/command", { as: boot.audience, command });
}

/** What is meant anew each time its button is pressed, however fast: the next spot, the next action put back.
 *  @param {Object<string, any>} command */
export function step(command) {
  return post("/api/v1/command", { as: boot.audience, command }).then(told);
}

/** Milliseconds in which the same again is the second half of a double click, and is not done again. */
const DOUBLE = 400;
let last = { what: "", at: -DOUBLE, going: false, outcome: /** @type {Promise<any>} */ (Promise.resolve()) };

function once(path, body) {
  const what = JSON.stringify([path, body]);
  if (what === last.what && (last.going || performance.now() - last.at < DOUBLE)) return last.outcome;
  const sent = { what, at: performance.now(), going: true, outcome: post(path, body).then(told) };
  sent.outcome.finally(() => { sent.going = false; });
  last = sent;
  return sent.outcome;
}

function told(outcome) {
  const reasons = outcome.findings.map((/** @type {any} */ f) => f.text).filter((/** @type {string} */ text) => text !== outcome.text);
  toast([outcome.text, ...(outcome.ok ? [] : reasons)].filter(Boolean).join(" "), outcome.ok);
  return outcome;
}

/** A sentence that stays a few seconds. @param {string} text @param {boolean} [ok] */
export function toast(text, ok = true) {
  const place = document.getElementById("toasts");
  if (!place || !text) return;
  const box = document.createElement("div");
  box.className = ok ? "toast" : "toast no";
  box.textContent = text;
  place.append(box);
  while (place.children.length > 3) place.firstElementChild?.remove();
  setTimeout(() => box.remove(), ok ? 3500 : 9000);
}
