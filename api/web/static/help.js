// The rules, said where they are needed: a question mark beside the thing, a sheet with the answer.

import { h } from './dom.js';
import { sheet } from './page.js';
import { t } from './words.js';

const paragraphs = (topic) => t(`help.${topic}.body`).split('\n').map((line) => h('p', {}, line));

/** A small "?" that explains one thing. */
export function hint(topic) {
  const title = t(`help.${topic}.title`);
  return h('button', {
    class: 'hint', type: 'button', 'data-key': `hint-${topic}`, 'aria-label': t('help.about', { title }),
    onclick: () => sheet(title, paragraphs(topic)),
  }, '?');
}

/** All of a game's topics, for who wants to read before playing. */
export const everything = (topics) => h('div', {}, topics.map((topic) => h('details', { class: 'fold' },
  h('summary', {}, t(`help.${topic}.title`)),
  h('div', { class: 'prose' }, paragraphs(topic)))));
