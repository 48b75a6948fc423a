// The code to say across the table, for who cannot point a camera; while there is one, people can knock.

import { told, write } from '../groups/group_client.js';
import { h } from '../../ui/elements.js';
import { act, say } from '../../ui/page.js';
import { session } from '../../core/api_client.js';
import { t } from '../../core/translator.js';
import { knows } from './join_code.js';
import { clock, shown } from './code.js';
import { section } from '../../ui/section.js';

/** `address`: where others find Vola, as it is said. */
export function opened({ id, address }) {
  let turn = 0;
  const change = async (method, body, words) => {
    try {
      turn += 1;
      const news = await write(session(id, '/code'), body, { method });
      turn += 1;
      hear(news);
      say(words(news));
    } catch (trouble) {
      told(trouble);
    }
  };
  const open = () => change('POST', {}, ({ code }) => t('door.opened', { code: Array.from(code).join(' ') }));
  const shut = () => change('DELETE', undefined, () => t('door.shut_now'));

  const part = section(({ code, until }) => [
    h('h2', {}, t('door.code_title')),
    ...(code === null ? [
      h('p', { class: 'dim' }, t('door.code_what')),
      h('div', { class: 'pair' }, act('door', t('door.open'), open)),
    ] : [
      shown(code),
      h('p', {}, t('door.go_to', { address })),
      h('p', { class: 'dim' }, t('door.until', { time: clock(until) })),
      h('div', { class: 'pair' }, act('door', t('door.shut'), shut)),
    ]),
  ]);
  const hear = (news) => {
    knows(id, news);
    part.tell(news);
  };
  return {
    node: part.node,
    /** For an answer that was asked for before something was changed here: it is no news any more. */
    asking() {
      const then = turn;
      return (news) => { if (turn === then) hear(news); };
    },
  };
}
