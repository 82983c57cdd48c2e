/** The form at a match's end: keeps what is typed whatever happens, sends it, shows the time line to pick from. */

/** How long until a time line that is still being read is asked for again, in ms. */
const AGAIN = 900;

const place = () => /** @type {HTMLElement} */ (document.getElementById("feedback"));
const draftKey = () => `crowntable-answer-${place().dataset.match}`;

/** What is typed, kept for this tab until it is sent. @param {HTMLFormElement} form */
function keepDraft(form) {
  const fields = [...new FormData(form)].filter(([name]) => name !== "csrf");
  try {
    sessionStorage.setItem(draftKey(), JSON.stringify(fields));
  } catch {
    // without storage the page itself still has it
  }
}

/** Puts a draft back into the form. @param {HTMLFormElement} form */
function restore(form) {
  let fields = [];
  try {
    fields = JSON.parse(sessionStorage.getItem(draftKey()) || "[]");
  } catch {
    return;
  }
  for (const [name, value] of fields) {
    const field = /** @type {any} */ (form.elements.namedItem(name));
    if (field && "value" in field) field.value = value; // groups of radio buttons take a value, too
  }
}

function forgetDraft() {
  try {
    sessionStorage.removeItem(draftKey());
  } catch {
    // there is none then
  }
}

/** Sends a form of ours; the page's part is replaced by the answer, and stays as it is where there is trouble. */
async function send(/** @type {SubmitEvent} */ event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  button.disabled = true;
  try {
    const body = new URLSearchParams(/** @type {any} */ ([...new FormData(form)]));
    const answer = await fetch(form.action, { method: "POST", body });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("feedback");
    if (answer.ok && fresh) {
      forgetDraft();
      place().replaceWith(fresh);
      install();
      place().querySelector("h1, h2")?.scrollIntoView({ block: "start" });
      return;
    }
    const said = page.querySelector(".problem:not([hidden])")?.textContent
      || [...page.querySelectorAll(".card h1, .card h2, .card p:not(:has(a))")].map((one) => one.textContent).join(" ");
    trouble(said || place().dataset.noAnswer || "");
  } catch {
    trouble(place().dataset.noAnswer || "");
  }
  button.disabled = false;
}

/** One sentence where the eye is: above the button. @param {string} text */
function trouble(text) {
  const box = document.getElementById("problem");
  if (!box) return;
  box.textContent = text;
  box.hidden = false;
  box.scrollIntoView({ block: "center" });
}

/** Fetches the time line when it is opened for the first time. @param {HTMLDetailsElement} box */
async function timeLine(box) {
  const old = /** @type {HTMLElement} */ (document.getElementById("time-line"));
  if (!box.open || old.matches("ol")) return;
  const wait = document.createElement("p");
  wait.className = "quiet";
  wait.setAttribute("role", "status");
  wait.textContent = place().dataset.reading || "";
  if (!old.querySelector("p")) old.append(wait);
  try {
    const answer = await fetch(/** @type {string} */ (box.dataset.from));
    if (answer.status === 202) {
      setTimeout(() => timeLine(box), AGAIN);
      return;
    }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("time-line");
    if (!fresh) throw new Error("no time line");
    const chosen = picked(box)?.value;
    old.replaceWith(fresh);
    const again = [...fresh.querySelectorAll("input")].find((one) => one.value === chosen);
    if (again) {
      again.checked = true;
      const inside = again.closest("details");
      if (inside) inside.open = true;
    }
  } catch {
    wait.textContent = place().dataset.noAnswer || "";
  }
}

/** The moment that is chosen. @param {Element} box @returns {HTMLInputElement|null} */
const picked = (box) => box.querySelector("input[name=moment]:checked");

function install() {
  const form = /** @type {HTMLFormElement|null} */ (document.getElementById("answer"));
  const box = /** @type {HTMLDetailsElement|null} */ (document.getElementById("moments"));
  for (const one of place().querySelectorAll("form")) one.addEventListener("submit", send);
  if (!form || !box) return;
  box.hidden = false;
  restore(form);
  form.addEventListener("input", () => keepDraft(form));
  box.addEventListener("toggle", () => timeLine(box));
  box.addEventListener("change", () => {
    const one = picked(box);
    const words = one && one.value ? one.parentElement?.querySelector("b, .what")?.textContent : "";
    /** @type {HTMLElement} */ (document.getElementById("picked")).textContent = words || "";
  });
}

install();
document.body.dataset.ready = "yes";
