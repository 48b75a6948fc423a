// A deal of five tricks as one line: `B AACBA`, the declarer and who took each trick. Two declarers are `AD`,
// all passed is `-`. `B C`: only the winner is known; `B 0`: nobody won. A `+` after the second trick
// announces all five, and so `B CC+CCC`. `B C+` and `B C-`: that was announced, and made or not. Last, where
// two declarers lost, `=` merges their bets and `/` keeps them apart.

import { TRICKS, mayDeclare, readDeal, versionOfTaps } from '../../domain/deal.js';
import { termsOf } from '../../domain/games.js';
import { readPlayers, unread, wordsOf } from './player_keys.js';

const NO_WINNER = '0';
const MERGES = { '=': true, '/': false };

/** The actions of a line without the opening, or what is wrong with it (player_keys.js). */
export function readFiveTricksLine(line, state) {
  const [declarerWord, ...rest] = wordsOf(line);
  const merges = MERGES[rest.at(-1)?.at(-1)];
  const trickWord = merges === undefined ? rest.join('') : rest.join('').slice(0, -1);
  if (declarerWord === '-' && rest.length === 0) return { actions: [{ type: 'all_pass' }] };
  const declarers = declarerWord ? readPlayers(declarerWord, state, true) : [];
  if (declarers === null) return unread('unknown_mark', { mark: declarerWord });
  if (declarers.length === 0) return unread('declarer_missing');
  if (!mayDeclare(state, declarers, termsOf(state).twoMayDeclare)) return unread('declarers_wrong');
  const { actions, code, values } = readPlay(trickWord, declarers, state);
  if (actions === null) return unread(code, values);
  const dealActions = [{ type: 'declare', players: declarers }, ...actions];
  if (merges === undefined) return { actions: dealActions };
  return haveBothLost(dealActions, declarers, state)
    ? { actions: [...dealActions, { type: 'merge', together: merges }] } : unread('merge_wrong');
}

/** Only two declarers can lose together, and lay two bets that can be merged. */
const haveBothLost = (dealActions, declarers, state) => declarers.length === 2
  && !declarers.includes(versionOfTaps(dealActions, state, termsOf(state)).winner);

function readPlay(word, declarers, state) {
  if (word === '') return unread('tricks_missing');
  const terms = termsOf(state);
  if (word === NO_WINNER)
    return terms.nobodyMayWin ? { actions: [{ type: 'result', winner: null }] } : unread('nobody_wrong');
  const [before, after = '', ...more] = word.replace(/-$/, '+-').split('+');
  const isLost = after === '-';
  const tricksBefore = readPlayers(before, state, true);
  const tricksAfter = isLost ? [] : readPlayers(after, state, true);
  if (tricksBefore === null || tricksAfter === null || more.length > 0)
    return unread('unknown_mark', { mark: word });
  const isAnnounced = before !== word;
  if (tricksBefore.length === 1 && tricksAfter.length === 0)
    return { actions: [isAnnounced
      ? terms.resultOfCall(terms.soloist ? declarers[0] : tricksBefore[0], !isLost, tricksBefore[0])
      : { type: 'result', winner: tricksBefore[0] }] };
  if (isLost) return unread('unknown_mark', { mark: word });
  if (tricksBefore.length + tricksAfter.length > TRICKS) return unread('against_rules');
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
  return deal.mayFinish !== null ? { actions: [...play, { type: 'finish' }] } : unread('tricks_missing');
}
