// The people of an evening, taken along to another game: same title and seats, the next dealer first.

import { h, icon } from './dom.js';
import { recall, remember } from './memory.js';
import { t } from './words.js';

/** A way to a new evening with everybody in place already. */
export const sameAgain = (state) => h('a', {
  class: 'row-link', href: '#/new/again', 'data-key': 'again', onclick: () => remember('again', takenAlong(state)),
}, h('span', { class: 'row-name' }, t('menu.again')), icon('on'));

const takenAlong = ({ title, seats, players, deal }) => ({
  title: title ?? '',
  names: seats.map((id) => players.find((player) => player.id === id)?.name ?? ''),
  dealer: Math.max(0, seats.indexOf(deal.dealer)),
});

export const lastPeople = () => recall('again');
