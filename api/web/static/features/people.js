// The people of an evening, taken along to another game: same title and seats, the next dealer first.

import { h, icon } from '../ui/elements.js';
import { recall, remember, roleIn } from '../core/device_storage.js';
import { t } from '../core/translator.js';

/** Where the same people play again: what still lies on the table goes along with them, as a circle's. */
export const againOf = ({ id, status, pot, bets, carried_to: onward }) => (status === 'closed' && !onward && (pot > 0 || bets?.length > 0) && roleIn(id) === 'host'
  ? `#/s/${id}/circle/again` : '#/new/again');

/** A way to a new evening with everybody in place already. */
export const sameAgain = (state) => h('a', {
  class: 'row-link', href: againOf(state), 'data-key': 'again', onclick: () => remember('again', takenAlong(state)),
}, h('span', { class: 'row-name' }, t('menu.again')), icon('on'));

const takenAlong = ({ title, seats, players, deal }) => ({
  title: title ?? '',
  names: seats.map((id) => players.find((player) => player.id === id)?.name ?? ''),
  dealer: Math.max(0, seats.indexOf(deal.dealer)),
});

export const lastPeople = () => recall('again');
