// Builds elements. Text goes through textContent: a name that a player typed can never become markup.

const SVG = 'http://www.w3.org/2000/svg';

/** h('button', { class: 'big', onclick: save }, 'Spara'): attributes, listeners and children in one line. */
export function h(tag, attributes = {}, ...children) {
  return appendChildren(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return appendChildren(document.createElementNS(SVG, tag), attributes, children);
}

function appendChildren(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
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
