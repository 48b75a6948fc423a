// A deal of Spader as one line, in the order of the printed score sheet: both bids and the tricks,
// `A4 7 0 5 4 4`. Before them, those who asked for a new deal: `!A1`.

import { sideMembers } from '../../domain/amounts.js';
import { forehandOf } from '../../domain/deal.js';
import { REDEAL_REASONS, SPADER_TRICKS } from '../../forecast/spader.js';
import { readCount, readPlayers, unread, wordsOf } from './player_keys.js';

/**
 * Two bids, the forehand's side first; then the tricks of each player in the order of the seats, or of the
 * side that bid first. Where the deal passes on after a redeal, that is the whole line (A-SP-9).
 */
export function readSidesLine(line, state) {
  const words = wordsOf(line);
  const redealWords = words.filter((word) => word.startsWith('!'));
  const redeals = redealWords.map((word) => readRedeal(word, state));
  if (redeals.includes(null)) return unread('redeal_wrong', { word: redealWords[redeals.indexOf(null)] });
  if (redeals.length > 0 && state.options.redeal_dealer === 'next')
    return words.length === 1 ? { actions: redeals } : unread('redeal_alone');
  const { actions, code, values } = readPlayedDeal(words.slice(redeals.length), state);
  return actions === null ? unread(code, values) : { actions: [...redeals, ...actions] };
}

/** `!A1`: A had no spade; 2: no court card; 3: seven cards of a suit or more. */
function readRedeal(word, state) {
  const [, mark, number] = /^!(.+)([123])$/.exec(word) ?? [];
  const [player, ...others] = (mark && readPlayers(mark, state)) || [];
  return player && others.length === 0
    ? { type: 'redeal', player, reason: REDEAL_REASONS[number - 1] } : null;
}

function readPlayedDeal(words, state) {
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

/**
 * `5`; `0` nil for both; `A4` nil by A beside four tricks, `+A4` a blind one; `A+C` nil by A and a blind nil
 * by C, `+A+C` two blind ones. A mark may end with a digit, so the shortest number that fits is the tricks.
 */
function readBid(word, side, state) {
  const own = { type: 'side_bid', side };
  if (word === '0') return { ...own, joint_nil: true };
  for (const length of [0, 1, 2]) {
    const end = word.length - length;
    const number = word.slice(end);
    const nils = readNils(word.slice(0, end), side, state);
    if (nils !== null && /^\d*$/.test(number) && (number !== '') === (nils.count < 2))
      return { ...own, ...(number && { tricks: Number(number) }), ...nils.fields };
  }
  return null;
}

/** Those of the side who bid nil, and how many they are; null if the text names anybody else. */
function readNils(text, side, state) {
  const [openMark, ...blindMarks] = text.split('+');
  const openNil = readPlayers(openMark, state);
  const blindNils = blindMarks.map((mark) => readPlayers(mark, state));
  if (openNil === null || openNil.length > 1 || blindNils.some((ids) => ids?.length !== 1)) return null;
  const ids = [...openNil, ...blindNils.flat()];
  if (new Set(ids).size < ids.length || ids.length > 2 || !ids.every((id) => sideMembers(side).includes(id)))
    return null;
  const blindNil = blindNils.length === 2 ? blindNils.flat() : blindNils.flat()[0];
  return { count: ids.length,
    fields: { ...(openNil[0] && { nil: openNil[0] }), ...(blindNil && { blind_nil: blindNil }) } };
}
