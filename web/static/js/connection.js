/** One EventSource that stays alive: watched by the server's beats, reopened by itself, for ever. */

const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 5000;
/** Three beats of the server without a word, in ms. */
const SILENCE = 15_000;
/** How long an attempt to come back may take before the next, in ms. */
const ATTEMPT = 6000;

export class Connection {
  /** @param {(message: {kind: string, [name: string]: any}) => void} tell */
  constructor(tell) {
    this.tell = tell;
    /** @type {string[]} */
    this.audiences = [];
    /** @type {EventSource|null} */
    this.source = null;
    this.pause = FIRST_PAUSE;
    this.heardAt = Date.now();
    this.openedAt = Date.now();
    this.up = true;
    this.timer = 0;
    setInterval(() => this.watch(), 2000);
  }

  /** Follows exactly these audiences; none closes the stream. @param {string[]} audiences */
  want(audiences) {
    const wanted = [...audiences].sort();
    if (this.source && wanted.join() === this.audiences.join()) return;
    this.audiences = wanted;
    this.open();
  }

  /** After sleep or a change of network: is the stream still true? @param {string[]} audiences */
  check(audiences) {
    this.want(audiences);
    this.watch();
    if (!this.up) this.open();
  }

  close() {
    clearTimeout(this.timer);
    if (this.source) this.source.close();
    this.source = null;
  }

  open() {
    this.close();
    if (!this.audiences.length) return;
    const source = new EventSource(`/api/v1/stream?audience=${this.audiences.join(",")}`);
    this.source = source;
    this.openedAt = Date.now();
    const heard = () => {
      this.heardAt = Date.now();
      this.pause = FIRST_PAUSE;
      this.say(true);
    };
    source.addEventListener("hello", (event) => {
      heard();
      this.tell({ kind: "assets", assets: JSON.parse(event.data).assets });
    });
    source.addEventListener("view", (event) => {
      heard();
      const body = JSON.parse(event.data);
      this.tell({ kind: "view", audience: body.audience, view: body.view });
    });
    source.addEventListener("beat", heard);
    source.onerror = () => this.later();
  }

  /** The browser's own retry gives up on some answers; ours does not. */
  later() {
    this.close();
    this.say(false);
    this.timer = setTimeout(() => this.open(), this.pause);
    this.pause = Math.min(LONGEST_PAUSE, this.pause * 1.7);
  }

  watch() {
    const quiet = Date.now() - Math.max(this.heardAt, this.openedAt);
    if (this.source && quiet > (this.up ? SILENCE : ATTEMPT)) this.later();
  }

  /** @param {boolean} up */
  say(up) {
    if (up === this.up) return;
    this.up = up;
    this.tell({ kind: "state", up, since: this.heardAt / 1000 });
  }
}
