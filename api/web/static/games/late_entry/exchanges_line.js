// A deal of Knektpass as one line, in the order of the printed score sheet: the cards that each player
// exchanged and their tricks, `2 0 3 - 2 1 2 -`.

import { seatOrder } from '../../domain/deal.js';
import { readCount, readPlayers, unread, wordsOf } from './player_keys.js';

const TRICKS = 5;
const TURN_UP = '*';

/**
 * A word for each seat: `-` passes, `0` stays, `2` exchanges two cards, `2+1` in two rounds; the dealer's
 * with a `*` before it swaps the turn-up. Then the tricks of each seat, `-` or 0 for those who passed, or who
 * took each of them: `AABDD`. `-` alone: all passed.
 */
export function readExchangesLine(line, state) {
  const words = wordsOf(line);
  const { seats, deal: { dealer } } = state;
  if (words.join() === '-') return { actions: [{ type: 'all_pass' }] };
  const exchangeWords = words.slice(0, seats.length);
  const swapPlace = exchangeWords.findIndex((word) => word.startsWith(TURN_UP));
  if (swapPlace >= 0 && seats[swapPlace] !== dealer) return unread('turn_up_wrong');
  const rounds = exchangeWords.map((word) => readRounds(word.replace(TURN_UP, '') || '0'));
  if (rounds.some((counts) => counts?.includes(null))) return unread('count_wrong');
  if (words.length < seats.length) return unread('exchange_missing');
  const exchanged = new Map(seats.map((id, place) => [id, rounds[place]]));
  const order = seatOrder(state);
  const staying = order.filter((id) => exchanged.get(id) !== null);
  const stayActions = [
    ...(swapPlace >= 0 ? [{ type: 'exchange', player: dealer, turn_up: true }] : []),
    ...order.map((player) => ({ type: staying.includes(player) ? 'stay' : 'pass', player })),
  ];
  const trickWords = words.slice(seats.length);
  if (staying.length < 2)
    return trickWords.length === 0 ? { actions: stayActions } : unread('counts_too_many');
  const { actions, code } = readTricks(trickWords, staying, state);
  return actions === null ? unread(code)
    : { actions: [...stayActions, ...exchangeActions(staying, exchanged), ...actions] };
}

/** The cards of each round; null for a player who passed. */
const readRounds = (word) => (word === '-' ? null : word.split('+').map(readCount));

function readTricks(words, staying, state) {
  const { seats } = state;
  const winners = words.length === 1 ? readPlayers(words[0], state) : null;
  if (winners?.length === TRICKS) return { actions: winners.map((winner) => ({ type: 'trick', winner })) };
  if (words.length < seats.length) return unread('tricks_missing');
  const counts = words.map((word) => (word === '-' ? 0 : readCount(word)));
  if (counts.includes(null)) return unread('count_wrong');
  if (counts.length > seats.length || seats.some((id, place) => counts[place] > 0 && !staying.includes(id)))
    return unread('counts_too_many');
  const tricksTaken = Object.fromEntries(staying.map((id) => [id, counts[seats.indexOf(id)]]));
  return { actions: [{ type: 'tricks', taken: tricksTaken }] };
}

/** The actions round by round, in turn; a player who exchanges no card has no action. */
function exchangeActions(staying, exchanged) {
  const roundCount = Math.max(...staying.map((id) => exchanged.get(id).length));
  return Array.from({ length: roundCount }, (_, round) => staying
    .filter((id) => exchanged.get(id)[round] > 0)
    .map((player) => ({ type: 'exchange', player, cards: exchanged.get(player)[round] }))).flat();
}
