// Asks for confirmation of something that cannot be undone.

import { h } from './elements.js';
import { openSheet } from './page.js';

/** `stay` is the large answer that changes nothing; `go` does it. */
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
