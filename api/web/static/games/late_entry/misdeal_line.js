// A misdeal as a line: `!`. The deal is opened and voided, with its stake; who deals next is agreed (§7,
// A-PP-16). It is the same in every game.

import { seatsFrom } from '../../domain/deal.js';

const MISDEAL = '!';

export const isMisdealLine = (line) => line.trim() === MISDEAL;

/** Who deals after a misdeal: the same player, or the next. */
export function dealerAfterMisdeal({ seats, options, deal: { dealer } }) {
  return options.misdeal_policy === 'next_dealer' ? seatsFrom(dealer, seats)[1] : dealer;
}
