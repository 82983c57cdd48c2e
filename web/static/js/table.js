/** The table page: what everyone looks at. */
import { boot, t } from "./boot.js";
import { h, patch } from "./dom.js";
import { drawAlthera } from "./althera.js";
import { drawAnthem } from "./anthem.js";
import { events, findings, joinCard, notices, questions } from "./side.js";

/** @param {HTMLElement} root @param {any} view @param {any} previous @param {() => void} redraw */
export function draw(root, view, previous, redraw) {
  if (inviting(root, view, redraw)) return;
  const game = view.match && view.game ? view.game.game : null;
  root.className = `table-page ${game || "idle"}`;
  if (game === "althera") drawAlthera(root, view, previous, redraw);
  else if (game === "anthem") drawAnthem(root, view, previous);
  else drawIdle(root, view);
}

let attract = /** @type {any} */ (null);

/** On a free table that nobody uses the screen invites: fetched only where it is wanted. */
function inviting(root, view, redraw) {
  const free = view.free;
  const wanted = boot.page === "table" && free && free.idle && (free.on || boot.extra.attract);
  if (!wanted) {
    if (attract) attract.stop();
    return false;
  }
  if (!attract) {
    import("./attract.js").then((module) => { attract = module; redraw(); }).catch(() => {});
    return false;
  }
  return attract.draw(root, view, redraw);
}

function drawIdle(root, view) {
  patch(root,
    h("h1", { class: "unseen" }, t("table.title")),
    h("section", { class: "stage idle-stage" },
      h("img", { class: "throne", src: `${boot.base}/img/crown.svg`, alt: "" }),
      h("h2", { class: "stage-title" }, t("idle.title")),
      h("p", null, t("idle.what")),
      h("p", null, boot.extra.first
        ? h("a", { class: "button", href: "/setup" }, t("idle.first"))
        : h("a", { class: "button", href: "/operator" }, t("idle.start")))),
    h("div", { class: "cards-column" }, questions(view, false), findings(view)),
    h("aside", { class: "side", "aria-label": t("table.side") }, notices(view), joinCard(), events(view, 8)));
}
