/** The browser's one stream, shared by all its tabs: it follows the union of what they want. */
import { Connection } from "./connection.js";

/** A tab that has said nothing for this long (ms) is gone: pagehide does not always come, and
 *  browsers slow hidden tabs down to a word a minute. */
const GONE = 150_000;
/** @type {Map<MessagePort, {want: string, alive: number}>} */
const tabs = new Map();
/** @type {Map<string, any>} */
const latest = new Map();
/** @type {Set<string>} */
const claimed = new Set();
/** Claims that are remembered: far more than can be disputed at any time. */
const CLAIMS = 500;
let state = { kind: "state", up: true, since: 0 };

const connection = new Connection((message) => {
  if (message.kind === "view") latest.set(message.audience, message);
  if (message.kind === "state") state = /** @type {any} */ (message);
  for (const [port, tab] of tabs) {
    if (message.kind !== "view" || message.audience === tab.want) port.postMessage(message);
  }
});

function refresh() {
  connection.want([...new Set([...tabs.values()].map((tab) => tab.want))]);
}

/** @type {any} */ (self).onconnect = (/** @type {MessageEvent} */ event) => {
  const port = event.ports[0];
  port.onmessage = ({ data }) => {
    if (data.claim) {
      // The first tab to ask for a sound is the one that makes it.
      const yours = !claimed.has(data.claim);
      claimed.add(data.claim);
      if (claimed.size > CLAIMS) claimed.delete(claimed.values().next().value);
      port.postMessage({ kind: "claim", key: data.claim, yours });
      return;
    }
    if (data.bye) {
      tabs.delete(port);
      refresh();
      return;
    }
    const known = tabs.get(port);
    tabs.set(port, { want: data.want, alive: Date.now() });
    if (!known) {
      port.postMessage(state);
      if (latest.has(data.want) && state.up) port.postMessage(latest.get(data.want));
      refresh();
    }
    if (data.check) connection.check(connection.audiences);
  };
};

setInterval(() => {
  const now = Date.now();
  let lost = false;
  for (const [port, tab] of tabs) {
    if (now - tab.alive > GONE) {
      tabs.delete(port);
      lost = true;
    }
  }
  if (lost) refresh();
}, 15_000);
