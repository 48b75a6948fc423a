// The forecast of Danish Polskpas: one soloist plays for the whole pot, and doubles it when he fails
// (docs/rules.md §2.3).

import { otherPlayers, readFiveTricks } from '../domain/deal.js';
import { MAX_AMOUNT, POT, playerAccount, posting } from './forecast.js';

/** See forecast.js. */
export function forecastPolskpas(state, actions) {
  const { seats, options, amount_played_for: playedFor } = state;
  const deal = readFiveTricks(state, actions, {
    call: 'vole', soloist: true, playOn: !options.vole_stop_at_loss,
    fits: (result, { declarers: [soloist] }) => isPossible(result, seats, soloist),
  });
  if (deal === null || 2 * playedFor > MAX_AMOUNT) return null;
  if (deal.passed) return dealEnd('all_pass', {});
  return deal.vola || deal.result?.vole ? voleEnd(state, deal) : ordinaryEnd(state, deal);
}

/** Only the soloist can announce the vole, and with all five tricks he has won. */
const isPossible = ({ winner, la_vola: laVola, vole: call }, seats, soloist) => laVola === undefined
  && seats.includes(winner)
  && (!call || (call.player === soloist && (!call.won || winner === soloist)));

const dealEnd = (type, facts, { code = type, postings = [], ...rest } = {}) => ({
  outcome: { type, declarers: [], winner: null, la_vola: null, tricks: [], ...facts }, code, postings,
  ...rest,
});

/** The soloist takes the pot, or pays as much into it. */
function ordinaryEnd(state, { declarers, winner, tricks }) {
  const facts = { declarers, winner, tricks };
  return winner === declarers[0]
    ? dealEnd('won', facts, { code: 'won_by_declarer', postings: [potPosting(state, winner)] })
    : lostEnd(state, facts, 'lost');
}

/** The penalty of a failed game goes into the pot, whose old content may first go to the winner (A-DK-1). */
function lostEnd(state, facts, code) {
  const { options, amount_played_for: amount, deal: { number } } = state;
  const [loser] = facts.declarers;
  const toWinner = options.opponent_win === 'winner_takes';
  const penalty = posting(playerAccount(loser), POT, amount, 'penalty_paid',
    { who: { loser }, numbers: { deal: number } });
  return dealEnd('lost', facts, { code: toWinner ? `${code}_to_winner` : code,
    postings: toWinner ? [potPosting(state, facts.winner), penalty] : [penalty] });
}

function voleEnd(state, { declarers, winner, tricks, result }) {
  const { seats, options, amount_played_for: playedFor } = state;
  const [soloist] = declarers;
  const facts = { declarers, winner, la_vola: soloist, tricks };
  if (result ? result.vole.won : tricks.every((id) => id === soloist)) {
    const amount = options.vole_amount === 'pot' ? playedFor : options.stake; // A-DK-2
    const sweepsPot = options.vole_sweeps_pot; // A-DK-3
    const legs = otherPlayers(soloist, seats).map((payer) => ({ from: payer, to: soloist, amount }));
    return dealEnd('la_vola_won', facts, { code: sweepsPot ? 'vole_won' : 'vole_won_pot_stays',
      postings: sweepsPot ? [potPosting(state, soloist)] : [], legs, each: amount });
  }
  // A deal stopped at the first lost trick has no winner, and nothing is paid (A-DK-5).
  if (options.vole_stop_at_loss) return dealEnd('vole_not_all', { ...facts, winner: null });
  if (winner === soloist) return dealEnd('vole_not_all', facts);
  // A-DK-4
  return options.vole_lost_outright === 'void' ? dealEnd('la_vola_lost', facts, { code: 'vole_void' })
    : lostEnd(state, facts, 'vole_lost');
}

const potPosting = ({ amount_played_for: amount, deal: { number } }, winner) =>
  posting(POT, playerAccount(winner), amount, 'pot_taken', { who: { winner }, numbers: { deal: number } });
