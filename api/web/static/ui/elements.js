// Builds elements, and changes those on the page to match newly built ones. Text goes through textContent: a
// name that a player typed can never become markup.

const SVG = 'http://www.w3.org/2000/svg';

/** h('button', { class: 'big', onclick: save }, 'Spara'): attributes, listeners and children in one line. */
export function h(tag, attributes = {}, ...children) {
  return buildElement(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return buildElement(document.createElementNS(SVG, tag), attributes, children);
}

/** The attributes that each element was last drawn with. */
const attributesOf = new WeakMap();
const wholeElements = new WeakSet();

function buildElement(node, attributes, children) {
  changeAttributes(node, attributes);
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

/** Adds attributes to a built element, as if it had been built with them. */
export const addAttributes = (node, attributes) =>
  changeAttributes(node, { ...attributesOf.get(node), ...attributes });

/** Marks an element that its own code changes later: a redraw replaces it instead of changing it. */
export function replaceWhole(node) {
  wholeElements.add(node);
  return node;
}

// What people change themselves. The attribute gives only the initial state, so the property is set.
const PROPERTIES = ['value', 'checked', 'selected'];

function changeAttributes(node, attributes) {
  const earlier = attributesOf.get(node) ?? {};
  attributesOf.set(node, attributes);
  for (const name of Object.keys({ ...earlier, ...attributes })) {
    const value = attributes[name] ?? false;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), runListener);
    else if (name === 'style') changeStyle(node, earlier.style, attributes.style);
    else if (PROPERTIES.includes(name)) changeProperty(node, name, value);
    // A fold that somebody has opened or closed stays so.
    else if (name !== 'open' || value !== (earlier.open ?? false)) changeAttribute(node, name, value);
  }
}

function changeStyle(node, earlier, properties) {
  for (const name of Object.keys({ ...earlier, ...properties }))
    node.style.setProperty(name, properties?.[name] ?? '');
}

/** Runs the listener that the element was last drawn with. */
const runListener = (event) => attributesOf.get(event.currentTarget)[`on${event.type}`]?.(event);

function changeProperty(node, name, value) {
  if (name !== 'value') node[name] = value;
  else if (value !== false && node.value !== String(value)) node.value = value;
}

function changeAttribute(node, name, value) {
  if (value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value === true ? '' : value);
}

/**
 * Changes the children of `node` to match `content`, nodes and texts that were built anew. What is alike
 * stays where it is, so that the focus, scroll positions, open folds and typed text stay too.
 */
export function patchChildren(node, content) {
  const awaited = content.map((item) => (item instanceof Node ? item : new Text(item)));
  let place = node.firstChild;
  while (awaited.length > 0) {
    const built = awaited.shift();
    const drawn = findAlike(place, built, awaited);
    if (drawn === null) node.insertBefore(built, place);
    else {
      place = removeUntil(place, drawn).nextSibling;
      patchNode(drawn, built);
    }
  }
  removeUntil(place, null);
}

/** The next drawn node that `built` can replace without removing one that a later node needs. */
function findAlike(place, built, awaited) {
  for (let drawn = place; drawn !== null; drawn = drawn.nextSibling) {
    if (isAlike(drawn, built)) return drawn;
    if (awaited.some((node) => isAlike(drawn, node))) return null;
  }
  return null;
}

const isAlike = (drawn, built) => drawn === built || (drawn.nodeName === built.nodeName
  && !wholeElements.has(drawn) && !wholeElements.has(built) && kindOf(drawn) === kindOf(built));

/** What tells siblings apart: the key, the value of a choice, the name, or the first word of the class. */
function kindOf(node) {
  const { 'data-key': key, type, value, name, class: classes } = attributesOf.get(node) ?? {};
  return key ?? (type === 'radio' ? value : name ?? (classes ?? '').split(' ', 1)[0]);
}

function removeUntil(place, end) {
  let node = place;
  while (node !== end) {
    const next = node.nextSibling;
    node.remove();
    node = next;
  }
  return end;
}

function patchNode(drawn, built) {
  if (drawn === built) return;
  if (built.nodeType === Node.TEXT_NODE) {
    if (drawn.data !== built.data) drawn.data = built.data;
    return;
  }
  changeAttributes(drawn, attributesOf.get(built) ?? {});
  patchChildren(drawn, [...built.childNodes]);
}

/** Text for screen readers only. */
export const hiddenText = (text) => h('span', { class: 'aside' }, text);

/** A line icon; the button around it has the words. */
export function icon(name) {
  const lines = {
    back: 'M15 5l-7 7 7 7',
    undo: 'M9 6L4 11l5 5M4 11h10a6 6 0 010 12h-2',
    menu: 'M4 7h16M4 12h16M4 17h16',
    up: 'M12 19V6M6 12l6-6 6 6',
    down: 'M12 4v12M6 11l6 6 6-6M5 20h14',
    cross: 'M6 6l12 12M18 6L6 18',
    plus: 'M12 5v14M5 12h14',
    minus: 'M5 12h14',
    on: 'M9 5l7 7-7 7',
    arrow: 'M4 12h15M13 6l6 6-6 6',
    check: 'M5 13l4 4L19 7',
    pen: 'M4 20l1-5L16 4l4 4L9 19zM13 7l4 4',
  };
  return svg('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    svg('path', { d: lines[name] }));
}
