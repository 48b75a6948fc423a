// What happened in one event of the session, as a sentence in the reader's language. Not beside the actions:
// these sentences are in the second catalog, which the recorder does not load.

import { playerName } from '../core/session_store.js';
import { listNames, t } from '../core/translator.js';
import { formatSignedPoints } from '../domain/amounts.js';
import { actionSentence } from './action_sentences.js';
import { sideNames } from './player_tokens.js';
import { cardName } from './playing_cards.js';

/** Events that repeat an action, by the action's type. */
const SPOKEN_EVENTS = {
  declared: 'declare', all_passed: 'all_pass', trick_recorded: 'trick', la_vola_announced: 'la_vola',
  vole_announced: 'vole',
  play_finished: 'finish', result_recorded: 'result', cut_shown: 'cut', card_turned_up: 'turn_up',
  turn_up_taken: 'take',
  turn_up_declined: 'decline', bid_made: 'bid', card_discarded: 'discard', card_played: 'play',
  hand_shown: 'hand',
  side_bid_made: 'side_bid', redeal_claimed: 'redeal', cards_swapped: 'swap', swap_declined: 'no_swap',
  tricks_counted: 'tricks',
  stayed: 'stay', passed: 'pass', cards_exchanged: 'exchange',
};

const eventNames = (ids) => listNames(ids.map(playerName));
const everyAmount = (shares) => listNames(shares.map(({ player }) => playerName(player)));

const EVENT_SENTENCES = {
  session_opened: () => t('then.session_opened'),
  brought_forward: () => t('then.brought_forward'),
  carried_forward: () => t('then.carried_forward'),
  player_joined: ({ player }) => t('seating.joined', { name: playerName(player) }),
  reseated: ({ seats }) => t('then.reseated', { names: eventNames(seats) }),
  deal_opened: ({ number, dealer }) => t('then.deal_opened', { number, name: playerName(dealer) }),
  cutter_took: ({ player, card }) => t('then.took_card', { name: playerName(player), card: cardName(card) }),
  dealer_took: ({ player, card }) => t('then.took_card', { name: playerName(player), card: cardName(card) }),
  trick_won: ({ winner }) => t('then.trick_won', { name: playerName(winner) }),
  turn_up_exchanged: ({ player }) => t('stay.swap', { name: playerName(player) }),
  bets_merged: () => t('merge.put'),
  bets_parted: () => t('merge.kept'),
  pot_taken: ({ player, amount }, money) => t('then.pot_taken',
    { name: playerName(player), amount: money.plain(amount) }),
  bet_taken: ({ player, by: owners, each: share }, money) =>
    t('then.bet_taken', { name: playerName(player), amount: money.plain(share * owners.length) }),
  bet_laid: ({ by: owners, each: share }, money) =>
    t('then.bet_laid', { names: eventNames(owners), amount: money.plain(share * owners.length) }),
  la_vola_won: ({ player, amount }, money) =>
    t('then.la_vola_won', { name: playerName(player), amount: money.plain(amount) }),
  penalty_paid: ({ player, amount }, money) =>
    t('then.penalty_paid', { name: playerName(player), amount: money.plain(amount) }),
  payment_settled: ({ payer, payee, amount }, money) =>
    t('then.paid', { from: playerName(payer), to: playerName(payee), amount: money.plain(amount) }),
  points_paid: ({ payer, payee, points, value }, money) =>
    t('then.paid', { from: playerName(payer), to: playerName(payee), amount: money.plain(points * value) }),
  transfer_recorded: ({ payer, payee, amount }, money) =>
    t('then.paid', { from: playerName(payer), to: playerName(payee), amount: money.plain(amount) }),
  scored: ({ to: keeper, points }) =>
    t('then.scored', { names: sideNames(keeper), points: formatSignedPoints(points) }),
  game_won: ({ winners }) => t('points.has_won', { names: listNames(winners.map(sideNames)) }),
  deal_closed: ({ deal: number, winner }) => (winner
    ? t('then.deal_won', { number, name: playerName(winner) }) : t('then.deal_closed', { number })),
  action_undone: () => t('undo.done'),
  deal_voided: ({ deal }) => t('then.deal_voided', { number: deal }),
  deal_corrected: ({ deal, rescored }) => {
    const isVoided = rescored.some((rescoredDeal) => rescoredDeal.deal === deal
      && rescoredDeal.facts.length === 0);
    return t(isVoided ? 'then.deal_voided' : 'then.deal_corrected', { number: deal });
  },
  correction_undone: ({ deal }) => t('then.correction_undone', { number: deal }),
  pot_shared: ({ shares }) => t('then.pot_shared', { names: everyAmount(shares) }),
  bet_shared: ({ shares }) => t('then.bet_back', { names: everyAmount(shares) }),
  bet_collected: ({ by: owners }) => t('then.bet_collected', { names: eventNames(owners) }),
  bet_waived: () => t('then.bet_waived'),
  evening_closed: () => t('table.closed'),
  session_reopened: () => t('then.reopened'),
};

/** The sentence of an event; `money` writes the amounts. An unknown event is named by its type. */
export function eventSentence({ type, data }, money) {
  if (Object.hasOwn(SPOKEN_EVENTS, type)) return actionSentence({ ...data, type: SPOKEN_EVENTS[type] });
  return EVENT_SENTENCES[type]?.(data, money) ?? type.replaceAll('_', ' ');
}
