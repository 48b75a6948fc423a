// The page: heading, main part, bottom bar and notices; and the sheets over it: the sheet itself, one that
// asks for confirmation, and the help behind a small "?". A new screen moves the focus to its heading; a
// redrawn one changes the elements that are there and keeps it.

import { Problem } from '../core/request_errors.js';
import { refreshSession } from '../core/session_sync.js';
import { loadAllSentences, t } from '../core/translator.js';
import { buildElement, h, icon, patchChildren, shownItems } from './elements.js';

const pagePart = (id) => document.getElementById(id);
// What a tap would do: the question, and the buttons that move when others come or go.
const tapMeaning = () => Array.from(document.querySelectorAll('.question, #bar [data-key], .transfer button'),
  ({ dataset, textContent }) => dataset.key ?? textContent).join();
let underHeading = null;
let lastLoading = null;

// A tap this soon after a change shows was meant for what stood there before, so it is ignored.
const REFLEX_MS = 350;
const LONG_WAIT_MS = 1_000;
let changedAt = 0;

/** Ignores taps for a moment, as the buttons are new; with `key`, only on the button with this key. */
export function ignoreEarlyTaps(key = '') {
  const changedSince = changedAt = performance.now();
  document.documentElement.dataset.spared = key;
  const endPause = () => { if (changedSince === changedAt) delete document.documentElement.dataset.spared; };
  // From the frame that shows the change: a slow phone may need as long as the pause to draw it.
  requestAnimationFrame(() => setTimeout(endPause, REFLEX_MS));
}
const stopEvent = (event) => { event.preventDefault(); event.stopImmediatePropagation(); };
// The second click of a double-click may come later than REFLEX_MS; its click count identifies it.
let clickedAt = 0;
const isSecondOfDoubleClick = (event) => event.pointerType === 'mouse' && event.detail > 1
  && changedAt > clickedAt;
addEventListener('click', (event) => {
  if (!event.isTrusted) return;
  // Before the redraw, so that the frame computes styles once. A link goes with its screen.
  release('button');
  const { spared } = document.documentElement.dataset;
  const button = event.target.closest?.('button');
  const early = [button?.dataset.key, ''].includes(spared ?? null) || isSecondOfDoubleClick(event);
  if (!early && button?.matches('[aria-pressed]')) ignoreEarlyTaps(button.dataset.key); // no double tap
  if (early && !event.target.closest?.('[data-repeats]')) stopEvent(event);
  clickedAt = performance.now();
}, true);
addEventListener('keydown', (event) => {
  const typed = event.target.closest?.('input[type=text], input[type=tel], select');
  if (event.repeat && (event.key === 'Enter' || (event.key === ' ' && !typed))
    && !event.target.closest?.('[data-repeats]')) stopEvent(event);
}, true);
// A press shows when the finger comes down. The browser sets `:active` on a touched button only when the
// finger lifts, and paints it before it sends the click.
addEventListener('pointerdown', ({ target }) => {
  target.closest?.('a, button')?.setAttribute('data-pressed', '');
}, { capture: true, passive: true });
// Buttons spring back in the frame that shows what the click has changed, also where no click follows.
const release = (tag) => {
  for (const node of document.querySelectorAll(`${tag}[data-pressed]`)) node.removeAttribute('data-pressed');
};
for (const type of ['pointerup', 'pointercancel'])
  addEventListener(type, () => requestAnimationFrame(() => release('')), { capture: true, passive: true });

/** Shows a screen. `fresh`: it was just opened. `headerEnd` stands at the right of the heading. */
export function showScreen({ title, backHref = null, headerEnd = null, main, bar = [], fresh = false,
  kind = '' }) {
  const focused = document.activeElement;
  const earlierMeaning = tapMeaning();
  const heading = [
    backHref && h('a', { class: 'icon-button', href: backHref, 'data-key': 'back',
      'aria-label': t('page.back') }, icon('back')),
    h('h1', { tabindex: '-1' }, title),
    headerEnd,
    underHeading,
  ];
  const parts = Object.entries({ head: heading, main, bar }).map(([id, content]) =>
    [pagePart(id), partsOf(content)]);
  // Removing the focused element later would force a layout of the half-drawn page.
  if (fresh || parts.some(([part, content]) => part.contains(focused) && isButtonGone(focused, content)))
    focused.blur();
  document.body.className = kind;
  const documentTitle = title === 'Vola' ? 'Vola' : `${title} · Vola`;
  // Setting an equal title again would cost a redraw and a message to the browser's own process.
  if (document.title !== documentTitle) document.title = documentTitle;
  for (const [part, content] of parts) {
    if (fresh) part.replaceChildren(); // nothing of the previous screen stays
    patchChildren(part, content);
  }
  pagePart('bar').hidden = partsOf(bar).length === 0;
  // Before the focus moves, which computes all styles.
  if (fresh || tapMeaning() !== earlierMeaning) ignoreEarlyTaps();
  if (fresh) {
    document.querySelector('.page-progress')?.remove(); // of a screen that was left before it came
    document.body.dataset.at = location.hash; // this screen is drawn
    scrollTo(0, 0);
    document.querySelector('h1').focus({ preventScroll: true });
  } else restoreFocus(focused);
}

const partsOf = (content) => shownItems([content]).filter(Boolean);

/** Whether a button or link is not in the new content. A field is left alone: it might announce a change. */
const isButtonGone = (focused, content) => focused.matches('a[data-key], button[data-key]')
  && !isDrawnIn(content, focused);

const isDrawnIn = (content, button) => content.some((item) => (item instanceof Node ? item.contains(button)
  : item.attributes?.['data-key'] === button.dataset.key || isDrawnIn(item.children ?? [], button)));

/** Gives back the focus that a redraw has taken: to the element, its key, a neighbour, or the question. */
function restoreFocus(focused) {
  if (focused === document.body || (focused === document.activeElement && isFocusable(focused))) return;
  const { key } = focused.dataset;
  [focused, key && document.querySelector(`[data-key="${CSS.escape(key)}"]`),
    focused.parentElement?.querySelector('a, button:not(:disabled), input:not(:disabled)'),
    ...['dialog[open] button', '.question', 'h1'].map((selector) => document.querySelector(selector))]
    .some((candidate) => {
      if (!candidate || !isFocusable(candidate)) return false;
      candidate.focus({ preventScroll: true });
      return document.activeElement === candidate;
    });
}

/** Whether the browser lets the element have the focus. Asks for no styles: that took a third of a tap. */
const isFocusable = (node) => node.isConnected && !node.matches(':disabled')
  && !node.closest('.invisible, [inert], [hidden]');

/** Draws the content of a part of the page anew; what is alike stays, and the focus with it. */
export function refillPart(node, ...content) {
  const focused = node.contains(document.activeElement) ? document.activeElement : document.body;
  patchChildren(node, partsOf(content));
  restoreFocus(focused);
}

/**
 * A part of a page that redraws itself when its data has changed, and keeps the focus. `draw(data)` returns
 * the content, or nothing to hide the part.
 */
export function section(draw) {
  const node = buildElement(h('section', { class: 'stack', hidden: true }));
  let lastText = null;
  return {
    node,
    update(data) {
      const text = JSON.stringify(data);
      if (text === lastText) return;
      lastText = text;
      const content = draw(data);
      node.hidden = !content;
      refillPart(node, content);
    },
  };
}

/** Shows a line under the heading, which stays when the screen is redrawn; null removes it. */
export function showUnderHeading(line) {
  underHeading?.remove();
  underHeading = line && buildElement(line);
  if (underHeading) pagePart('head').append(underHeading);
}

/** Says something to a screen reader without changing the page. */
export const announce = (text) => { pagePart('status').textContent = text; };

/** Outside an open sheet, which is modal, a notice would be covered and not announced. */
const placeNotice = () =>
  [document.body, ...document.querySelectorAll('dialog[open]')].at(-1).append(pagePart('notice'));

/** Shows a notice that something went wrong; a tap or the next screen removes it. */
export function showWarning(text) {
  placeNotice();
  const focused = document.activeElement === document.body ? pagePart('head').querySelector('h1')
    : document.activeElement;
  const dismiss = () => { clearWarning(); restoreFocus(focused); };
  pagePart('notice').replaceChildren(buildElement(h('div', { class: 'warning' },
    h('p', {}, text),
    iconButton(null, 'cross', t('page.dismiss'), dismiss))));
}

export const clearWarning = () => pagePart('notice').replaceChildren();

/**
 * A button. `primary`: the main one; `secondary` has less weight; `narrow` may shrink to its icon, `mark`.
 * `name`: what a screen reader says in place of the label.
 */
export const actionButton = (key, label, onclick,
  { primary = false, secondary = false, narrow = false, mark = null, name = null, disabled = false } = {}) =>
  h('button', {
    type: 'button', 'data-key': key, onclick, disabled, 'aria-label': name ?? (narrow ? label : null),
    class: primary ? 'button primary' : secondary ? 'button secondary' : narrow ? 'button narrow' : 'button',
  }, mark && icon(mark), label && h('span', {}, label));

/** A round button that shows an icon alone. */
export const iconButton = (key, mark, name, onclick, disabled = false) => h('button', {
  type: 'button', class: 'icon-button', 'data-key': key, 'aria-label': name, disabled, onclick,
}, icon(mark));

export const actionLink = (key, label, href, { primary = false, secondary = false, mark = null } = {}) =>
  h('a', {
    'data-key': key, href, class: primary ? 'button primary' : secondary ? 'button secondary' : 'button',
  }, mark && icon(mark), h('span', {}, label));

/** Shows a bar if `work` takes longer than a second and is still awaited then. Resolves as `work` does. */
export async function withPageProgress(work, isAwaited = () => true) {
  let progress = null;
  const timer = setTimeout(() => {
    if (!isAwaited()) return;
    progress = buildElement(h('progress', { class: 'page-progress', 'aria-live': 'polite',
      'aria-label': t('page.waiting') }));
    document.body.prepend(progress);
  }, LONG_WAIT_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    progress?.remove();
  }
}

/** Draws the current screen again from the beginning. */
export const redrawScreen = () => dispatchEvent(new HashChangeEvent('hashchange'));

/**
 * Leaves a form that has been sent for the screen at `href`. If that is the screen before, it must not be in
 * the history twice, or a step back would show nothing new.
 */
export function leaveForm(href) {
  if (history.state?.openedFrom === href) history.back();
  else location.replace(href);
}

/** Opens a sheet over the page: menu, help, a question. Esc and a tap outside close it. */
export function openSheet(title, content) {
  const opener = document.activeElement;
  const close = () => dialog.close();
  const dialog = buildElement(h('dialog', { class: 'sheet', 'aria-label': title },
    h('div', { class: 'sheet-head' },
      h('h2', {}, title),
      iconButton(null, 'cross', t('page.close'), close)),
    h('div', { class: 'sheet-body' }, content)));
  dialog.addEventListener('close', () => {
    if (dialog.contains(pagePart('notice'))) placeNotice();
    dialog.remove();
    // The browser does not find an opener that was redrawn in between.
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

export const closeSheets = () =>
  document.querySelectorAll('dialog.sheet').forEach((dialog) => dialog.close());

/**
 * Asks for confirmation of something that cannot be undone; `onConfirm()` does it. The large button, with
 * `cancelLabel`, changes nothing.
 */
export function confirmSheet({ title, words, cancelLabel, confirmLabel, onConfirm }) {
  const dialog = openSheet(title, [
    words.filter(Boolean).map((line) => h('p', {}, line)),
    h('div', { class: 'button-pair' },
      actionButton('sure-no', cancelLabel, () => dialog.close(), { primary: true }),
      actionButton('sure', confirmLabel, () => { dialog.close(); onConfirm(); })),
  ]);
}

export const paragraphs = (topic) => t(`help.${topic}.body`).split('\n').map((line) => h('p', {}, line));

/** A small "?" that explains one thing. */
export function hint(topic) {
  const title = t(`help.${topic}.title`);
  return h('button', {
    class: 'help-button', type: 'button', 'data-key': `hint-${topic}`,
    'aria-label': t('help.about', { title }),
    onclick: () => onceLoaded(loadAllSentences(), () => openSheet(title, paragraphs(topic))),
  }, '?');
}

/** Calls `open(loaded)` once what a tap needs is loaded, unless another tap has followed meanwhile. */
export async function onceLoaded(loading, open) {
  const address = location.hash;
  lastLoading = loading;
  const isAwaited = () => loading === lastLoading && location.hash === address;
  const loaded = await withPageProgress(loading.catch(() => null), isAwaited);
  if (!isAwaited()) return;
  if (loaded === null) showWarning(t('queue.offline'));
  else open(loaded);
}

/** Shows why a write was refused, on a screen redrawn from the newest state. Throws any other error. */
export async function showRefusal(error, redraw = () => {}) {
  if (!(error instanceof Problem)) throw error;
  await refreshSession();
  redraw();
  showWarning(error.message);
}
