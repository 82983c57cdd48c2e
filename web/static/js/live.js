/** What every page that follows a stream does: draws once a frame, knows how old its view is, says when
 *  nothing comes, and fetches itself anew when the program is another version. */
import { boot, hhmm, inLanguage, t } from "./boot.js";
import { h } from "./dom.js";
import { follow } from "./link.js";

/** Milliseconds without a stream before it is said. */
const PATIENCE = 1500;

/** What the page knows now; only this module changes it. `staleSince`: Unix seconds, 0 while news comes. */
export const now = { view: boot.view, arrivedAt: Date.now(), up: true, staleSince: 0 };

let draw = () => {};
let queued = false;

/** Draws soon, however often it is asked. */
export function redraw() {
  if (queued) return;
  queued = true;
  requestAnimationFrame(drawNow);
  if (document.hidden) setTimeout(drawNow, 50); // hidden pages get no frames
}

function drawNow() {
  if (!queued) return;
  queued = false;
  draw();
}

/** Comes when the browser has shown what was drawn, so that what can wait does not hold that back. */
export function shown() {
  return new Promise((done) => {
    if (document.hidden) setTimeout(done); // hidden pages get no frames
    else requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
  });
}

/** Draws the page's first view, once that is to be seen what the first drawing left out, and follows the stream
 *  from there. @param {() => void} drawPage */
export async function begin(drawPage) {
  draw = drawPage;
  draw();
  await shown();
  draw();
  document.body.dataset.ready = "yes";
  let timer = 0;
  return follow(boot.base, inLanguage(boot.audience), {
    view(fresh) {
      if (fresh.boot === now.view.boot && fresh.version < now.view.version) return;
      now.view = fresh;
      now.arrivedAt = Date.now();
      redraw();
    },
    state(up, since) {
      now.up = up;
      clearTimeout(timer);
      if (up) now.staleSince = 0;
      else timer = setTimeout(() => { now.staleSince = since || now.arrivedAt / 1000; redraw(); }, PATIENCE);
      redraw();
    },
    assets: newAssets,
  });
}

/** The strip that says since when nothing new has come. */
export function staleStrip() {
  return now.staleSince > 0 && h("div", { class: "strip", key: "stale", role: "status" },
    h("b", null, t("strip.stale", { time: hhmm(now.staleSince) })), " ", h("span", null, t("strip.stale_what")));
}

/** A new version of the program has other pages: fetch them, but never in a loop. @param {string} assets */
function newAssets(assets) {
  if (assets === boot.assets) return;
  let tried = null;
  try {
    tried = sessionStorage.getItem("crowntable-reloaded");
    sessionStorage.setItem("crowntable-reloaded", assets);
  } catch {
    tried = assets;
  }
  if (tried !== assets) location.reload();
}
