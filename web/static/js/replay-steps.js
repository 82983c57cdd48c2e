/** The steps of a past match: fetched once in outline, their views in pieces as they are looked at. */
import { t } from "./boot.js";

/** Views in one piece, and pieces kept. */
const PIECE = 40;
const KEPT = 10;
/** How long until a record that is still being read is asked for again, in ms, and how often. */
const AGAIN = 500;
const TIMES = 600;
/** Events that a view shows. */
const EVENTS = 30;

/** @param {string} address */
async function ask(address) {
  for (let i = 0; i < TIMES; i++) {
    const answer = await fetch(address);
    const body = await answer.json();
    if (answer.status !== 202) return { ok: answer.ok, body };
    await new Promise((later) => setTimeout(later, AGAIN));
  }
  return { ok: false, body: { text: t("send.no_answer") } };
}

export class Steps {
  /** @param {string} match */
  constructor(match) {
    this.address = `/api/v1/matches/${match}`;
    this.match = /** @type {any} */ ({ steps: [], duels: [], seats: [], events: [] });
    /** @type {Map<number, Promise<any[]|null>>} */
    this.pieces = new Map();
  }

  /** How many steps there are. */
  get total() { return this.match.steps.length; }

  /** The duels, in the order in which they ended. */
  get duels() { return this.match.duels; }

  /** So that the drawing's own functions take this for a view. */
  get seats() { return this.match.seats; }

  /** What is known of step n without its view. @param {number} n */
  at(n) { return this.match.steps[n - 1]; }

  /** @param {number} seat */
  house(seat) { return (this.seats.find((/** @type {any} */ s) => s.seat === seat) || {}).house || null; }

  /** Fetches the outline. The answer says what is wrong, "" where nothing is. */
  async load() {
    try {
      const { ok, body } = await ask(this.address);
      if (!ok) return [body.text, body.cure].filter(Boolean).join(" ");
      this.match = body;
      return this.total ? "" : body.trouble || t("replay.nothing");
    } catch {
      return t("send.no_answer");
    }
  }

  /** The view after step n, null where the table does not answer. @param {number} n */
  async view(n) {
    const piece = Math.floor((n - 1) / PIECE);
    const list = await this.piece(piece);
    if (n % PIECE > PIECE / 2 && (piece + 1) * PIECE < this.total) this.piece(piece + 1);
    const view = list && list[(n - 1) % PIECE];
    if (!view) return null;
    const last = this.at(n).events;
    return { ...view, replay: true, events: this.match.events.slice(Math.max(0, last - EVENTS), last).reverse() };
  }

  /** @param {number} piece */
  piece(piece) {
    const known = this.pieces.get(piece);
    if (known) {
      this.pieces.delete(piece); // back in again as the newest
      this.pieces.set(piece, known);
      return known;
    }
    const fetched = ask(`${this.address}/views?first=${piece * PIECE + 1}&count=${PIECE}`)
      .then(({ ok, body }) => (ok ? body.views : null))
      .catch(() => null)
      .then((views) => {
        if (!views) this.pieces.delete(piece); // so that the next look asks again
        return views;
      });
    this.pieces.set(piece, fetched);
    while (this.pieces.size > KEPT) this.pieces.delete(this.pieces.keys().next().value);
    return fetched;
  }
}
