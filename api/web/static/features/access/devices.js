// The phones that have been let in, each by itself: what it may, since when, and the way out.

import { told, write } from '../groups/group_client.js';
import { h, icon } from '../../ui/elements.js';
import { evening } from '../../core/session_store.js';
import { phoneIn } from '../../core/device_storage.js';
import { say } from '../../ui/page.js';
import { markerOf } from '../../ui/player_tokens.js';
import { session } from '../../core/api_client.js';
import { t } from '../../core/translator.js';
import { clock } from './code.js';
import { nameOf } from './join_requests.js';
import { section } from '../../ui/section.js';
import { sure } from '../../ui/confirmation.js';
import { askWhose } from './whose.js';

/** `changed()`: look again at who is in. */
export function inside({ id, changed }) {
  const mine = () => phoneIn(id);
  const part = section(({ phones, pins }) => {
    const here = phones.filter(({ ended_at: ended }) => ended === null);
    return [
      h('h2', {}, t('door.inside')),
      h('p', { class: 'dim' }, t(here.length === 0 ? 'door.nobody' : 'door.inside_what')),
      h('ul', { class: 'rows' }, here.map((phone) => row(phone, phone.id === mine(), (one) => ask(id, one, phone.id === mine(), changed)))),
      !here.some((phone) => phone.id === mine()) && h('button', { type: 'button', class: 'button quiet', 'data-key': 'mine', onclick: () => askWhose({ id, pins, done: changed }) }, t('door.make_mine')),
    ];
  });
  return part;
}

const row = (phone, mine, out) => h('li', { class: 'row', 'data-phone': phone.id },
  phone.player && markerOf(evening(), phone.player),
  h('span', { class: 'row-name' }, h('bdi', {}, nameOf(phone)),
    h('span', { class: 'dim by' }, t('door.since', { role: t(`role.${phone.role}`), time: clock(phone.made_at) }))),
  mine && h('span', { class: 'tag first' }, t('door.this_one')),
  h('button', { type: 'button', class: 'round', 'data-key': `out-${phone.id}`, 'aria-label': t('door.shut_out', { label: nameOf(phone) }), onclick: () => out(phone) }, icon('cross')));

function ask(id, phone, mine, changed) {
  const label = nameOf(phone);
  const out = async () => {
    try {
      await write(session(id, `/phones/${phone.id}`), undefined, { method: 'DELETE' });
      say(t('door.is_shut_out', { label }));
    } catch (trouble) {
      told(trouble);
    }
    await changed();
  };
  sure({
    title: t('door.shut_out_ask', { label }), words: [t('door.shut_out_what'), mine && t('door.shut_out_mine')],
    stay: t('door.shut_out_no'), go: t('door.shut_out_yes'), done: out,
  });
}
