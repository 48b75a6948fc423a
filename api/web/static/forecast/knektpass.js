// The forecast of Knektpass: who stays and exchanges, as many tricks as cards exchanged, and down to zero
// (docs/rules.md §4.2–4.4).

import { sumOf } from '../domain/amounts.js';
import { packFrom, seatOrder } from '../domain/deal.js';
import { pointsByPlayer, scorePostings } from './forecast.js';

export const HAND_SIZE = 5;
export const EXCHANGE_ROUNDS = 3;
const SMALL_TABLE = 3; // players for whom 36 cards are enough
const MAX_QUOTA = 5; // tricks that a player can be held to where that is agreed

export const packOf = ({ seats }) => packFrom(seats.length > SMALL_TABLE ? '2' : '6');

/** See forecast.js. */
export function forecastKnektpass(state, actions) {
  const { options, scores, deal: { dealer } } = state;
  const turnsUpTo = (count) => readKnektpassTurns(state, actions.slice(0, count));
  const may = ({ closed, legalActions }, action) => !closed
    && legalActions.some((legalAction) => allowsAction(legalAction, action));
  if (!actions.every((action, place) => may(turnsUpTo(place), action)) || !turnsUpTo(actions.length).closed)
    return null;

  const { staying, tricks } = turnsUpTo(actions.length).deal;
  const outcome = { declarers: [], winner: null, la_vola: null, tricks };
  if (staying.length === 0) {
    const nextDealer = options.all_pass_dealer === 'same' ? { next: dealer } : {}; // A-KP-7
    return { outcome: { ...outcome, type: 'all_pass' }, code: 'all_pass_for_points', postings: [],
      ...nextDealer };
  }
  const counted = actions.find(({ type }) => type === 'tricks')?.taken;
  const tricksTakenBy = (id) =>
    (counted ? counted[id] ?? 0 : tricks.filter((winner) => winner === id).length);
  const tricksTaken = Object.fromEntries(staying.map((id) => [id, tricksTakenBy(id)]));
  const alone = staying.length === 1;
  const fullRows = alone
    ? [{ to: staying[0], points: -options.solo_deduction, rule: 'played_alone', because: {} }]
    : staying.map((id) => quotaRow(options, id, exchangesOf(id, actions), tricksTaken[id]));
  const rows = fullRows.map((row) => limitScore(options, row, scores[row.to]));
  const champions = gameWinners(options, scores, pointsByPlayer(rows), tricks);
  const type = alone ? 'played_alone' : 'scored';
  return {
    outcome: { ...outcome, type, ...(alone ? {} : { taken: tricksTaken }), points: pointsByPlayer(rows),
      ...(champions.length > 0 ? { game_won: champions } : {}) },
    code: champions.length > 0 ? `${type}_and_won` : type,
    postings: rows.flatMap(scorePostings),
  };
}

/** Whether one of the allowed actions is this one: the same type, and each field as allowed. */
function allowsAction({ type, fields }, { type: actionType, ...values }) {
  return type === actionType && Object.keys(values).every((name) => name in fields)
    && Object.entries(fields).every(([name, allowed]) => fitsField(allowed, values[name]));
}

function fitsField({ values, keys, sum, min, max }, value) {
  if (values) return values.includes(value);
  if (!keys) return Number.isInteger(value) && value >= min && value <= max;
  const counts = Object.values(value ?? {});
  return Object.keys(value ?? {}).every((id) => keys.includes(id))
    && counts.every((count) => Number.isInteger(count) && count >= 0)
    && sumOf(counts) === sum;
}

/** Whether the player swapped the turn-up, and the cards of each of his exchanges. */
const exchangesOf = (id, actions) => {
  const ownExchanges = actions.filter(({ type, player }) => type === 'exchange' && player === id);
  return { swapped: ownExchanges.some(({ turn_up: swap }) => swap),
    rounds: ownExchanges.flatMap(({ cards }) => cards ?? []) };
};

/** One point off for each trick; with too few, a penalty for each one missing instead (§4.3). */
function quotaRow(options, id, { swapped, rounds }, trickCount) {
  const countedCards = sumOf(options.exchange_quota === 'last_round' ? rounds.slice(-1) : rounds) // A-KP-2
    + (swapped && options.turn_up_counts ? 1 : 0); // A-KP-1
  const quota = options.exchange_quota === 'capped_at_5' ? Math.min(countedCards, MAX_QUOTA) : countedCards;
  const minTricks = Math.max(quota, options.min_trick_floor); // A-KP-3
  const numbers = { taken: trickCount, least: minTricks, exchanged: sumOf(rounds) + (swapped ? 1 : 0) };
  if (trickCount >= minTricks)
    return { to: id, points: 0 - trickCount, rule: 'quota_made', because: { numbers } };
  const penalty = options.penalty_per_trick;
  return { to: id, points: penalty * (minTricks - trickCount), rule: 'quota_missed',
    because: { numbers: { ...numbers, each: penalty } } };
}

/** Where a score may not go below zero, no more than the rest of it comes off (A-KP-4). */
const limitScore = ({ finish }, row, score) =>
  (finish === 'clamp_zero' ? { ...row, points: Math.max(row.points, 0 - score) } : row);

/**
 * The players who reached zero and so win the game. Of several the one with the lowest score wins, or the one
 * whose tricks reached zero first (§4.4, A-KP-5).
 */
function gameWinners({ finish, finish_tie: tie }, scores, changes, tricks) {
  const newScores = Object.fromEntries(Object.keys(scores).filter((id) => id in changes)
    .map((id) => [id, scores[id] + changes[id]]));
  const hasFinished = (score) => (finish === 'exact' ? score === 0 : score <= 0);
  const finishers = Object.keys(newScores).filter((id) => hasFinished(newScores[id]));
  if (finishers.length === 0) return [];
  if (tie === 'trick_order') {
    const firstFinisher = tricks.find((id, place) => finishers.includes(id)
      && tricks.slice(0, place + 1).filter((winner) => winner === id).length === scores[id]);
    if (firstFinisher) return [firstFinisher];
  }
  const lowest = Math.min(...finishers.map((id) => newScores[id]));
  return finishers.filter((id) => newScores[id] === lowest);
}

/**
 * The turns of a deal (§4.2), read from its taps: the deal as the screens draw it, the actions allowed now,
 * and whether it is closed. The server decides; this only asks the questions in order.
 */
export function readKnektpassTurns(state, taps) {
  const { seats, options, deal: { dealer } } = state;
  const order = seatOrder(state);
  const playersOf = (type) => taps.filter((action) => action.type === type).map(({ player }) => player);
  const staying = playersOf('stay');
  const passed = playersOf('pass');
  const swapped = taps.some(({ turn_up: swap }) => swap);
  const exchanges = taps.filter(({ type, cards }) => type === 'exchange' && cards);
  const tricks = taps.filter(({ type }) => type === 'trick').map(({ winner }) => winner);
  const turn = order.find((id) => !staying.includes(id) && !passed.includes(id));
  const closed = tricks.length === HAND_SIZE
    || taps.some(({ type }) => type === 'all_pass' || type === 'tricks')
    || (turn === undefined && staying.length < 2);
  const deal = { ...state.deal, phase: 'recording', turn, staying, passed, tricks };

  if (turn !== undefined) {
    const bound = options.turn_up_commits && swapped;
    const call = (type) => ({ type, fields: { player: { values: [turn] } } });
    const legalActions = [
      !swapped && staying.length + passed.length === 0
        && { type: 'exchange', fields: { player: { values: [dealer] }, turn_up: { values: [true] } } },
      call('stay'), !(bound && turn === dealer) && call('pass'),
      !bound && staying.length === 0 && { type: 'all_pass', fields: {} },
    ].filter(Boolean);
    return { closed, legalActions, deal: { ...deal, exchanged: swapped ? { [dealer]: 1 } : {} } };
  }

  const places = exchanges.map(({ player }) => staying.indexOf(player));
  const roundOf = (exchangePlaces) => 1
    + exchangePlaces.slice(1).filter((place, index) => place <= exchangePlaces[index]).length;
  const exchangedCards = options.reshuffle_discards ? 0 : cardCount(exchanges);
  const talon = packOf(state).length - HAND_SIZE * seats.length - 1 - exchangedCards;
  const maxCards = Math.min(talon, HAND_SIZE);
  const exchanged = Object.fromEntries(staying.map((id) => [id,
    cardCount(exchanges.filter(({ player }) => player === id)) + (swapped && id === dealer ? 1 : 0)]));
  const beforePlay = tricks.length > 0 ? [] : [
    ...staying.filter((id, place) => maxCards > 0 && roundOf([...places, place]) <= EXCHANGE_ROUNDS)
      .map((id) =>
        ({ type: 'exchange', fields: { player: { values: [id] }, cards: { min: 1, max: maxCards } } })),
    { type: 'tricks', fields: { taken: { sum: HAND_SIZE, keys: staying } } },
  ];
  return {
    closed, legalActions: [...beforePlay, { type: 'trick', fields: { winner: { values: staying } } }],
    deal: { ...deal, exchanged, round: roundOf(places), talon },
  };
}

const cardCount = (exchanges) => sumOf(exchanges.map(({ cards }) => cards));
