// Sheets over the page: the sheet itself, one that asks for confirmation, and the help behind a small "?".

import { loadAllSentences, t } from '../core/translator.js';
import { buildElement, h, icon } from './elements.js';
import { ignoreEarlyTaps, restoreFocus, showWarning } from './page.js';

/** Opens a sheet over the page: menu, help, a question. Esc and a tap outside close it. */
export function openSheet(title, content) {
  const opener = document.activeElement;
  const close = () => dialog.close();
  const dialog = buildElement(h('dialog', { class: 'sheet', 'aria-labelledby': 'sheet-title' },
    h('div', { class: 'sheet-head' },
      h('h2', { id: 'sheet-title' }, title),
      h('button', { class: 'round', type: 'button', 'aria-label': t('page.close'), onclick: close },
        icon('cross'))),
    h('div', { class: 'sheet-body' }, content)));
  dialog.addEventListener('close', () => {
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

export function closeSheets() {
  for (const dialog of document.querySelectorAll('dialog.sheet')) dialog.close();
}

/**
 * Asks for confirmation of something that cannot be undone. `stay` is the large answer that changes nothing;
 * `go` does it.
 */
export function confirmSheet({ title, words, stay, go, done: onDone }) {
  const dialog = openSheet(title, [
    words.filter(Boolean).map((line) => h('p', {}, line)),
    h('div', { class: 'pair' },
      h('button', { type: 'button', class: 'button big', 'data-key': 'sure-no',
        onclick: () => dialog.close() }, stay),
      h('button', { type: 'button', class: 'button', 'data-key': 'sure',
        onclick: () => { dialog.close(); onDone(); } }, go)),
  ]);
}

export const paragraphs = (topic) => t(`help.${topic}.body`).split('\n').map((line) => h('p', {}, line));

/** A small "?" that explains one thing. */
export function hint(topic) {
  const title = t(`help.${topic}.title`);
  return h('button', {
    class: 'hint', type: 'button', 'data-key': `hint-${topic}`, 'aria-label': t('help.about', { title }),
    onclick: () => loadAllSentences().then(() => openSheet(title, paragraphs(topic)),
      () => showWarning(t('queue.offline'))),
  }, '?');
}
