// Pending join requests, with the host's answers: admit, admit as a viewer, or refuse.

import { sessionPath } from '../../core/api_client.js';
import { isolateName, listNames, t } from '../../core/translator.js';
import { h, hiddenText } from '../../ui/elements.js';
import { announce } from '../../ui/page.js';
import { section } from '../../ui/section.js';
import { warnOfTrouble, writeToGroup } from '../groups/group_client.js';

/** One sentence that names everyone who asks to join. */
export const joinRequestsSentence = (list) =>
  t('door.knocking', { count: list.length, names: listNames(list.map(deviceName)) });

export const deviceName = ({ label }) => (label === null ? t('door.a_phone') : isolateName(label));

/** Returns a function that announces the requests that were not in the list before. */
export function joinRequestAnnouncer() {
  let knownRequests = new Set();
  return (list) => {
    const news = list.filter(({ knock }) => !knownRequests.has(knock));
    knownRequests = new Set(list.map(({ knock }) => knock));
    if (news.length > 0) announce(joinRequestsSentence(news));
  };
}

/** `answered()` fetches the requests and the devices again. */
export function joinRequestList({ id, answered }) {
  const answer = async (request, method, body) => {
    const label = deviceName(request);
    try {
      await writeToGroup(sessionPath(id, `/knocks/${request.knock}`), body, { method });
      announce(method === 'PUT' ? t('door.is_in', { label }) : t('door.is_out', { label }));
    } catch (trouble) {
      warnOfTrouble(trouble);
    }
    await answered();
  };
  return section((list) => list.length > 0 && [
    h('h2', {}, t('door.at_the_door')),
    list.map((request) => h('div', { class: 'offer knocker', 'data-knock': request.knock },
      h('p', { class: 'lead' }, t('door.wants_in', { label: deviceName(request) })),
      h('div', { class: 'pair' },
        answerButton(request, 'let-in', 'button big', t('door.let_in'), () => answer(request, 'PUT', {})),
        answerButton(request, 'look-on', 'button', t('door.look_on'),
          () => answer(request, 'PUT', { role: 'viewer' })),
        answerButton(request, 'refuse', 'button', t('door.refuse'), () => answer(request, 'DELETE'))))),
  ]);
}

const answerButton = (request, key, kind, words, onclick) =>
  h('button', { type: 'button', class: kind, 'data-key': `${key}-${request.knock}`, onclick },
    words, hiddenText(`: ${deviceName(request)}`));
