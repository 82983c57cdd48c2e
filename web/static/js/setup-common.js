/** What the steps of the set-up share. */
import { boot, hhmm, maybe, sentence, t } from "./boot.js";
import { cls, h } from "./dom.js";
import { icon } from "./art.js";
import { toast } from "./send.js";

/** What the server knows beyond the view; fetched again when the table has started anew. */
export const facts = boot.extra.facts;

/** The text of the file that was chosen, null where there is none or it is far too large. @param {HTMLInputElement} input */
export async function chosenText(input) {
  const file = input.files && input.files[0];
  if (!file) return null;
  if (file.size > 60_000) {
    toast(t("setup.too_large"), false);
    return null;
  }
  const text = await file.text();
  input.value = "";
  return { text, name: file.name };
}

/** One device as the steps and the health page show it. @param {any} d */
export function deviceLine(d) {
  return h("div", { class: cls("device", d.state) }, icon(d.state === "up" ? "check" : "warning"),
    h("div", null, h("b", null, d.id), " ", h("span", { class: "tag" }, maybe(`device.kind.${d.kind}`, d.kind)), " ", t(`setup.device.${d.state}`, { time: hhmm(d.since) }),
      h("p", { class: "quiet" }, sentence(d.detail))));
}
