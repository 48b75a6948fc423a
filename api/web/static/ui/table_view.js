// The parts of the table that several screens show: seats, stack of bets, payments, players who do not sit.

import { deviceOwner } from '../core/device_storage.js';
import { playerName } from '../core/session_store.js';
import { fetchDeal } from '../core/session_sync.js';
import { listNames, t } from '../core/translator.js';
import { sessionResults } from '../domain/amounts.js';
import { h, hiddenText } from './elements.js';
import { coins, felt } from './felt.js';
import { hint } from './help.js';
import { hueOfPlayer, playerLabel, tokenOfPlayer } from './player_tokens.js';
import { standingOf } from './scoreboard.js';

/** Whether something is still to pay, so that results and balances differ. */
export const hasOpenPayments = ({ status, results, balances }) => status === 'closed'
  || Object.keys(results ?? {}).some((id) => results[id] !== balances[id]);

/** Changes with the confirmed version and with the forecast. */
export const stateStage =
  ({ version, deal: { number }, provisional = false }) => `${version} ${number} ${provisional}`;

export async function fetchLatestDeal(state) {
  const number = state.deal.phase === 'waiting' ? state.deal.number - 1 : state.deal.number;
  return number < 1 ? null : fetchDeal(number);
}

/** The seats around the middle of the table. */
export function tableRound(state, game, money) {
  const seat = (id) => h('div', { class: `seat ${hueOfPlayer(state, id)}` },
    tokenOfPlayer(state, id),
    h('bdi', { class: 'name', title: playerName(id) }, playerName(id)),
    h('b', { class: `sum ${standingOf(state, id, money).sign}` }, standingOf(state, id, money).text),
    ownSeatMark(state, id),
    state.deal.dealer === id && dealerMark());
  return felt({ seats: state.seats, first: deviceOwner(state.id), seat, centre: game.centre(state, money),
    label: t('table.round') });
}

/** Marks the seat of the device's owner. */
export const ownSeatMark = (state, id) => deviceOwner(state.id) === id
  && h('span', { class: 'you' }, t('table.you'));

export const dealerMark = () => h('span', { class: 'dealer' },
  h('span', { 'aria-hidden': 'true' }, t('table.dealer_letter')), hiddenText(t('table.dealer')));

/** Players who do not sit, and their results. */
export function absentPlayers(state, money) {
  const absentees = state.players.filter(({ id }) => !state.seats.includes(id));
  if (absentees.length === 0) return null;
  return h('p', { class: 'absent' }, h('span', { class: 'dim' }, t('table.absent')),
    absentees.map(({ id }) => h('span', { class: 'one' }, playerLabel(state, id), ' ',
      h('b', {}, money.signed(sessionResults(state)[id])))));
}

// Only the payments of the latest la vola are shown; older ones are in the history.
function recentPayments({ payments, deal: { number } }) {
  const latestDeal = Math.max(0, ...payments.map((payment) => payment.deal));
  return payments.filter((payment) => payment.status !== 'cancelled'
    && (payment.status === 'due' || (payment.deal === latestDeal && payment.deal >= number - 1)));
}

/** Whether all of these payments are settled. */
export const arePaymentsSettled = (state) => recentPayments(state).length > 0
  && recentPayments(state).every(({ status }) => status === 'settled');

export function paymentList(state, money) {
  const fresh = recentPayments(state);
  if (fresh.length === 0) return null;
  return h('section', {}, h('h2', {}, t('table.la_vola'), hint('la_vola')),
    h('ul', { class: 'rows' }, fresh.map((payment) => h('li', { class: 'row' },
      h('span', { class: 'flow' }, playerLabel(state, payment.from),
        h('span', { class: 'to', 'aria-label': t('money.to') }, '→'), playerLabel(state, payment.to)),
      h('b', {}, money.plain(payment.amount)),
      h('span', { class: `tag ${payment.status}` }, t(`payment.${payment.status}`))))));
}

/** The stack of bets, the one that is played for on top. */
export function betStack(state, money) {
  return h('section', {}, h('h2', {}, t('table.bets'), hint('bet')),
    state.bets.length === 0
      ? h('p', { class: 'empty' }, t('table.no_bets'))
      : h('ol', { class: 'rows bets' }, state.bets.map((bet, index) => h('li', { class: 'row' },
        coins(bet.amount, state.options.stake),
        h('b', { class: 'amount' }, money.plain(bet.amount)),
        h('span', { class: 'by' }, t(bet.deal > 0 ? 'table.bet_by' : 'table.bet_before',
          { names: listNames(bet.by.map(playerName)), number: bet.deal })),
        bet.paid === false && h('span', { class: 'tag due' }, t('table.bet_owed')),
        index === 0 && h('span', { class: 'tag first' }, t('table.first_bet'))))));
}
