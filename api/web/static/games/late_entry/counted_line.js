// Deals of the games for points as one line, in the order of the printed score sheet. Spader: both bids and
// the tricks, `A4 7 0 5 4 4`. Knektpass: the cards that each player exchanged and their tricks,
// `2 0 3 - 2 1 2 -`.

import { sideMembers } from '../../domain/amounts.js';
import { forehandOf, seatsFrom } from '../../domain/deal.js';
import { readPlayers, unread, wordsOf } from './player_keys.js';

const SPADER_TRICKS = 13;
const BLIND = '+';

/**
 * Two bids, the forehand's side first: `5`, `A4` with nil by A, `+A4` with a blind one, `0` nil for both;
 * then the tricks of each player in the order of the seats, or of the side that bid first.
 */
export function readSidesLine(line, state) {
  const words = wordsOf(line);
  const sides = Object.keys(state.scores).toSorted((side) =>
    (sideMembers(side).includes(forehandOf(state)) ? -1 : 1));
  if (words.length < 2) return unread('bid_missing');
  const bids = sides.map((side, place) => readBid(words[place], side, state));
  const wrong = bids.findIndex((bid) => bid === null);
  if (wrong >= 0) return unread('bid_wrong', { word: words[wrong] });
  const counts = words.slice(2).map(readCount);
  if (counts.length === 0) return unread('tricks_missing');
  if (counts.includes(null)) return unread('count_wrong');
  const keys = counts.length > 2 ? state.seats : sides;
  const tricksTaken = counts.length === 1 ? [...counts, SPADER_TRICKS - counts[0]] : counts;
  const sum = tricksTaken.reduce((total, count) => total + count, 0);
  if (tricksTaken.length !== keys.length || sum !== SPADER_TRICKS)
    return unread('counts_do_not_add_up', { sum: SPADER_TRICKS });
  return { actions: [...bids,
    { type: 'tricks', taken: Object.fromEntries(keys.map((key, place) => [key, tricksTaken[place]])) }] };
}

function readBid(word, side, state) {
  const [, blind, mark, number] = /^(\+?)(.*?)(\d{1,2})$/.exec(word) ?? [];
  if (number === undefined) return null;
  const bid = { type: 'side_bid', side };
  if (mark === '' && blind === '') return number === '0' ? { ...bid, joint_nil: true }
    : { ...bid, tricks: Number(number) };
  const [player, ...others] = readPlayers(mark, state) ?? [];
  if (!sideMembers(side).includes(player) || others.length > 0) return null;
  return { ...bid, tricks: Number(number), [blind === BLIND ? 'blind_nil' : 'nil']: player };
}

const readCount = (word) => (/^\d{1,2}$/.test(word) ? Number(word) : null);

/**
 * A word for each seat: `-` passes, `0` stays, `2` exchanges two cards, `2+1` in two rounds; then the tricks
 * of each seat, `-` or 0 for those who passed. `-` alone: all passed.
 */
export function readExchangesLine(line, state) {
  const words = wordsOf(line);
  const { seats } = state;
  if (words.join() === '-') return { actions: [{ type: 'all_pass' }] };
  const rounds = words.slice(0, seats.length).map((word) => (word === '-' ? null
    : word.split('+').map(readCount)));
  if (rounds.some((counts) => counts?.includes(null))) return unread('count_wrong');
  if (words.length < seats.length) return unread('exchange_missing');
  const exchanged = new Map(seats.map((id, place) => [id, rounds[place]]));
  const order = seatsFrom(forehandOf(state), seats);
  const staying = order.filter((id) => exchanged.get(id) !== null);
  const spoken = order.map((player) => ({ type: staying.includes(player) ? 'stay' : 'pass', player }));
  const trickWords = words.slice(seats.length);
  if (staying.length < 2) return trickWords.length === 0 ? { actions: spoken } : unread('counts_too_many');
  if (trickWords.length < seats.length) return unread('tricks_missing');
  const counts = trickWords.map((word) => (word === '-' ? 0 : readCount(word)));
  if (counts.includes(null)) return unread('count_wrong');
  if (counts.length > seats.length || seats.some((id, place) => counts[place] > 0 && !staying.includes(id)))
    return unread('counts_too_many');
  const tricksTaken = Object.fromEntries(staying.map((id) => [id, counts[seats.indexOf(id)]]));
  return { actions: [...spoken, ...exchangeActions(staying, exchanged),
    { type: 'tricks', taken: tricksTaken }] };
}

/** Round by round, in turn; who exchanges nothing says nothing. */
function exchangeActions(staying, exchanged) {
  const roundCount = Math.max(...staying.map((id) => exchanged.get(id).length));
  return Array.from({ length: roundCount }, (_, round) => staying
    .filter((id) => exchanged.get(id)[round] > 0)
    .map((player) => ({ type: 'exchange', player, cards: exchanged.get(player)[round] }))).flat();
}
