// Sentences about a forecast deal, with the same words as the server's: the reason of each posting, and the
// outcome. Knows no rules; `code` chooses the sentence, and operands fill it.

import { moneyWriter } from './money_format.js';
import { isolateName, language, listNames, t } from './translator.js';

/** The reason of one posting. */
export function postingReason(state, { code, amount, unit, because }) {
  const moved = unit === 'points' ? t('ahead.points', { count: amount, points: writeNumber(amount) })
    : moneyWriter(state.currency).plain(amount);
  return t(`ahead.why.${code}`, { ...sentenceValues(state, because), amount: moved });
}

/** The outcome of a forecast deal, and who deals next. */
export function outcomeSentence(state, { code, outcome, postings, each = 0, next }) {
  const { declarers, winner, la_vola: announcer, points = {}, game_won: champions = [] } = outcome;
  const scores = Object.entries(points).map(([keeper, count]) =>
    t('ahead.score', { who: playerNames(state, keeper.split('+')),
    points: writeNumber(count, 'exceptZero') }));
  return t(`ahead.outcome.${code}`, {
    ...sentenceValues(state, {
      who: { winner, announcer, next, declarers, failed: declarers.filter((id) => id !== winner),
        champions: champions.flatMap((keeper) => keeper.split('+')) },
      amounts: { played_for: state.amount_played_for ?? 0, each,
        won: postings.filter(isWonByWinner).reduce((sum, { amount }) => sum + amount, 0) },
    }),
    scores: scores.join(', '),
  });
}

/** Whether a posting brings the winner the pot or a bet; a bet that he owes himself is not posted. */
const isWonByWinner = ({ code }) => ['pot_taken', 'stake_taken', 'bet_taken', 'claim_taken']
  .some((prefix) => code.startsWith(prefix));

/** The operands of the sentences: names, amounts, numbers, and numbers with what they count. */
function sentenceValues(state, { who = {}, amounts = {}, numbers = {} }) {
  const money = moneyWriter(state.currency);
  const counted = Object.entries(numbers).flatMap(([name, count]) => [
    [name, count], [`${name}_overtricks`, t('points.bags', { count })],
    [`${name}_tricks`, count === 0 ? t('ahead.no_tricks') : t('record.tricks', { count })],
    [`${name}_cards`, count === 0 ? t('ahead.no_cards') : t('ahead.cards', { count })],
  ]);
  return {
    ...Object.fromEntries(Object.entries(who).map(([part, ids]) =>
      [part, playerNames(state, [ids ?? []].flat())])),
    ...Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, money.plain(amount)])),
    ...Object.fromEntries(counted),
  };
}

const playerNames = ({ players }, ids) =>
  listNames(ids.map((id) => isolateName(players.find((player) => player.id === id)?.name ?? id)));

const writeNumber = (count, signDisplay = 'auto') =>
  new Intl.NumberFormat(language(), { signDisplay }).format(count).replace('-', '−');
