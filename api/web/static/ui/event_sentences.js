// The events of a session as sentences.

import { currentSession, playerName } from '../core/session_store.js';
import { listNames, t } from '../core/translator.js';
import { formatSignedPoints } from '../domain/amounts.js';
import { termsOf } from '../domain/games.js';
import { actionSentence } from './action_sentences.js';
import { sideNames } from './player_tokens.js';
import { cardName } from './playing_cards.js';

/** Events that repeat an action, by the action's type. */
const SPOKEN_EVENTS = {
  declared: 'declare', all_passed: 'all_pass', trick_recorded: 'trick', la_vola_announced: 'la_vola',
  vole_announced: 'vole', play_finished: 'finish', result_recorded: 'result', cut_shown: 'cut',
  card_turned_up: 'turn_up', turn_up_taken: 'take', turn_up_declined: 'decline', bid_made: 'bid',
  card_discarded: 'discard', card_played: 'play', hand_shown: 'hand', side_bid_made: 'side_bid',
  redeal_claimed: 'redeal', cards_swapped: 'swap', swap_declined: 'no_swap', tricks_counted: 'tricks',
  stayed: 'stay', passed: 'pass', cards_exchanged: 'exchange',
};

const eventNames = (ids) => listNames(ids.map(playerName));
const sharerNames = (shares) => eventNames(shares.map(({ player }) => player));
const tookCardSentence = ({ player, card }) =>
  t('timeline.took_card', { name: playerName(player), card: cardName(card) });
const paidSentence = ({ payer, payee, amount }, money) =>
  t('timeline.paid', { from: playerName(payer), to: playerName(payee), amount: money.plain(amount) });

const EVENT_SENTENCES = {
  session_opened: () => t('timeline.session_opened'),
  brought_forward: () => t('timeline.brought_forward'),
  carried_forward: () => t('timeline.carried_forward'),
  player_joined: ({ player }) => t('seating.joined', { name: playerName(player) }),
  reseated: ({ seats }) => t('timeline.reseated', { names: eventNames(seats) }),
  deal_opened: ({ number, dealer, late_entry: isLate }) =>
    t(isLate ? 'timeline.deal_opened_late' : 'timeline.deal_opened', { number, name: playerName(dealer) }),
  cutter_took: tookCardSentence,
  dealer_took: tookCardSentence,
  trick_won: ({ winner }) => t('timeline.trick_won', { name: playerName(winner) }),
  turn_up_exchanged: ({ player }) => t('stay.swap', { name: playerName(player) }),
  bets_merged: () => t('merge.put'),
  bets_parted: () => t('merge.kept'),
  pot_taken: ({ player, amount }, money) => t('timeline.pot_taken',
    { name: playerName(player), amount: money.plain(amount) }),
  bet_taken: ({ player, by: owners, each: share }, money) =>
    t('timeline.bet_taken', { name: playerName(player), amount: money.plain(share * owners.length) }),
  bet_laid: ({ by: owners, each: share }, money) =>
    t('timeline.bet_laid', { names: eventNames(owners), amount: money.plain(share * owners.length) }),
  la_vola_won: ({ player, amount }, money) =>
    t(`timeline.won.${termsOf(currentSession()).call}`,
      { name: playerName(player), amount: money.plain(amount) }),
  penalty_paid: ({ player, amount }, money) =>
    t('timeline.penalty_paid', { name: playerName(player), amount: money.plain(amount) }),
  payment_settled: paidSentence,
  points_paid: ({ points, value, ...data }, money) =>
    paidSentence({ ...data, amount: points * value }, money),
  transfer_recorded: paidSentence,
  cost_recorded: ({ cost: number, payer, amount }, money) =>
    t('timeline.cost_recorded', { number, name: playerName(payer), amount: money.plain(amount) }),
  cost_voided: ({ cost: number }) => t('cost.is_voided', { number }),
  scored: ({ to: contestant, points }) =>
    t('timeline.scored', { names: sideNames(contestant), points: formatSignedPoints(points) }),
  game_won: ({ winners }) => t('points.has_won', { names: listNames(winners.map(sideNames)) }),
  deal_closed: ({ deal: number, winner }) => (winner
    ? t('timeline.deal_won', { number, name: playerName(winner) }) : t('timeline.deal_closed', { number })),
  action_undone: () => t('undo.done'),
  deal_voided: ({ deal }) => t('timeline.deal_voided', { number: deal }),
  deal_corrected: ({ deal, rescored }) => {
    const isVoided = rescored.some((rescoredDeal) => rescoredDeal.deal === deal
      && rescoredDeal.facts.length === 0);
    return t(isVoided ? 'timeline.deal_voided' : 'timeline.deal_corrected', { number: deal });
  },
  correction_undone: ({ deal }) => t('timeline.correction_undone', { number: deal }),
  pot_shared: ({ shares }) => t('timeline.pot_shared', { names: sharerNames(shares) }),
  bet_shared: ({ shares }) => t('timeline.bet_back', { names: sharerNames(shares) }),
  bet_collected: ({ by: owners }) => t('timeline.bet_collected', { names: eventNames(owners) }),
  bet_waived: () => t('timeline.bet_waived'),
  evening_closed: () => t('table.closed'),
  session_reopened: () => t('timeline.reopened'),
};

/** The sentence of an event; `trick` is the last trick's number. An unknown event is named by its type. */
export function eventSentence({ type, data }, money, trick) {
  const action = SPOKEN_EVENTS[type];
  if (action) return actionSentence({ ...data, type: action }, trick);
  return EVENT_SENTENCES[type]?.(data, money) ?? type.replaceAll('_', ' ');
}
