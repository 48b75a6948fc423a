// Help where it is needed: a question mark that opens the text about one thing.

import { loadAllSentences, t } from '../core/translator.js';
import { h } from './elements.js';
import { openSheet, showWarning } from './page.js';

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
