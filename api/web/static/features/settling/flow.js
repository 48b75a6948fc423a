// One payment as a row shows it: from whom, how much, to whom; and how many of them there are.

import { coins } from '../../ui/coins.js';
import { h, icon } from '../../ui/elements.js';
import { nameOf } from '../../core/session_store.js';
import { person } from '../../ui/player_tokens.js';
import { t } from '../../core/translator.js';
import { BOX } from './payment_plan.js';

const place = (state, id, amount) => (id === BOX
  ? h('span', { class: 'person thing' }, coins(amount, state.options.stake), h('span', { class: 'name' }, t('settle.box')))
  : person(state, id));

export const flow = (state, money, { from, to, amount }) => h('span', { class: 'flow' }, place(state, from, amount),
  h('span', { class: 'way' }, h('b', {}, money.plain(amount)), icon('arrow'), h('span', { class: 'aside' }, t('money.to'))),
  place(state, to, amount));

/** How many payments it takes; by way of somebody, also how many it could be. */
export function counted({ transfers: { length: count }, through, fewest }) {
  if (!through) return t('settle.count', { count });
  return [t('settle.by_way', { count, name: nameOf(through) }), count > fewest && t('settle.could', { count: fewest })].filter(Boolean).join(' ');
}
