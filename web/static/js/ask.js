/** Ask the rules: the conversation without loading the page anew. Without this script the form does the same. */

const talk = /** @type {HTMLElement} */ (document.getElementById("talk"));
const form = /** @type {HTMLFormElement} */ (document.getElementById("ask"));
const field = /** @type {HTMLInputElement} */ (document.getElementById("question"));
const words = talk.dataset;
const MEMORY = 6;

/** @type {string[]} */
let earlier = [...form.querySelectorAll("input[name=h]")].map((one) => /** @type {HTMLInputElement} */ (one).value);
form.querySelectorAll("input[name=h]").forEach((one) => one.remove());

/** An element with text or elements in it. @param {string} tag @param {string} [className] @param {...any} kids */
function el(tag, className, ...kids) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...kids);
  return made;
}

function link(href, text, className) {
  const made = /** @type {HTMLAnchorElement} */ (el("a", className, text));
  made.href = href;
  return made;
}

function verdict(told) {
  const box = el("div", `verdict${told.legal === true ? " yes" : told.legal === false ? " no" : ""}`,
    el("p", "label", words.table), el("p", "", told.why));
  if (told.assumes) box.append(el("p", "quiet", told.assumes));
  return box;
}

function quoted(reply, answer) {
  const title = el("p", "label", link(answer.link, answer.rule, "rule-id"), " ", el("b", "", answer.title));
  const box = el("blockquote", "quoted", title, el("p", "", answer.quote));
  for (const ruling of answer.rulings) {
    box.append(el("p", "ruling", el("b", "", words.ruling), ` ${ruling.question} ${ruling.says}`));
  }
  if (answer.related.length) {
    const more = el("p", "related", `${words.related}: `);
    answer.related.forEach((other, at) => more.append(at ? ", " : "", link(`/rules/${reply.game}#${other.rule}`, `${other.rule} ${other.title}`)));
    box.append(more);
  }
  return box;
}

function folded(answer) {
  return el("details", "folded", el("summary", "", `${answer.rule} ${answer.title}`),
    el("p", "", answer.quote, " ", link(answer.link, answer.rule, "rule-id")));
}

function replied(reply) {
  const said = el("li", "said theirs");
  if (reply.verdict) said.append(verdict(reply.verdict));
  if (!reply.answers.length && (!reply.verdict || !reply.found)) said.append(el("p", "silent", words.silent));
  reply.answers.forEach((answer, at) => said.append(at ? folded(answer) : quoted(reply, answer)));
  return said;
}

async function ask(question) {
  talk.querySelector(".examples")?.remove();
  const mine = el("li", "said mine", question);
  const waits = el("li", "said theirs waits", words.thinking);
  talk.append(mine, waits);
  waits.scrollIntoView({ block: "nearest" });
  const chosen = new FormData(form);
  const body = { question, history: earlier, game: chosen.get("game") || null, as: chosen.get("as") || null };
  try {
    const answer = await fetch("/api/v1/ask", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": form.dataset.csrf },
      body: JSON.stringify(body),
    });
    const reply = await answer.json();
    waits.replaceWith(answer.ok ? replied(reply) : el("li", "said theirs", [reply.text, reply.cure].filter(Boolean).join(" ")));
    if (answer.ok) earlier = [...earlier, question].slice(-MEMORY);
  } catch {
    waits.replaceWith(el("li", "said theirs", words.failed));
  }
  mine.scrollIntoView({ block: "start", behavior: "smooth" });
}

form.onsubmit = (event) => {
  event.preventDefault();
  const question = field.value.trim();
  if (!question) return;
  field.value = "";
  ask(question);
};
talk.addEventListener("click", (event) => {
  const example = /** @type {Element} */ (event.target).closest(".examples a");
  if (!example) return;
  event.preventDefault();
  ask(example.textContent || "");
});
