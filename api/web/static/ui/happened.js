// What happened at one step of the evening, as a sentence: each event in the reader's language.

import { nameOf } from '../core/session_store.js';
import { spoken as cardNamed } from '../domain/cards.js';
import { namesOf, signed } from '../domain/points.js';
import { inWords } from './action_sentences.js';
import { t, together } from '../core/translator.js';

/** Events that are something said at the table, by the action that said it. */
const SAID = {
  declared: 'declare', all_passed: 'all_pass', trick_recorded: 'trick', la_vola_announced: 'la_vola', vole_announced: 'vole',
  play_finished: 'finish', result_recorded: 'result', cut_shown: 'cut', card_turned_up: 'turn_up', turn_up_taken: 'take',
  turn_up_declined: 'decline', bid_made: 'bid', card_discarded: 'discard', card_played: 'play', hand_shown: 'hand',
  side_bid_made: 'side_bid', redeal_claimed: 'redeal', cards_swapped: 'swap', swap_declined: 'no_swap', tricks_counted: 'tricks',
  stayed: 'stay', passed: 'pass', cards_exchanged: 'exchange',
};

const names = (ids) => together(ids.map(nameOf));
const all = (shares) => together(shares.map(({ player }) => nameOf(player)));

const HAPPENED = {
  session_opened: () => t('then.session_opened'),
  brought_forward: () => t('then.brought_forward'),
  carried_forward: () => t('then.carried_forward'),
  player_joined: ({ player }) => t('seating.joined', { name: nameOf(player) }),
  reseated: ({ seats }) => t('then.reseated', { names: names(seats) }),
  deal_opened: ({ number, dealer }) => t('then.deal_opened', { number, name: nameOf(dealer) }),
  cutter_took: ({ player, card }) => t('then.took_card', { name: nameOf(player), card: cardNamed(card) }),
  dealer_took: ({ player, card }) => t('then.took_card', { name: nameOf(player), card: cardNamed(card) }),
  trick_won: ({ winner }) => t('then.trick_won', { name: nameOf(winner) }),
  turn_up_exchanged: ({ player }) => t('stay.swap', { name: nameOf(player) }),
  bets_merged: () => t('merge.put'),
  bets_parted: () => t('merge.kept'),
  pot_taken: ({ player, amount }, money) => t('then.pot_taken', { name: nameOf(player), amount: money.plain(amount) }),
  bet_taken: ({ player, by, each }, money) => t('then.bet_taken', { name: nameOf(player), amount: money.plain(each * by.length) }),
  bet_laid: ({ by, each }, money) => t('then.bet_laid', { names: names(by), amount: money.plain(each * by.length) }),
  la_vola_won: ({ player, amount }, money) => t('then.la_vola_won', { name: nameOf(player), amount: money.plain(amount) }),
  penalty_paid: ({ player, amount }, money) => t('then.penalty_paid', { name: nameOf(player), amount: money.plain(amount) }),
  payment_settled: ({ payer, payee, amount }, money) => t('then.paid', { from: nameOf(payer), to: nameOf(payee), amount: money.plain(amount) }),
  points_paid: ({ payer, payee, points, value }, money) => t('then.paid', { from: nameOf(payer), to: nameOf(payee), amount: money.plain(points * value) }),
  transfer_recorded: ({ payer, payee, amount }, money) => t('then.paid', { from: nameOf(payer), to: nameOf(payee), amount: money.plain(amount) }),
  scored: ({ to, points }) => t('then.scored', { names: namesOf(to), points: signed(points) }),
  game_won: ({ winners }) => t('points.has_won', { names: together(winners.map(namesOf)) }),
  deal_closed: ({ deal, winner }) => [t('then.deal_closed', { number: deal }), winner && t('record.said_winner', { name: nameOf(winner) })].filter(Boolean).join(' '),
  action_undone: () => t('undo.done'),
  deal_voided: ({ deal }) => t('then.deal_voided', { number: deal }),
  deal_corrected: ({ deal, rescored }) => {
    const gone = rescored.some((one) => one.deal === deal && one.facts.length === 0);
    return t(gone ? 'then.deal_voided' : 'then.deal_corrected', { number: deal });
  },
  correction_undone: ({ deal }) => t('then.correction_undone', { number: deal }),
  pot_shared: ({ shares }) => t('then.pot_shared', { names: all(shares) }),
  bet_shared: ({ shares }) => t('then.bet_back', { names: all(shares) }),
  bet_collected: ({ by }) => t('then.bet_collected', { names: names(by) }),
  bet_waived: () => t('then.bet_waived'),
  evening_closed: () => t('table.closed'),
  session_reopened: () => t('then.reopened'),
};

/** `money` writes the amounts. A kind of event that is not known here is told by its name. */
export function happened({ type, data }, money) {
  if (Object.hasOwn(SAID, type)) return inWords({ ...data, type: SAID[type] });
  return HAPPENED[type]?.(data, money) ?? type.replaceAll('_', ' ');
}
