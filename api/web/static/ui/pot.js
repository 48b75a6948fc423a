// What lies on the cloth in a game for money: the pot, and what the deal is about.

import { coins } from './coins.js';
import { h } from './elements.js';
import { hint } from './help.js';
import { playedFor } from '../core/money_format.js';
import { t } from '../core/translator.js';

export function potOnCloth(state, money, topic) {
  const open = state.deal.phase !== 'waiting';
  return [
    h('p', { class: 'over' }, t('table.pot'), hint(topic)),
    coins(state.pot, state.options.stake),
    h('p', { class: 'pot' }, money.plain(state.pot)),
    state.status === 'open' && h('p', { class: 'under' },
      t(open ? 'table.played_for' : 'table.next_for', { amount: money.plain(playedFor(state)) })),
  ];
}
