// A deal of Spader as one line, in the order of the printed score sheet: both bids and the tricks,
// `A4 7 0 5 4 4`.

import { sideMembers } from '../../domain/amounts.js';
import { forehandOf } from '../../domain/deal.js';
import { readCount, readPlayers, unread, wordsOf } from './player_keys.js';

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
