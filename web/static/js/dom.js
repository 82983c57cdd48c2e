/**
 * Drawing: `h` describes an element, `patch` makes the page look like the description and touches
 * nothing else, so that focus, scroll, animations and half-filled forms live on between views.
 *
 * @typedef {{tag: string, props: Object<string, any>, kids: (VNode|string)[], key: (string|null)}} VNode
 */

const SVG = "http://www.w3.org/2000/svg";
const drawn = new WeakMap();

/**
 * Describes an element. `kids` may be nested arrays; null, false and undefined are left out.
 * Props: `key` tells siblings apart, `style` is an object of CSS properties, `on…` are handlers,
 * `init` is a function called once with the new element; all others are attributes.
 * @param {string} tag @param {Object<string, any>|null} [props] @param {...any} kids @returns {VNode}
 */
export function h(tag, props, ...kids) {
  const flat = [];
  flatten(kids, flat);
  const all = props || {};
  return { tag, props: all, kids: flat, key: all.key == null ? null : String(all.key) };
}

function flatten(from, into) {
  for (const kid of from) {
    if (Array.isArray(kid)) flatten(kid, into);
    else if (kid !== null && kid !== undefined && kid !== false && kid !== true && kid !== "") {
      into.push(typeof kid === "object" ? kid : String(kid));
    }
  }
}

/** Makes the children of `parent` match. @param {Element} parent @param {...any} kids */
export function patch(parent, ...kids) {
  const flat = [];
  flatten(kids, flat);
  patchKids(parent, flat);
}

function patchKids(parent, kids) {
  const keyed = new Map();
  for (const node of parent.childNodes) {
    const was = drawn.get(node);
    if (was && was.key !== null) keyed.set(was.key, node);
  }
  let at = parent.firstChild;
  for (const kid of kids) {
    let node = null;
    if (typeof kid === "string") {
      if (at && at.nodeType === Node.TEXT_NODE) node = at;
    } else if (kid.key !== null) {
      node = keyed.get(kid.key) || null;
      if (node && drawn.get(node).tag !== kid.tag) node = null;
      if (node) keyed.delete(kid.key);
    } else if (at) {
      const was = drawn.get(at);
      if (was && was.tag === kid.tag && was.key === null) node = at;
    }
    if (node === null) {
      node = create(kid, parent);
      parent.insertBefore(node, at);
    } else {
      if (node !== at) parent.insertBefore(node, at);
      else at = at.nextSibling;
      update(node, kid);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function create(kid, parent) {
  if (typeof kid === "string") return document.createTextNode(kid);
  const inSvg = kid.tag === "svg" || (parent.namespaceURI === SVG && parent.tagName !== "foreignObject");
  const node = inSvg ? document.createElementNS(SVG, kid.tag) : document.createElement(kid.tag);
  drawn.set(node, { tag: kid.tag, key: kid.key, props: {} });
  setProps(node, {}, kid.props);
  drawn.set(node, { tag: kid.tag, key: kid.key, props: kid.props });
  patchKids(node, kid.kids);
  if (kid.props.init) kid.props.init(node);
  return node;
}

function update(node, kid) {
  if (typeof kid === "string") {
    if (node.data !== kid) node.data = kid;
    return;
  }
  setProps(node, drawn.get(node).props, kid.props);
  drawn.set(node, { tag: kid.tag, key: kid.key, props: kid.props });
  if (!("own" in kid.props)) patchKids(node, kid.kids);
}

function setProps(node, old, props) {
  for (const name of Object.keys(old)) {
    if (!(name in props)) setProp(node, name, old[name], null);
  }
  for (const [name, value] of Object.entries(props)) {
    if (old[name] !== value) setProp(node, name, old[name], value);
  }
}

function setProp(node, name, old, value) {
  if (name === "key" || name === "init" || name === "own") return;
  if (name.startsWith("on")) {
    node[name] = value;
  } else if (name === "style") {
    const now = value || {};
    for (const key of Object.keys(old || {})) if (!(key in now)) node.style.removeProperty(key);
    for (const [key, one] of Object.entries(now)) node.style.setProperty(key, String(one));
  } else if (name === "checked" || name === "selected") {
    node[name] = Boolean(value);
  } else if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
  } else if (name === "value" && "value" in node) {
    node.value = value;
  } else {
    node.setAttribute(name, value === true ? "" : String(value));
  }
}

/** The classes that hold, joined. @param {...(string|false|null|undefined)} names */
export function cls(...names) {
  return names.filter(Boolean).join(" ");
}
