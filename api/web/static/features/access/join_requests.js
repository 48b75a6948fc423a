// Who is at the door: each with the answers that the host can give.

import { sessionPath } from '../../core/api_client.js';
import { isolateName, listNames, t } from '../../core/translator.js';
import { h, hiddenText } from '../../ui/elements.js';
import { announce } from '../../ui/page.js';
import { section } from '../../ui/section.js';
import { warnOfTrouble, writeToGroup } from '../groups/group_client.js';

/** In a sentence, who waits. */
export const joinRequestsPath = (list) => t('door.knocking',
  { count: list.length, names: listNames(list.map(joinRequestName)) });
export const joinRequestName = ({ label }) => (label === null ? t('door.a_phone') : isolateName(label));

/** Says it when somebody has come who was not there before. */
export function joinRequestAnnouncer() {
  let known = new Set();
  return (list) => {
    const news = list.filter(({ knock }) => !known.has(knock));
    known = new Set(list.map(({ knock }) => knock));
    if (news.length > 0) announce(joinRequestsPath(news));
  };
}

/** `answered()`: look again at who waits and who is in. */
export function joinRequestList({ id, answered }) {
  const answer = async (one, method, body) => {
    const label = joinRequestName(one);
    try {
      await writeToGroup(sessionPath(id, `/knocks/${one.knock}`), body, { method });
      announce(method === 'PUT' ? t('door.is_in', { label }) : t('door.is_out', { label }));
    } catch (trouble) {
      warnOfTrouble(trouble);
    }
    await answered();
  };
  return section((list) => list.length > 0 && [
    h('h2', {}, t('door.at_the_door')),
    list.map((one) => h('div', { class: 'offer knocker', 'data-knock': one.knock },
      h('p', { class: 'lead' }, t('door.wants_in', { label: joinRequestName(one) })),
      h('div', { class: 'pair' },
        answerButton(one, 'let-in', 'button big', t('door.let_in'), () => answer(one, 'PUT', {})),
        answerButton(one, 'look-on', 'button', t('door.look_on'),
          () => answer(one, 'PUT', { role: 'viewer' })),
        answerButton(one, 'refuse', 'button', t('door.refuse'), () => answer(one, 'DELETE'))))),
  ]);
}

const answerButton = (one, key, kind, words, onclick) =>
  h('button', { type: 'button', class: kind, 'data-key': `${key}-${one.knock}`, onclick }, words,
  hiddenText(`: ${joinRequestName(one)}`));
