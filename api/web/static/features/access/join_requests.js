// Who is at the door: each with the answers that the host can give.

import { told, write } from '../groups/group_client.js';
import { aside, h } from '../../ui/elements.js';
import { apart } from '../../core/session_store.js';
import { say } from '../../ui/page.js';
import { session } from '../../core/api_client.js';
import { t, together } from '../../core/translator.js';
import { section } from '../../ui/section.js';

/** In a sentence, who waits. */
export const knocking = (list) => t('door.knocking', { count: list.length, names: together(list.map(nameOf)) });
export const nameOf = ({ label }) => (label === null ? t('door.a_phone') : apart(label));

/** Says it when somebody has come who was not there before. */
export function announcer() {
  let known = new Set();
  return (list) => {
    const news = list.filter(({ knock }) => !known.has(knock));
    known = new Set(list.map(({ knock }) => knock));
    if (news.length > 0) say(knocking(news));
  };
}

/** `answered()`: look again at who waits and who is in. */
export function knocks({ id, answered }) {
  const answer = async (one, method, body) => {
    const label = nameOf(one);
    try {
      await write(session(id, `/knocks/${one.knock}`), body, { method });
      say(method === 'PUT' ? t('door.is_in', { label }) : t('door.is_out', { label }));
    } catch (trouble) {
      told(trouble);
    }
    await answered();
  };
  return section((list) => list.length > 0 && [
    h('h2', {}, t('door.at_the_door')),
    list.map((one) => h('div', { class: 'offer knocker', 'data-knock': one.knock },
      h('p', { class: 'lead' }, t('door.wants_in', { label: nameOf(one) })),
      h('div', { class: 'pair' },
        button(one, 'let-in', 'button big', t('door.let_in'), () => answer(one, 'PUT', {})),
        button(one, 'look-on', 'button', t('door.look_on'), () => answer(one, 'PUT', { role: 'viewer' })),
        button(one, 'refuse', 'button', t('door.refuse'), () => answer(one, 'DELETE'))))),
  ]);
}

const button = (one, key, kind, words, onclick) => h('button', { type: 'button', class: kind, 'data-key': `${key}-${one.knock}`, onclick }, words, aside(`: ${nameOf(one)}`));
