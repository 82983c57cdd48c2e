/** Movement that explains: cards slide under who owns them, values count up, captures fly home. */

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Where everything with a data-flip name lies now. @param {ParentNode} root */
export function snapshot(root) {
  const places = new Map();
  if (calm.matches) return places;
  for (const node of root.querySelectorAll("[data-flip]")) {
    places.set(/** @type {HTMLElement} */ (node).dataset.flip, node.getBoundingClientRect());
  }
  return places;
}

/** Lets what moved since `before` slide to its new place, and what is new come from its player's side. */
export function settle(root, before) {
  if (calm.matches || !before.size) return;
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-flip]"))) {
    const was = before.get(node.dataset.flip);
    const now = node.getBoundingClientRect();
    if (was) {
      const x = was.left - now.left;
      const y = was.top - now.top;
      if (Math.abs(x) + Math.abs(y) > 3 && Math.abs(y) < 400) {
        node.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 520, easing: "cubic-bezier(.2,.8,.2,1)" });
      }
    } else if (node.dataset.from) {
      const x = node.dataset.from === "left" ? -120 : node.dataset.from === "right" ? 120 : 0;
      const y = x ? -30 : -90;
      node.animate(
        [{ transform: `translate(${x}px, ${y}px) rotate(${x / 12}deg) scale(1.25)`, opacity: 0 }, { transform: "none", opacity: 1 }],
        { duration: 480, easing: "cubic-bezier(.2,.9,.3,1.15)" });
    }
  }
}

const counters = new WeakMap();

/** Shows `value` in `node`, counting there from what it showed. @param {Element} node @param {number|string} value */
export function countTo(node, value) {
  const goal = Number(value);
  const shown = Number(node.textContent);
  const going = counters.get(node);
  if (going && going.goal === goal) return;
  if (going) cancelAnimationFrame(going.frame);
  counters.delete(node);
  if (calm.matches || !Number.isFinite(goal) || !Number.isFinite(shown) || node.textContent === "" || shown === goal || document.hidden) {
    if (node.textContent !== String(value)) node.textContent = String(value);
    return;
  }
  const start = performance.now();
  const state = { goal, frame: 0 };
  const step = (/** @type {number} */ now) => {
    const done = Math.min(1, (now - start) / 450);
    const eased = 1 - (1 - done) ** 3;
    node.textContent = String(done === 1 ? value : Math.round(shown + (goal - shown) * eased));
    if (done < 1) state.frame = requestAnimationFrame(step);
    else counters.delete(node);
  };
  state.frame = requestAnimationFrame(step);
  counters.set(node, state);
  node.animate([{ transform: "scale(1)" }, { transform: "scale(1.14)" }, { transform: "scale(1)" }], { duration: 450, easing: "ease-out" });
}

/**
 * Sends pictures of elements from where they lay to where they belong now.
 * @param {{node: HTMLElement, rect: DOMRect}[]} ghosts @param {Element|null} goal
 */
export function fly(ghosts, goal) {
  if (calm.matches || !goal || document.hidden) return;
  const end = goal.getBoundingClientRect();
  ghosts.forEach(({ node, rect }, i) => {
    node.classList.add("ghost");
    node.setAttribute("aria-hidden", "true");
    for (const [name, value] of [["left", rect.left], ["top", rect.top], ["width", rect.width], ["height", rect.height]]) {
      node.style.setProperty(String(name), `${value}px`);
    }
    document.body.append(node);
    const x = end.left + end.width / 2 - rect.left - rect.width / 2;
    const y = end.top + end.height / 2 - rect.top - rect.height / 2;
    const move = node.animate(
      [{ transform: "none", opacity: 1 }, { transform: "translateY(-24px) scale(1.06)", opacity: 1, offset: 0.25 }, { transform: `translate(${x}px, ${y}px) scale(.25)`, opacity: 0.5 }],
      { duration: 1100, delay: i * 110, easing: "cubic-bezier(.5,0,.3,1)", fill: "both" });
    move.onfinish = () => node.remove();
    move.oncancel = () => node.remove();
  });
}

/** Pictures of the elements with these data-flip names as they lie now. @param {string[]} names */
export function ghostsOf(names) {
  if (calm.matches) return [];
  const ghosts = [];
  for (const name of names) {
    const found = /** @type {HTMLElement|null} */ (document.querySelector(`[data-flip="${CSS.escape(name)}"]`));
    if (!found) continue;
    const node = /** @type {HTMLElement} */ (found.cloneNode(true));
    node.removeAttribute("data-flip");
    ghosts.push({ node, rect: found.getBoundingClientRect() });
  }
  return ghosts;
}
