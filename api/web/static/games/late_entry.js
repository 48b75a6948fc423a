// Reads a deal that is typed from paper as one line, in the order of the printed score sheet, where each
// player has a mark.
//
// Five tricks: `B AACBA`, the declarer and who took each trick. Two declarers are `AD`, all passed is `-`.
// `B C`: only the winner is known; `B 0`: nobody won. A `+` after the second trick announces all five, and so
// `B CC+CCC`. `B C+` and `B C-`: that was announced, and made or not. Last, where two declarers lost, `=`
// merges their bets and `/` keeps them apart.
// Exchanges: the cards that each player exchanged and their tricks, `2 0 3 - 2 1 2 -`.
// Sides: both bids and the tricks, `A4 7 0 5 4 4`. Before them, those who asked for a new deal: `!A1`.

import { sideMembers, sumOf } from '../domain/amounts.js';
import { forehandOf, mayDeclare, readDeal, seatOrder, TRICKS, versionOfTaps } from '../domain/deal.js';
import { termsOf } from '../domain/games.js';
import { REDEAL_REASONS, SPADER_TRICKS } from '../forecast/spader.js';

/** Each seated player's mark, by id: the first letter, with the seat's number where two names share it. */
export function playerMarks({ seats, players }) {
  const letters = new Map(seats.map((id) => {
    const name = players.find((player) => player.id === id)?.name ?? '';
    return [id, /\p{L}/u.exec(name)?.[0].toUpperCase() ?? ''];
  }));
  const isShared = (letter) => [...letters.values()].filter((usedLetter) => usedLetter === letter).length > 1;
  return new Map(seats.map((id, place) => {
    const letter = letters.get(id);
    return [id, letter === '' || isShared(letter) ? `${letter}${place + 1}` : letter];
  }));
}

/**
 * The players whose marks stand one after the other in a text, in any case; null if anything else stands
 * there. `withNumbers`: the number of a seat will do as well.
 */
function readPlayers(text, state, withNumbers = false) {
  const marks = [...playerMarks(state)].flatMap(([id, mark], place) =>
    (withNumbers ? [[mark, id], [String(place + 1), id]] : [[mark, id]]));
  const longestFirst = marks.toSorted(([mark], [nextMark]) => nextMark.length - mark.length);
  const ids = [];
  let rest = text.toUpperCase();
  while (rest !== '') {
    const match = longestFirst.find(([mark]) => rest.startsWith(mark));
    if (!match) return null;
    ids.push(match[1]);
    rest = rest.slice(match[0].length);
  }
  return ids;
}

/** The words of a line, which spaces separate. */
const wordsOf = (line) => line.trim().split(/\s+/).filter(Boolean);

/** The word as a number; null if it is not one. */
const readCount = (word) => (/^\d{1,2}$/.test(word) ? Number(word) : null);

/** The reason why a line cannot be read: the key of a sentence and its values. */
const unreadable = (code, values = {}) => ({ actions: null, code, values });

const NO_WINNER = '0';
const TURN_UP = '*';
const MERGES = { '=': true, '/': false };

/** The actions of a line without the opening, or what is wrong with it. */
export function readFiveTricksLine(line, state) {
  const [declarerWord, ...rest] = wordsOf(line);
  const merges = MERGES[rest.at(-1)?.at(-1)];
  const trickWord = merges === undefined ? rest.join('') : rest.join('').slice(0, -1);
  if (declarerWord === '-' && rest.length === 0) return { actions: [{ type: 'all_pass' }] };
  const declarers = declarerWord ? readPlayers(declarerWord, state, true) : [];
  if (declarers === null) return unreadable('unknown_mark', { mark: declarerWord });
  if (declarers.length === 0) return unreadable('declarer_missing');
  if (!mayDeclare(state, declarers, termsOf(state).twoMayDeclare)) return unreadable('declarers_wrong');
  const { actions, code, values } = readPlay(trickWord, declarers, state);
  if (actions === null) return unreadable(code, values);
  const dealActions = [{ type: 'declare', players: declarers }, ...actions];
  if (merges === undefined) return { actions: dealActions };
  return haveBothLost(dealActions, declarers, state)
    ? { actions: [...dealActions, { type: 'merge', together: merges }] } : unreadable('merge_wrong');
}

/** Only two declarers can lose together, and lay two bets that can be merged. */
const haveBothLost = (dealActions, declarers, state) => declarers.length === 2
  && !declarers.includes(versionOfTaps(dealActions, state, termsOf(state)).winner);

function readPlay(word, declarers, state) {
  if (word === '') return unreadable('tricks_missing');
  const terms = termsOf(state);
  if (word === NO_WINNER)
    return terms.nobodyMayWin ? { actions: [{ type: 'result', winner: null }] } : unreadable('nobody_wrong');
  const [before, after = '', ...more] = word.replace(/-$/, '+-').split('+');
  const isLost = after === '-';
  const tricksBefore = readPlayers(before, state, true);
  const tricksAfter = isLost ? [] : readPlayers(after, state, true);
  if (tricksBefore === null || tricksAfter === null || more.length > 0)
    return unreadable('unknown_mark', { mark: word });
  const isAnnounced = before !== word;
  if (tricksBefore.length === 1 && tricksAfter.length === 0)
    return { actions: [isAnnounced
      ? terms.resultOfCall(terms.soloist ? declarers[0] : tricksBefore[0], !isLost, tricksBefore[0])
      : { type: 'result', winner: tricksBefore[0] }] };
  if (isLost) return unreadable('unknown_mark', { mark: word });
  if (tricksBefore.length + tricksAfter.length > TRICKS)
    return unreadable('counts_do_not_add_up', { sum: TRICKS });
  const tricks = (ids) => ids.map((winner) => ({ type: 'trick', winner }));
  const call = isAnnounced ? [{ type: terms.call, player: tricksBefore[0] }] : [];
  return endPlay([...tricks(tricksBefore), ...call, ...tricks(tricksAfter)], declarers, state);
}

/** The play, with its end where the cards were thrown in because the winner was certain. */
function endPlay(play, declarers, state) {
  const { seats, options } = state;
  const deal = readDeal([{ type: 'declare', players: declarers }, ...play],
    { seats, earlyEnd: options.allow_early_end !== false, ...termsOf(state) });
  if (deal.phase === 'closed') return { actions: play };
  return deal.mayFinish !== null ? { actions: [...play, { type: 'finish' }] } : unreadable('tricks_missing');
}

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
  if (swapPlace >= 0 && seats[swapPlace] !== dealer) return unreadable('turn_up_wrong');
  const rounds = exchangeWords.map((word) => readRounds(word.replace(TURN_UP, '') || '0'));
  if (rounds.some((counts) => counts?.includes(null))) return unreadable('count_wrong');
  if (words.length < seats.length) return unreadable('exchange_missing');
  const exchanged = new Map(seats.map((id, place) => [id, rounds[place]]));
  const order = seatOrder(state);
  const staying = order.filter((id) => exchanged.get(id) !== null);
  const stayActions = [
    ...(swapPlace >= 0 ? [{ type: 'exchange', player: dealer, turn_up: true }] : []),
    ...order.map((player) => ({ type: staying.includes(player) ? 'stay' : 'pass', player })),
  ];
  const trickWords = words.slice(seats.length);
  if (staying.length < 2)
    return trickWords.length === 0 ? { actions: stayActions } : unreadable('counts_too_many');
  const { actions, code, values } = readTricks(trickWords, staying, state);
  return actions === null ? unreadable(code, values)
    : { actions: [...stayActions, ...exchangeActions(staying, exchanged), ...actions] };
}

/** The cards of each round; null for a player who passed. */
const readRounds = (word) => (word === '-' ? null : word.split('+').map(readCount));

function readTricks(words, staying, state) {
  const { seats } = state;
  const winners = words.length === 1 ? readPlayers(words[0], state) : null;
  if (winners?.length === TRICKS) return { actions: winners.map((winner) => ({ type: 'trick', winner })) };
  if (words.length < seats.length) return unreadable('tricks_missing');
  const counts = words.map((word) => (word === '-' ? 0 : readCount(word)));
  if (counts.includes(null)) return unreadable('count_wrong');
  if (counts.length > seats.length || seats.some((id, place) => counts[place] > 0 && !staying.includes(id)))
    return unreadable('counts_too_many');
  if (sumOf(counts) !== TRICKS) return unreadable('counts_do_not_add_up', { sum: TRICKS });
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

/**
 * Two bids, the forehand's side first; then the tricks of each player in the order of the seats, or of the
 * side that bid first. Where the deal passes on after a redeal, that is the whole line (A-SP-9).
 */
export function readSidesLine(line, state) {
  const words = wordsOf(line);
  const redealWords = words.filter((word) => word.startsWith('!'));
  const redeals = redealWords.map((word) => readRedeal(word, state));
  if (redeals.includes(null)) return unreadable('redeal_wrong', { word: redealWords[redeals.indexOf(null)] });
  if (redeals.length > 0 && state.options.redeal_dealer === 'next')
    return words.length === 1 ? { actions: redeals } : unreadable('redeal_alone');
  const { actions, code, values } = readPlayedDeal(words.slice(redeals.length), state);
  return actions === null ? unreadable(code, values) : { actions: [...redeals, ...actions] };
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
  if (words.length < 2) return unreadable('bid_missing');
  const bids = sides.map((side, place) => readBid(words[place], side, state));
  const wrong = bids.findIndex((bid) => bid === null);
  if (wrong >= 0) return unreadable('bid_wrong', { word: words[wrong] });
  const counts = words.slice(2).map(readCount);
  if (counts.length === 0) return unreadable('tricks_missing');
  if (counts.includes(null)) return unreadable('count_wrong');
  const keys = counts.length > 2 ? state.seats : sides;
  const tricksTaken = counts.length === 1 ? [...counts, SPADER_TRICKS - counts[0]] : counts;
  const isWrong = tricksTaken.some((count) => count < 0) || sumOf(tricksTaken) !== SPADER_TRICKS;
  if (tricksTaken.length !== keys.length || isWrong)
    return unreadable('counts_do_not_add_up', { sum: SPADER_TRICKS });
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

/** The fields of a bid that name the partners who bid nil, and their number; null if the text is not that. */
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
