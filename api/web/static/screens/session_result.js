// How an evening ended, in a few words, from the state in which this phone saw it last.

import { writer } from '../core/money_format.js';
import { holder } from '../core/device_storage.js';
import { apart } from '../core/session_store.js';
import { figure, members } from '../domain/points.js';
import { t, together } from '../core/translator.js';

/** Null when this phone has never seen it. What its own holder has won goes before what the best one has. */
export function result(id, state) {
  if (!state) return null;
  const mine = holder(id);
  if (state.winner) {
    const points = figure(state.scores[state.winner[0]]);
    if (state.winner.flatMap(members).includes(mine)) return t('front.you_won', { points });
    return t('front.won', { names: together(state.winner.flatMap(members).map((player) => nameIn(state, player))), points });
  }
  if (state.status === 'open') return t('front.going_on', { number: state.deal.number });
  const sums = state.results ?? state.balances; // what has been paid since is no part of it
  if (!sums) return t('front.ended');
  const money = writer(state.currency, Object.values(sums));
  if (mine in sums) return t('front.you', { amount: money.signed(sums[mine]) });
  const most = Math.max(...Object.values(sums));
  if (most === 0) return t('front.even');
  const best = Object.keys(sums).filter((player) => sums[player] === most);
  return t('front.best', { names: together(best.map((player) => nameIn(state, player))), amount: money.signed(most) });
}

const nameIn = ({ players }, id) => apart(players.find((player) => player.id === id)?.name ?? id);
