// A rematch: a new session with the title, the seats and the next dealer of another one.

import { keepTypedEntry, readItem, roleInSession, writeItem } from '../core/device_storage.js';
import { t } from '../core/translator.js';
import { h, icon } from '../ui/elements.js';

/**
 * Where a rematch is set up. If a closed session has left a pot or bets, its host makes it a group's first,
 * since only a group carries money forward.
 */
export const rematchHref = ({ id, status, pot, bets, carried_to: nextSession }) =>
  (status === 'closed' && !nextSession && (pot > 0 || bets?.length > 0) && roleInSession(id) === 'host'
  ? `#/s/${id}/group/again` : '#/new/again');

/** A link to where a rematch is set up, which keeps the setup on the device. */
export const rematchLink = (state) => h('a', {
  class: 'row-link', href: rematchHref(state), 'data-key': 'again',
  onclick: () => { writeItem('again', setupOfRematch(state)); keepTypedEntry('again', null); },
}, h('span', { class: 'row-name' }, t('menu.again')), icon('on'));

const setupOfRematch = ({ title, seats, players, deal }) => ({
  title: title ?? '',
  names: seats.map((id) => players.find((player) => player.id === id)?.name ?? ''),
  dealer: Math.max(0, seats.indexOf(deal.dealer)),
});

export const lastSetup = () => readItem('again');
