// The two figures of an evening for money, kept apart: what it brought everybody, and what is still to pay.

import { h } from '../../ui/elements.js';
import { dressed } from '../../core/stylesheets.js';
import { evening } from '../../core/session_store.js';
import { writerOf } from '../../core/money_format.js';
import { person } from '../../ui/player_tokens.js';
import { sign } from '../../domain/points.js';
import { t } from '../../core/translator.js';
import { mayReopen, reopening } from './reopening.js';

/** What is still to pay, a la vola that is being settled counted as paid. */
function left({ players, balances, payments = [] }) {
  const owed = { ...balances };
  payments.filter(({ status }) => status === 'due').forEach(({ from, to, amount }) => { owed[from] -= amount; owed[to] += amount; });
  return Object.fromEntries(players.map(({ id }) => [id, owed[id]]));
}

const differ = (state, results, still) => state.players.some(({ id }) => results[id] !== still[id]);

/** `told`: a state or a plan, with `results` and `balances`. Says what is still to pay only where it is something else. */
export function figures(state, told, money) {
  if (!told.results) return null;
  const still = left({ ...told, players: state.players });
  const apart = differ(state, told.results, still);
  return h('section', { class: 'figures' }, h('h2', {}, t('figures.result')), h('ul', { class: 'rows' }, state.players.map(({ id }) => h('li', { class: 'row' },
    person(state, id),
    h('span', { class: 'both' }, h('b', { class: `amount ${sign(told.results[id])}`, 'data-result': told.results[id] }, money.signed(told.results[id])),
      apart && h('small', { class: 'dim', 'data-left': still[id] }, owes(still[id], money)))))));
}

const owes = (amount, money) => (amount === 0 ? t('figures.even') : t(amount > 0 ? 'figures.gets' : 'figures.pays', { amount: money.plain(Math.abs(amount)) }));

/** Fills a place on the table: both figures as soon as they differ, and the way back from a closing. `quiet`: nothing to press. */
export async function fill(node, { home, still, quiet = false, of = evening }) {
  await dressed('settling');
  const state = of();
  if (!still() || !state?.results) return;
  const parts = [
    differ(state, state.results, left(state)) && figures(state, state, writerOf(state)),
    !quiet && mayReopen(state) && reopening(home, still),
  ].filter(Boolean);
  node.replaceChildren(...parts);
  node.hidden = parts.length === 0;
}
