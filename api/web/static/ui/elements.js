// Describes elements, builds them, and changes those on the page to match a new description. Text goes into
// text nodes: a name that a player typed can never become markup.

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';

/**
 * h('button', { class: 'primary', onclick: save }, 'Spara'): describes an element by its attributes,
 * listeners and children. A redraw builds an element from it only where none alike is drawn.
 */
export const h = (tag, attributes = {}, ...children) => describeElement(HTML, tag, attributes, children);

export const svg = (tag, attributes = {}, ...children) => describeElement(SVG, tag, attributes, children);

const describeElement = (namespace, tag, attributes, children) =>
  ({ namespace, tag, attributes, children: shownItems(children) });

/** The descriptions, nodes and texts in nested lists; null, undefined and false show nothing. */
export function shownItems(content, items = []) {
  for (const item of content) {
    if (Array.isArray(item)) shownItems(item, items);
    else if (item !== null && item !== undefined && item !== false) items.push(item);
  }
  return items;
}

/** Adds attributes to a description, as if it had been made with them. */
export function addAttributes(description, attributes) {
  description.attributes = { ...description.attributes, ...attributes };
  return description;
}

/**
 * Returns `describe` with a cache of its descriptions by argument, for elements that never change, such as
 * icons: a redraw skips an element that was drawn from the same description.
 */
export function keepDescriptions(describe) {
  const knownDescriptions = new Map();
  return (...values) => {
    const key = values.join();
    if (!knownDescriptions.has(key)) knownDescriptions.set(key, Object.freeze(describe(...values)));
    return knownDescriptions.get(key);
  };
}

/** The description that each element was last drawn from. */
const descriptions = new WeakMap();
const ownElements = new WeakSet();

/** Builds an element for code that changes it later itself. A redraw keeps it or replaces it whole. */
export function buildElement(description) {
  const node = buildNode(description);
  ownElements.add(node);
  return node;
}

function buildNode(item) {
  if (item instanceof Node) return item;
  if (typeof item !== 'object') return new Text(item);
  const node = document.createElementNS(item.namespace, item.tag);
  descriptions.set(node, item);
  changeAttributes(node, {}, item.attributes);
  for (const child of item.children) node.append(buildNode(child));
  return node;
}

// What people change themselves. The attribute gives only the initial state, so the property is set.
const PROPERTIES = new Set(['value', 'checked', 'selected']);

function changeAttributes(node, earlier, attributes) {
  for (const name in attributes) drawAttribute(node, name, earlier[name], attributes[name]);
  for (const name in earlier) if (!(name in attributes)) drawAttribute(node, name, earlier[name], undefined);
}

function drawAttribute(node, name, earlier, attribute) {
  const value = attribute ?? false;
  if (name.startsWith('on')) {
    if (!earlier) node.addEventListener(name.slice(2), runListener);
  } else if (name === 'style') changeStyle(node, earlier ?? {}, attribute ?? {});
  else if (PROPERTIES.has(name)) changeProperty(node, name, value);
  // A fold that somebody has opened or closed stays so.
  else if (name !== 'open' || value !== (earlier ?? false)) changeAttribute(node, name, value);
}

/** Leaves alone what is equal: a custom property that is set, even to the same value, restyles all inside. */
function changeStyle(node, earlier, properties) {
  for (const name of Object.keys({ ...earlier, ...properties }))
    if (earlier[name] !== properties[name]) node.style.setProperty(name, properties[name] ?? '');
}

/** Runs the listener that the element was last drawn with. */
const runListener = (event) => descriptions.get(event.currentTarget).attributes[`on${event.type}`]?.(event);

function changeProperty(node, name, value) {
  if (name !== 'value') node[name] = value;
  else if (value !== false && node.value !== String(value)) node.value = value;
}

function changeAttribute(node, name, value) {
  const text = value === true ? '' : String(value);
  if (value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

/**
 * Changes the children of `node` to match `content`: descriptions, nodes and texts. What is alike stays where
 * it is, so that the focus, scroll positions, open folds and typed text stay too.
 */
export function patchChildren(node, content) {
  let place = node.firstChild;
  content.forEach((item, index) => {
    const drawn = findAlike(place, content, index);
    if (drawn === null) node.insertBefore(buildNode(item), place);
    else {
      place = removeUntil(place, drawn).nextSibling;
      patchNode(drawn, item);
    }
  });
  removeUntil(place, null);
}

/** The next drawn node that the item can use without removing one that a later item needs. */
function findAlike(place, content, index) {
  for (let drawn = place; drawn !== null; drawn = drawn.nextSibling) {
    if (isAlike(drawn, content[index])) return drawn;
    for (let laterIndex = index + 1; laterIndex < content.length; laterIndex += 1)
      if (isAlike(drawn, content[laterIndex])) return null;
  }
  return null;
}

function isAlike(drawn, item) {
  if (drawn === item) return true;
  if (typeof item !== 'object') return drawn.nodeType === Node.TEXT_NODE;
  const description = descriptions.get(drawn);
  return description !== undefined && !(item instanceof Node) && description.tag === item.tag
    && kindOf(description) === kindOf(item) && !ownElements.has(drawn);
}

/** What tells siblings apart: the key, the value of a choice, the name, or the first word of the class. */
function kindOf({ attributes: { 'data-key': key, type, value, name, class: classes } }) {
  return key ?? (type === 'radio' ? value : name ?? (classes ? classes.split(' ', 1)[0] : ''));
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

function patchNode(drawn, item) {
  if (drawn === item) return;
  if (typeof item !== 'object') {
    if (drawn.data !== String(item)) drawn.data = item;
    return;
  }
  const earlier = descriptions.get(drawn);
  if (earlier === item) return;
  descriptions.set(drawn, item);
  changeAttributes(drawn, earlier.attributes, item.attributes);
  patchChildren(drawn, item.children);
}

/** A link over the width of a row; `note` stands below its name. */
export const rowLink = (href, key, name, { note = null, ...attributes } = {}) => h('a',
  { class: 'row-link', href, 'data-key': key, ...attributes },
  h('span', { class: 'row-name' }, name, note && h('span', { class: 'muted row-note' }, note)), icon('on'));

/** Text for screen readers only. */
export const hiddenText = (text) => h('span', { class: 'visually-hidden' }, text);

const ICON_LINES = {
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

/** A line icon, by its name; the button around it has the words. */
export const icon = keepDescriptions((name) => svg('svg',
  { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('path', { d: ICON_LINES[name] })));
