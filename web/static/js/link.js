/**
 * The link to the table: one stream a browser. Where the browser has shared workers all tabs share
 * the one of stream-worker.js; elsewhere a tab holds its own and lets go of it while it is hidden.
 *
 * @typedef {{view: (view: any) => void, state: (up: boolean, since: number) => void,
 *            assets: (version: string) => void}} Listener
 */
import { Connection } from "./connection.js";

/**
 * Follows one audience for as long as the page lives.
 * @param {string} base address of the static files @param {string} audience @param {Listener} listener
 */
export function follow(base, audience, listener) {
  let worker = null;
  try {
    if (typeof SharedWorker !== "undefined") {
      worker = new SharedWorker(`${base}/js/stream-worker.js`, { type: "module", name: base });
    }
  } catch {
    worker = null; // a browser may know the name and still refuse
  }
  if (worker === null) return followAlone(audience, listener);
  let heard = false;
  const port = worker.port;
  port.onmessage = ({ data }) => {
    heard = true;
    deliver(data, listener);
  };
  worker.onerror = () => {
    if (!heard) {
      heard = true;
      followAlone(audience, listener);
    }
  };
  port.start();
  const say = (/** @type {boolean} */ check) => port.postMessage({ want: audience, check });
  say(false);
  setInterval(() => say(false), 20_000);
  addEventListener("online", () => say(true));
  addEventListener("pageshow", () => say(true));
  document.addEventListener("visibilitychange", () => document.hidden || say(true));
  addEventListener("pagehide", () => port.postMessage({ bye: true }));
}

function followAlone(audience, listener) {
  const connection = new Connection((message) => deliver(message, listener));
  connection.want([audience]);
  const check = () => (document.hidden ? connection.want([]) : connection.check([audience]));
  addEventListener("online", check);
  addEventListener("pageshow", check);
  addEventListener("pagehide", () => connection.want([]));
  document.addEventListener("visibilitychange", check);
}

function deliver(message, listener) {
  if (message.kind === "view") listener.view(message.view);
  else if (message.kind === "state") listener.state(message.up, message.since);
  else if (message.kind === "assets") listener.assets(message.assets);
}
