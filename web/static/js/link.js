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
 * @returns {(key: string) => Promise<boolean>} asks whether this tab, of all of the browser's, may do what has that key
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
  const asked = new Map();
  port.onmessage = ({ data }) => {
    heard = true;
    if (data.kind === "claim") {
      asked.get(data.key)?.(data.yours);
      asked.delete(data.key);
    } else deliver(data, listener);
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
  return (key) => new Promise((answer) => {
    asked.set(key, answer);
    port.postMessage({ claim: key });
  });
}

function followAlone(audience, listener) {
  const connection = new Connection((message) => deliver(message, listener));
  connection.want([audience]);
  const check = () => (document.hidden ? connection.want([]) : connection.check([audience]));
  addEventListener("online", check);
  addEventListener("pageshow", check);
  addEventListener("pagehide", () => connection.want([]));
  document.addEventListener("visibilitychange", check);
  return async () => !document.hidden;
}

function deliver(message, listener) {
  if (message.kind === "view") listener.view(message.view);
  else if (message.kind === "state") listener.state(message.up, message.since);
  else if (message.kind === "assets") listener.assets(message.assets);
}
