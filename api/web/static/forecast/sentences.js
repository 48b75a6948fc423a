// Why each krona or point moves, and what a deal came to, in the words that the server will use for it.
// Does not know the rules; `code` chooses the sentence, the operands fill it.

import { writer } from '../core/money_format.js';
import { apart, language, t, together } from '../core/translator.js';

/** One sentence for a posting. */
export function why(state, { code, amount, unit, because }) {
  const moved = unit === 'points' ? t('ahead.points', { count: amount, points: number(amount) }) : writer(state.currency).plain(amount);
  return t(`ahead.why.${code}`, { ...operands(state, because), amount: moved });
}

/** One sentence for the whole deal, as `reckon` gave it, and who deals next. */
export function sentence(state, { code, outcome, postings, each = 0, next }) {
  const { declarers, winner, la_vola: announcer, points = {}, game_won: champions = [] } = outcome;
  const scores = Object.entries(points).map(([keeper, count]) => t('ahead.score', { who: names(state, keeper.split('+')), points: number(count, 'exceptZero') }));
  return t(`ahead.outcome.${code}`, {
    ...operands(state, {
      who: { winner, announcer, next, declarers, failed: declarers.filter((id) => id !== winner), champions: champions.flatMap((keeper) => keeper.split('+')) },
      amounts: { played_for: state.amount_played_for ?? 0, each, won: postings.filter(taken).reduce((sum, { amount }) => sum + amount, 0) },
    }),
    scores: scores.join(', '),
  });
}

/** By the winner: the pot, and the bet; what he owes on it himself moves nothing. */
const taken = ({ code }) => ['pot_taken', 'stake_taken', 'bet_taken', 'claim_taken'].some((one) => code.startsWith(one));

/** Operands as the sentences have them: names, amounts, numbers, and numbers with what they count. */
function operands(state, { who = {}, amounts = {}, numbers = {} }) {
  const money = writer(state.currency);
  const counted = Object.entries(numbers).flatMap(([name, count]) => [
    [name, count], [`${name}_overtricks`, t('points.bags', { count })],
    [`${name}_tricks`, count === 0 ? t('ahead.no_tricks') : t('record.tricks', { count })],
    [`${name}_cards`, count === 0 ? t('ahead.no_cards') : t('ahead.cards', { count })],
  ]);
  return {
    ...Object.fromEntries(Object.entries(who).map(([part, ids]) => [part, names(state, [ids ?? []].flat())])),
    ...Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, money.plain(amount)])),
    ...Object.fromEntries(counted),
  };
}

const names = ({ players }, ids) => together(ids.map((id) => apart(players.find((one) => one.id === id)?.name ?? id)));

const number = (count, signDisplay = 'auto') => new Intl.NumberFormat(language(), { signDisplay }).format(count).replace('-', '−');
