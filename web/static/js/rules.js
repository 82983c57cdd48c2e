/** The rulebook's pages: search as you type, the contents that follow the reader, printing. */

const find = /** @type {HTMLInputElement|null} */ (document.getElementById("find"));
const list = document.getElementById("hits");

// On a narrow screen the tabs scroll: the one that is open is in sight.
const tab = document.querySelector(".tabs-row [aria-current]");
if (tab?.parentElement) tab.parentElement.scrollLeft = /** @type {HTMLElement} */ (tab).offsetLeft - 40;

/** Rules for what is typed so far, as lines to choose from. */
function searching(field, hits) {
  const game = field.form.dataset.game;
  let asked = 0;
  let timer = 0;
  let chosen = -1;

  async function look() {
    const typed = field.value.trim();
    const mine = ++asked;
    if (typed.length < 2) {
      hits.hidden = true;
      return;
    }
    try {
      const answer = await fetch(`/api/v1/rules/${game}/search?q=${encodeURIComponent(field.value)}`);
      const found = await answer.json();
      if (mine === asked) show(found);
    } catch {
      hits.hidden = true; // without a connection the form still asks
    }
  }

  function show(found) {
    chosen = -1;
    hits.replaceChildren(...found.map((one) => {
      const line = document.createElement("li");
      const link = document.createElement("a");
      const id = document.createElement("b");
      id.textContent = one.rule;
      const short = document.createElement("span");
      short.textContent = one.short;
      link.href = one.link;
      link.append(id, ` ${one.title}`, short);
      link.onclick = () => { hits.hidden = true; };
      line.append(link);
      return line;
    }));
    if (!found.length) {
      const line = document.createElement("li");
      line.className = "quiet";
      line.textContent = field.dataset.nothing;
      hits.append(line);
    }
    hits.hidden = false;
  }

  field.oninput = () => {
    clearTimeout(timer);
    timer = setTimeout(look, 90);
  };
  field.onkeydown = (event) => {
    const links = [...hits.querySelectorAll("a")];
    if (event.key === "Escape") hits.hidden = true;
    if (event.key === "Enter" && links.length && !hits.hidden) {
      event.preventDefault();
      links[Math.max(0, chosen)].click();
    }
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && links.length) {
      event.preventDefault();
      chosen = (chosen + (event.key === "ArrowDown" ? 1 : -1) + links.length) % links.length;
      links.forEach((link, at) => link.classList.toggle("chosen", at === chosen));
      links[chosen].scrollIntoView({ block: "nearest" });
    }
  };
}

/** Marks where in the contents the reader is. */
function following() {
  const links = new Map([...document.querySelectorAll(".toc a")].map((link) => [link.getAttribute("href").slice(1), link]));
  const seen = new Set();
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) seen.add(entry.target.id);
      else seen.delete(entry.target.id);
    }
    const first = [...links.keys()].find((id) => seen.has(id) && id.includes("."));
    for (const [id, link] of links) {
      if (id === first) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "-10% 0px -60% 0px" });
  document.querySelectorAll("article.para").forEach((rule) => watcher.observe(rule));
}

/** A rule that an address points at opens what is folded round it. */
function unfold() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) target.scrollIntoView();
}

if (find && list) searching(find, list);
if (document.querySelector(".toc")) {
  const toc = /** @type {HTMLDetailsElement} */ (document.querySelector(".toc"));
  if (matchMedia("(max-width: 900px)").matches) toc.open = false;
  toc.addEventListener("click", (event) => {
    if (/** @type {Element} */ (event.target).closest("a") && matchMedia("(max-width: 900px)").matches) toc.open = false;
  });
  following();
}
const print = document.getElementById("print");
if (print) {
  print.hidden = false;
  print.onclick = () => window.print();
}
unfold();
