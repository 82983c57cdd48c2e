/** The list of matches: dates in the reader's own way, search as you type, news of what is still being read. */

/** How long after the last key the list follows, in ms. */
const PAUSE = 180;
/** How long until records that are being read are asked for again, in ms. */
const AGAIN = 900;

const form = /** @type {HTMLFormElement|null} */ (document.getElementById("find-match"));
let asked = 0;

/** Dates as this reader writes them. */
function dates() {
  const style = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
  for (const node of document.querySelectorAll("time[datetime]")) {
    node.textContent = style.format(new Date(/** @type {HTMLTimeElement} */ (node).dateTime));
  }
}

/** Fetches the list for this address and puts it in the place of the present one. @param {string} address */
async function follow(address) {
  const mine = ++asked;
  try {
    const answer = await fetch(address);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("match-list");
    if (mine !== asked || !fresh) return;
    document.getElementById("match-list")?.replaceWith(fresh);
    history.replaceState(null, "", address);
  } catch {
    // without a connection the list that stands here stays
  }
  dates();
  unread();
}

/** Asks again while some records are still being read. */
function unread() {
  const list = document.getElementById("match-list");
  if (list && Number(list.dataset.unread) > 0) setTimeout(() => follow(location.pathname + location.search), AGAIN);
}

if (form) {
  const address = () => {
    const fields = [...new FormData(form)].filter(([, value]) => value);
    return `/matches?${new URLSearchParams(/** @type {any} */ (fields))}`;
  };
  let timer = 0;
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => follow(address()), PAUSE);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    follow(address());
  });
  unread();
}
const print = document.getElementById("print");
if (print) {
  print.hidden = false;
  print.onclick = () => window.print();
}
dates();
document.body.dataset.ready = "yes";
