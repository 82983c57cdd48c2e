/** What the server laid beside the page: texts, first view, tokens. */

/** @type {Object<string, any>} */
export const boot = JSON.parse(document.getElementById("boot").textContent);

/**
 * A text of the catalogue with its {names} filled in.
 * @param {string} key @param {Object<string, any>} [values] @returns {string}
 */
export function t(key, values) {
  let text = boot.texts[key];
  if (text === undefined) return key;
  if (values) for (const [name, value] of Object.entries(values)) text = text.replaceAll(`{${name}}`, String(value));
  return text;
}

/** How the stream and the API name an audience whose sentences are to come in this page's language. @param {string} audience */
export const inLanguage = (audience) => (boot.lang === "en" ? audience : `${audience}@${boot.lang}`);

/** The text where the catalogue has it, else `otherwise`. @param {string} key @param {string} otherwise */
export function maybe(key, otherwise) {
  return boot.texts[key] === undefined ? otherwise : boot.texts[key];
}

/** A text with a number in it: the key with `.one` for 1, with `.many` for all others. */
export function tn(key, n, values) {
  return t(`${key}.${n === 1 ? "one" : "many"}`, { n, ...values });
}

/** What a device says of itself, as a sentence of its own: "trying again" -> "Trying again.". @param {string} text */
export function sentence(text) {
  return text && `${text[0].toLocaleUpperCase(boot.lang)}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

const clock = new Intl.DateTimeFormat(boot.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** A wall time in seconds as 21:04. @param {number} seconds */
export function hhmm(seconds) {
  return clock.format(new Date(seconds * 1000));
}

/** A duration in seconds as 1:05:09 or 5:09. @param {number} seconds */
export function duration(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const hours = Math.floor(s / 3600);
  const minutes = Math.floor(s / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(s % 60)}` : `${minutes}:${two(s % 60)}`;
}
