// What has been recorded, as sentences in the reader's language: actions, whole deals, and events.

import { playerName } from '../core/session_store.js';
import { listNames, t } from '../core/translator.js';
import { formatSignedPoints } from '../domain/amounts.js';
import { readDeal } from '../domain/deal.js';
import { sideNames } from './player_tokens.js';
import { cardName } from './playing_cards.js';

/** A bid as people say it: "5", "nil Ada + 4". */
export function bidSentence({ tricks, nil, blind_nil: blind, joint_nil: joint }) {
  const [name, other] = [blind ?? [], nil ?? []].flat().map(playerName);
  if (joint) return t('spader.joint');
  if (Array.isArray(blind)) return t('spader.bid.double_blind_nil', { name, other });
  if (blind && nil) return t('spader.bid.two_nils', { name, other });
  if (blind) return t('spader.bid.blind_nil', { name, tricks });
  return nil ? t('spader.bid.nil', { name, tricks }) : String(tricks ?? '');
}

const callSentence = (player, words) => `${playerName(player)}: ${words}`;
const callName = (call) => (call === 'accept' || call === 'pass' ? t(`bid.${call}`) : t(`suit.${call}`));
const countSentence = (counts) =>
  Object.entries(counts).map(([keeper, count]) => `${sideNames(keeper)} ${count}`).join(', ');
const volaSentence = (call) => ({ player }) => t(`vola.says.${call}`, { name: playerName(player) });
const endSentence = (call, { player, won }) => (won ? t(`vola.won.${call}`, { name: playerName(player) })
  : t(`vola.lost.${call}`, { name: playerName(player) }));

const ACTION_SENTENCES = {
  declare: ({ players, trump }) => [t('record.declared', { names: listNames(players.map(playerName)) }),
    trump && t('result.trump', { suit: t(`suit.${trump}`) })].filter(Boolean).join(' · '),
  all_pass: () => t('record.all_pass'),
  trick: ({ winner }, number) => t('record.said_trick', { number, name: playerName(winner) }),
  la_vola: volaSentence('la_vola'),
  vole: volaSentence('vole'),
  finish: () => t('record.finish_here'),
  result: ({ winner, la_vola: laVola, vole }) => [
    winner ? t('record.said_winner', { name: playerName(winner) }) : winner === null && t('record.nobody'),
    laVola && endSentence('la_vola', laVola), vole && endSentence('vole', vole),
  ].filter(Boolean).join(' · '),
  merge: ({ together: isTogether = true }) => t(isTogether ? 'merge.put' : 'merge.kept'),
  cut: ({ card }) => t('said.cut', { card: cardName(card) }),
  turn_up: ({ card }) => t('said.turn_up', { card: cardName(card) }),
  take: () => t('bid.take'),
  decline: () => t('bid.decline'),
  bid: (action) => callSentence(action.player, callName(action.call)),
  discard: ({ player, card }) =>
    (card ? t('said.discard', { name: playerName(player), card: cardName(card) })
      : t('said.discard_unseen', { name: playerName(player) })),
  play: ({ player, card }) => callSentence(player, cardName(card)),
  hand: ({ player }) => t('cards.shown', { name: playerName(player) }),
  side_bid: ({ side, ...bid }) => `${sideNames(side)}: ${bidSentence(bid)}`,
  redeal: ({ player, reason }) =>
    t(`spader.redeal_said.${reason}`, { name: playerName(player) }),
  swap: () => t('spader.swap'),
  no_swap: () => t('spader.no_swap'),
  tricks: ({ taken: counts }) => t('taken.tricks', { names: countSentence(counts) }),
  stay: ({ player }) => t('stay.said_in', { name: playerName(player) }),
  pass: ({ player }) => t('stay.said_out', { name: playerName(player) }),
  exchange: ({ player, cards, turn_up: swap }) => (swap ? t('stay.swap', { name: playerName(player) })
    : t('exchange.said', { name: playerName(player), count: cards })),
};

/** `number`: which trick it is, where the sentence names it. */
export const actionSentence = (action, number = '') => ACTION_SENTENCES[action.type]?.(action, number)
  ?? action.type;

/** All actions of a deal as sentences; tricks are numbered in order. */
export function actionSentences(actions) {
  let tricks = 0;
  return actions.map((action) => actionSentence(action, action.type === 'trick' ? (tricks += 1) : ''));
}

/** Summarizes a deal: one of five tricks by its result, any other action by action. */
export const dealSentence = (actions, seats) => fiveTricksSentence(readDeal(actions, { seats }))
  || actionSentences(actions).join(' · ');

function fiveTricksSentence({ passed, declarers, tricks, result, vola, call }) {
  if (passed) return t('record.all_pass');
  const parts = [];
  if (declarers.length > 0) parts.push(t('record.declared', { names: listNames(declarers.map(playerName)) }));
  if (vola) parts.push(t(`vola.says.${call}`, { name: playerName(vola) }));
  if (tricks.length > 0) parts.push(t('taken.tricks', { names: tricks.map(playerName).join(', ') }));
  if (result?.winner) parts.push(t('record.said_winner', { name: playerName(result.winner) }));
  return parts.join(' · ');
}

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
