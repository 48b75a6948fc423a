// The card table from above, with the seats clockwise from the bottom edge, and the parts of the table that
// several screens show: seats, coins, stack of bets, payments, players who do not sit; and the postings as
// lines: from, how much, to, and by which rule.

import { deviceOwner } from '../core/device_storage.js';
import { playerName } from '../core/session_store.js';
import { fetchDeal } from '../core/session_sync.js';
import { listNames, t } from '../core/translator.js';
import { amountPlayedFor, formatSignedPoints, sessionResults } from '../domain/amounts.js';
import { lastDealNumber, seatsFrom } from '../domain/deal.js';
import { termsOf } from '../domain/games.js';
import { h, hiddenText, icon, svg } from './elements.js';
import { hint } from './page.js';
import { hueOfPlayer, playerLabel, sideLabel, standingOf, tokenOfPlayer } from './player_tokens.js';

const SEAT_RADIUS_X = 36; // % from the centre to a seat, sideways
const SEAT_RADIUS_Y = 40; // % from the centre to a seat, up and down
const CROWDED_SEATS = 6; // with more seats they sit closer

/** The seats in order, beginning with `firstSeat` if it is one of them. */
const rotateSeats = (seats, firstSeat) =>
  seatsFrom(seats.includes(firstSeat) ? firstSeat : seats[0], seats);

/** A round table; `first` sits at the bottom edge. `seat(id)` makes each seat, `centre` is the middle. */
export function felt({ seats, seat, centre, label, first: firstSeat }) {
  const places = rotateSeats(seats, firstSeat).map((id, index) => {
    // Clockwise on the table is clockwise on the screen, whose y axis points down.
    const angle = Math.PI / 2 + (2 * Math.PI * index) / seats.length;
    const style = {
      '--x': `${(50 + SEAT_RADIUS_X * Math.cos(angle)).toFixed(2)}%`,
      '--y': `${(50 + SEAT_RADIUS_Y * Math.sin(angle)).toFixed(2)}%`,
    };
    return h('li', { class: 'seat-position', style }, seat(id));
  });
  return h('div', { class: seats.length > CROWDED_SEATS ? 'table-container large-table' : 'table-container' },
    h('section', { class: `felt seats${seats.length}`, 'aria-label': label },
      h('div', { class: 'cloth', 'aria-hidden': 'true' }),
      h('div', { class: 'table-center' }, centre),
      h('ol', { class: 'seat-positions' }, places)));
}

// A pile of coins that grows with the number of stakes. Decoration: the sum stands beside it.
const MAX_COINS = 7;

export function coins(amount, stake) {
  if (amount === 0) return null;
  // Doubling piles: 1, 2, 4, 8 … stakes add a coin each, so that a big pot looks big but fits the table.
  let count = 0;
  for (let worth = stake; worth <= amount && count < MAX_COINS; worth *= 2) count += 1;
  if (count === 0) count = 1;
  const top = 27 - (count - 1) * 4.4;
  return svg('svg', { class: 'coins', viewBox: `0 ${top} 40 ${44 - top}`, 'aria-hidden': 'true' },
    svg('ellipse', { class: 'shadow', cx: 20, cy: 38, rx: 17, ry: 5.5 }),
    Array.from({ length: count }, (_, level) => svg('g', { transform: `translate(0 ${-level * 4.4})` },
      svg('path', { class: 'edge', d: 'M5 33v4c0 2.8 6.7 5 15 5s15-2.2 15-5v-4z' }),
      svg('ellipse', { class: 'face', cx: 20, cy: 33, rx: 15, ry: 5 }))));
}

// The middle of the table in a game for money: the pot and the amount played for.
export function potOnCloth(state, money, topic) {
  const open = state.deal.phase !== 'waiting';
  return [
    h('p', { class: 'overline' }, t('table.pot'), hint(topic)),
    coins(state.pot, state.options.stake),
    potAmount(money.plain(state.pot)),
    state.status === 'open' && h('p', { class: 'subtext' },
      t(open ? 'table.played_for' : 'table.next_for', { amount: money.plain(amountPlayedFor(state)) })),
  ];
}

/** Changes with the confirmed version and with the forecast. */
const stageOf = ({ version, deal: { number }, provisional = false }) => `${version} ${number} ${provisional}`;

/** Keeps the latest deal of a session: `fetch(state)` fetches it, `isOf(state)` says whether it still is. */
export function keepLatestDeal() {
  let stage = null;
  return {
    deal: null,
    isOf: (state) => stageOf(state) === stage,
    async fetch(state) {
      const requestedStage = stageOf(state);
      stage = requestedStage;
      const number = lastDealNumber(state);
      const deal = number < 1 ? null : await fetchDeal(number).catch(() => this.deal);
      if (requestedStage === stage) this.deal = deal; // else a newer one was requested meanwhile
    },
  };
}

const MAX_LARGE_CHARACTERS = 9;
const longClass = (text) => (text.length > MAX_LARGE_CHARACTERS ? ' long' : '');

/** The money in the middle of the table. A longer amount is smaller, to fit between the seats. */
export const potAmount = (text) => h('p', { class: `pot${longClass(text)}` }, text);

/** A player's sum. A longer one is smaller, and its unit may stand below it. */
export function seatSum(state, id, money) {
  const { text, sign } = standingOf(state, id, money);
  return h('b', { class: `sum ${sign}${longClass(text)}` },
    text.replace(/\u00a0(?=\D+$)/, ' '));
}

/** The seats around the middle of the table. */
export function tableRound(state, game, money) {
  const seat = (id) => h('div', { class: `seat ${hueOfPlayer(state, id)}` },
    tokenOfPlayer(state, id),
    h('bdi', { class: 'name', title: playerName(id) }, playerName(id)),
    seatSum(state, id, money),
    ownSeatMark(state, id),
    state.deal.dealer === id && dealerMark());
  return felt({ seats: state.seats, first: deviceOwner(state.id), seat, centre: game.centre(state, money),
    label: t('table.round') });
}

/** Marks the seat of the device's owner. */
export const ownSeatMark = (state, id) => deviceOwner(state.id) === id
  && h('span', { class: 'own-seat' }, t('table.you'));

export const dealerMark = () => h('span', { class: 'dealer' },
  h('span', { 'aria-hidden': 'true' }, t('table.dealer_letter')), hiddenText(t('table.dealer')));

/** Players who do not sit, and their results. */
export function absentPlayers(state, money) {
  const absentees = state.players.filter(({ id }) => !state.seats.includes(id));
  if (absentees.length === 0) return null;
  return h('p', { class: 'absent-players' }, h('span', { class: 'muted' }, t('table.absent')),
    absentees.map(({ id }) => h('span', { class: 'inline-item' }, playerLabel(state, id), ' ',
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
  const { call } = termsOf(state);
  return h('section', {}, h('h2', {}, t(`vola.button.${call}`), hint(call)),
    h('ul', { class: 'rows' }, fresh.map((payment) => h('li', { class: 'row' },
      h('span', { class: 'flow' }, playerLabel(state, payment.from),
        h('span', { 'aria-hidden': 'true' }, '→'), hiddenText(t('money.to')),
        playerLabel(state, payment.to)),
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
        h('span', { class: 'row-note' }, t(bet.deal > 0 ? 'table.bet_by' : 'table.bet_before',
          { names: listNames(bet.by.map(playerName)), number: bet.deal })),
        bet.paid === false && h('span', { class: 'tag due' }, t('table.bet_owed')),
        index === 0 && state.status === 'open' && h('span', { class: 'tag first' }, t('table.first_bet'))))));
}

/** The name of an account: `player:p1`, `pot`, `bet:2`. */
function accountLabel(state, name, amount) {
  const [kind, accountId] = name.split(':');
  if (kind === 'player') return playerLabel(state, accountId);
  return h('span', { class: 'person no-player' }, coins(amount, state.options.stake),
    h('span', { class: 'name' }, kind === 'pot' ? t('table.pot') : t('table.bet')));
}

/** What is paid, and the way it goes: between the payer and the payee. */
export const paymentArrow = (amount) => h('span', { class: 'payment-arrow' }, h('b', {}, amount),
  icon('arrow'), hiddenText(t('money.to')));

/** `seenLines`: how many were shown already; only new ones are animated. */
export function postingLines(state, deal, money, seenLines) {
  return h('ul', { class: 'rows postings' }, deal.postings.map((posting, index) => {
    const kind = index < seenLines ? 'row posting' : 'row posting arriving';
    return h('li', { class: kind, style: { '--order': index - seenLines } },
      posting.unit === 'points' ? pointsLine(state, posting) : h('span', { class: 'flow' },
        accountLabel(state, posting.from, posting.amount),
        paymentArrow(money.plain(posting.amount)),
        accountLabel(state, posting.to, posting.amount)),
      h('span', { class: 'why muted' }, ruleReference(state, posting.why ?? '')));
  }));
}

const RULE_PATTERN = /(§\d+(?:\.\d+)?)/;

/** The reason, with the number of its rule as a link. */
const ruleReference = ({ id }, sentence) => sentence.split(RULE_PATTERN)
  .map((part) => (RULE_PATTERN.test(part)
  ? h('a', { class: 'rule-link', href: `#/s/${id}/rules/${part.slice(1)}` }, part) : part));

const SCORE_SHEET = 'sheet';

/** Points have one account at the table; the other is the score sheet. */
function pointsLine(state, { from: source, to: target, amount }) {
  const points = target === SCORE_SHEET ? -amount : amount;
  const contestant = (target === SCORE_SHEET ? source : target).replace(/^score:/, '');
  return h('span', { class: 'flow' }, sideLabel(state, contestant),
    h('b', { class: 'amount' }, formatSignedPoints(points)));
}

/** What each account has gained or lost by these postings. */
export function changeLines(postings) {
  const gained = new Map();
  for (const { from: source, to: target, amount } of postings) {
    for (const [account, sum] of [[source, -amount], [target, amount]])
      gained.set(account, (gained.get(account) ?? 0) + sum);
  }
  return gained;
}
