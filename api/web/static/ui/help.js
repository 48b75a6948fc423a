// The rules, said where they are needed: a question mark beside the thing, a sheet with the answer.

import { h } from './elements.js';
import { sheet, warn } from './page.js';
import { speakAlso, t } from '../core/translator.js';

/** The paragraphs are longer than all other sentences together, so they are fetched when first wanted. */
export const loadHelp = () => speakAlso('help.');

export const paragraphs = (topic) => t(`help.${topic}.body`).split('\n').map((line) => h('p', {}, line));

/** A small "?" that explains one thing. */
export function hint(topic) {
  const title = t(`help.${topic}.title`);
  return h('button', {
    class: 'hint', type: 'button', 'data-key': `hint-${topic}`, 'aria-label': t('help.about', { title }),
    onclick: () => loadHelp().then(() => sheet(title, paragraphs(topic)), () => warn(t('queue.offline'))),
  }, '?');
}
