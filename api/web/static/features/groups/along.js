// What came along from the evening before, as this evening's own book says it.

import { h } from '../../ui/elements.js';
import { get, session } from '../../core/api_client.js';
import { t } from '../../core/translator.js';
import { across } from './across.js';
import { lyingOver } from './carry_forward.js';

const FIRST = 100; // events: it is among those an evening opens with, after everybody who was owed or owing

/** Resolves to the event; nothing moves it, so it is asked for once. */
export const broughtTo = async (id) => (await get(session(id, `/events?after=0&limit=${FIRST}`))).events
  .find(({ type }) => type === 'brought_forward');

/** The same as a row of the history, beneath the first deal. */
export function cameAlong(state, { data: { session: before, pot, bets, balances } }) {
  const over = { currency: state.currency, pot, balances, bets: bets.map(({ by, each }) => ({ amount: by.length * each })) };
  return h('li', { class: 'row along', 'data-key': 'along' },
    h('b', {}, t('carry.along')), lyingOver(over, state.players),
    across(state.id, before, { key: 'to-before', words: t('carry.to_it') }));
}
