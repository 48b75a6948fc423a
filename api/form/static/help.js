// The rules, said where they are needed: a question mark beside the thing, a sheet with the answer.

import { h } from './dom.js';
import { sheet } from './page.js';
import { t } from './words.js';

export const TOPICS = ['aim', 'cards', 'stake', 'declarer', 'winner', 'bet', 'la_vola', 'all_pass', 'two_declarers', 'end'];

const paragraphs = (topic) => t(`help.${topic}.body`).split('\n').map((line) => h('p', {}, line));

/** A small "?" that explains one thing. */
export function hint(topic) {
  const title = t(`help.${topic}.title`);
  return h('button', {
    class: 'hint', type: 'button', 'data-key': `hint-${topic}`, 'aria-label': t('help.about', { title }),
    onclick: () => sheet(title, paragraphs(topic)),
  }, '?');
}

/** All of it, for who wants to read before playing. */
export const everything = () => h('div', {}, TOPICS.map((topic) => h('details', { class: 'fold' },
  h('summary', {}, t(`help.${topic}.title`)),
  h('div', { class: 'prose' }, paragraphs(topic)))));
