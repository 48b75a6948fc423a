// One page, three parts: what this is (top), what there is to see (middle), what to do (thumb).
// A new screen takes the focus to its heading; a refreshed one leaves focus where it was.

import { t } from '../core/translator.js';
import { h, icon } from './elements.js';

const pagePart = (id) => document.getElementById(id);
const askedQuestion = () => document.querySelector('.question')?.textContent;
let underHeading = null;

// ms in which nobody can have read what is new here: a tap was meant for what stood there before
const REFLEX_MS = 350;
let changedAt = 0;

/**
 * What can be pressed is new: taps and keys do not count for a moment, and those of a held key never.
 * Steppers repeat.
 */
export function ignoreEarlyTaps() {
  const changedSince = changedAt = performance.now();
  document.documentElement.dataset.spared = '';
  setTimeout(() => { if (changedSince === changedAt) delete document.documentElement.dataset.spared; },
    REFLEX_MS);
}

const stopEvent = (event) => { event.preventDefault(); event.stopImmediatePropagation(); };

// The second click of a double-click may come later than REFLEX after a redraw: its count says what it
// belongs to.
let clickedAt = 0;
const isSecondOfDoubleClick = (event) => event.pointerType === 'mouse' && event.detail > 1
  && changedAt > clickedAt;

addEventListener('click', (event) => {
  if (!event.isTrusted) return;
  const early = 'spared' in document.documentElement.dataset || isSecondOfDoubleClick(event);
  if (early && !event.target.closest?.('[data-repeats]')) stopEvent(event);
  clickedAt = performance.now();
}, true);
addEventListener('keydown', (event) => {
  const typed = event.target.closest?.('input[type=text], input[type=tel], select');
  if (event.repeat && (event.key === 'Enter' || (event.key === ' ' && !typed))
    && !event.target.closest?.('[data-repeats]')) stopEvent(event);
}, true);

/** Shows a screen. `fresh`: somebody came here just now. `aside` stands at the right of the heading. */
export function showScreen({ title, backHref = null, headerEnd = null, main, bar = [], fresh = false,
  kind = '' }) {
  const focused = focusSelector();
  const earlierQuestion = askedQuestion();
  document.body.className = kind;
  document.title = title === 'Vola' ? 'Vola' : `${title} · Vola`;
  const heading = h('h1', { tabindex: '-1' }, title);
  pagePart('head').replaceChildren(...[
    backHref && h('a', { class: 'round', href: backHref, 'data-key': 'back', 'aria-label': t('page.back') },
      icon('back')),
    heading,
    headerEnd,
    underHeading,
  ].filter(Boolean));
  pagePart('main').replaceChildren(...main.flat(Infinity).filter(Boolean));
  const actions = bar.flat(Infinity).filter(Boolean);
  pagePart('bar').replaceChildren(...actions);
  pagePart('bar').hidden = actions.length === 0;
  if (fresh) {
    document.body.dataset.at = location.hash; // this place is drawn now
    scrollTo(0, 0);
    heading.focus({ preventScroll: true });
  } else restoreFocus(focused);
  if (fresh || askedQuestion() !== earlierQuestion) ignoreEarlyTaps();
}

/** How to find again what has the focus, once it is drawn anew; null when nothing of ours has it. */
function focusSelector() {
  const focused = document.activeElement;
  if (!focused?.closest('#head, #main, #bar, dialog')) return null;
  const { dataset: { key }, name, value, type } = focused;
  if (key) return `[data-key="${CSS.escape(key)}"]`;
  if (name) return `[name="${CSS.escape(name)}"]${type === 'radio' ? `[value="${CSS.escape(value)}"]` : ''}`;
  return focused.matches('h1') ? 'h1' : ':not(*)';
}

/** The focus is never lost: it stays, goes to what stands beside, or back to what is asked here. */
function restoreFocus(focused) {
  if (focused === null) return;
  const sameElement = document.querySelector(focused);
  const neighbour =
    sameElement?.parentElement.querySelector('a, button:not(:disabled), input:not(:disabled)');
  [sameElement, neighbour, ...['dialog[open] button', '.question', 'h1']
    .map((selector) => document.querySelector(selector))]
    .some((candidate) => {
    candidate?.focus({ preventScroll: true });
    return candidate && document.activeElement === candidate;
  });
}

/** Something else in a part of the page; the focus stays in it. */
export function refillPart(node, ...content) {
  const focused = node.contains(document.activeElement) ? focusSelector() : null;
  node.replaceChildren(...content.flat(Infinity).filter(Boolean));
  restoreFocus(focused);
}

/** A line under the heading, which stays when the screen is drawn anew; null takes it away. */
export function showUnderHeading(node) {
  underHeading?.remove();
  underHeading = node;
  if (node) pagePart('head').append(node);
}

/** Says something to a screen reader without moving anything on the page. */
export const announce = (text) => { pagePart('said').textContent = text; };

/** Something went wrong, in words, where no thumb wants to be; gone with a tap or the next screen. */
export function showWarning(text) {
  const focused = focusSelector();
  const dismiss = () => { clearWarning(); restoreFocus(focused ?? 'h1'); };
  pagePart('notice').replaceChildren(h('div', { class: 'slip' },
    h('p', {}, text),
    h('button', { class: 'round', type: 'button', 'aria-label': t('page.dismiss'), onclick: dismiss },
      icon('cross'))));
}

export const clearWarning = () => pagePart('notice').replaceChildren();

/** A sheet that slides up over the table: menu, help, a question. Esc and the backdrop close it. */
export function openSheet(title, content) {
  const opener = focusSelector();
  const close = () => dialog.close();
  const dialog = h('dialog', { class: 'sheet', 'aria-labelledby': 'sheet-title' },
    h('div', { class: 'sheet-head' },
      h('h2', { id: 'sheet-title' }, title),
      h('button', { class: 'round', type: 'button', 'aria-label': t('page.close'), onclick: close },
        icon('cross'))),
    h('div', { class: 'sheet-body' }, content));
  dialog.addEventListener('close', () => {
    dialog.remove();
    // drawn anew meanwhile, the browser does not find it
    if (document.activeElement === document.body) restoreFocus(opener);
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog || event.target.closest('a')) close();
  });
  document.body.append(dialog);
  dialog.showModal();
  ignoreEarlyTaps();
  return dialog;
}

export function closeSheets() {
  for (const dialog of document.querySelectorAll('dialog.sheet')) dialog.close();
}

/** A button at the bottom edge. `big` is what most people came for; `shy` may shrink to its icon. */
export const actionButton =
  (key, label, onclick, { big = false, shy = false, mark = null, name = null, disabled = false } = {}) =>
  h('button', {
    type: 'button', 'data-key': key, onclick, disabled, 'aria-label': name ?? (shy ? label : null),
    class: big ? 'button big' : shy ? 'button shy' : 'button',
  }, mark && icon(mark), label && h('span', {}, label));

export const actionLink = (key, label, href, { big = false, mark = null } = {}) =>
  h('a', { 'data-key': key, href, class: big ? 'button big' : 'button' }, mark && icon(mark),
    h('span', {}, label));

/** The address stays, the way of recording changes: the screen is drawn again from the beginning. */
export const redrawScreen = () => dispatchEvent(new HashChangeEvent('hashchange'));
