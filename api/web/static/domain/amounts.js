// Amounts: money in whole minor units, and points and scores, whole numbers with a real minus sign, kept for
// players or for two partners.

// The decimals of currencies that do not have two, as the server has them (ledger/events/currency.py).
// Browsers know others for some currencies: an amount would be a hundred times what was meant.
const CURRENCIES_BY_DIGITS = {
  0: 'chips ADP AFN ALL BIF BYR CLP DJF ESP GNF IQD IRR ISK ITL JPY KMF KPW KRW LAK LBP LUF MGA MGF MMK '
    + 'MRO PYG RSD RWF SLL SOS STD SYP TMM TRL UGX UYI VND VUV XAF XOF XPF YER ZMK ZWD',
  3: 'BHD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};
const digitsByCurrency = new Map(Object.entries(CURRENCIES_BY_DIGITS).flatMap(([digits, currencies]) =>
  currencies.split(' ').map((currency) => [currency, Number(digits)])));

/** The number of decimals of a currency; chips have none. */
export const currencyDigits = (currency) => digitsByCurrency.get(currency) ?? 2;

/** Currencies whose amounts are written with "kr". */
export const KRONA_CURRENCIES = new Set(['SEK', 'DKK', 'NOK', 'ISK']);
const SIGNS = { EUR: '€', GBP: '£', USD: '\\$' };

// Matches a sign, whole coins in digits or groups of three, and the rest; the unit may stand before or after.
function sumPattern(currency) {
  const unit = `(?:${currency}|${KRONA_CURRENCIES.has(currency) ? 'kr\\.?' : SIGNS[currency] ?? currency})?`;
  const number = '(\\d{1,9}|\\d{1,3}(?:\\s\\d{3}){1,2})(?:[.,](\\d{1,4}))?';
  return new RegExp(`^\\s*([+−-]?)\\s*${unit}\\s*${number}\\s*${unit}\\s*$`, 'i');
}

/** "−1 012,50 kr" → −101250; null if it is no amount of this currency. Computes with whole numbers only. */
export function parseSum(text, currency) {
  const [match, digits] = [sumPattern(currency).exec(text), currencyDigits(currency)];
  if (!match || (match[3] ?? '').length > digits) return null;
  const units = match[2].replace(/\s/g, '') + (match[3] ?? '').padEnd(digits, '0');
  return Number(units) * (['−', '-'].includes(match[1]) ? -1 : 1);
}

/** "12,50" → 1250; null if the text is not an amount, which has no sign. */
export function parseAmount(text, currency) {
  const sum = /[+−-]/.test(text) ? null : parseSum(text, currency);
  return sum >= 1 ? sum : null;
}

export const sumOf = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** What lies on the table: the pot and the paid bets; a bet that is owed does not count. */
export const amountOnTable = ({ pot, bets }) =>
  (pot ?? 0) + sumOf((bets ?? []).filter(({ paid }) => paid !== false).map(({ amount }) => amount));

/**
 * The amount that the next deal is played for: sent by the server in an open deal, computed while waiting.
 */
export function amountPlayedFor(state) {
  if (state.amount_played_for !== null) return state.amount_played_for;
  const pot = state.options.amount_basis === 'ante_only' ? 0 : state.pot;
  return pot + state.options.stake + (state.bets[0]?.amount ?? 0);
}

/** Whether the session keeps scores instead of a pot. */
export const isPointGame = (state) => state.scores !== null && state.scores !== undefined;

export const formatPoints = (points) => String(points).replace('-', '−');
export const formatSignedPoints = (points) => (points > 0 ? `+${points}` : formatPoints(points));

/** The players of a side: `p1+p3` are two, `p2` is one. */
export const sideMembers = (contestant) => contestant.split('+');

/** Whose score a player's tricks go to: his own, or his side's. */
export const contestantOf = (state, id) => Object.keys(state.scores)
  .find((contestant) => sideMembers(contestant).includes(id));

/** The result of each player; payments between players do not change it. */
export const sessionResults = ({ results, balances }) => results ?? balances;

export const signClass = (amount) => (amount < 0 ? 'minus' : amount > 0 ? 'plus' : '');

/** The sums of a closed session, results and scores, as one text, to compare them. */
export const sumsText = ({ results, scores }) => JSON.stringify([results ?? null, scores ?? null]);

/** Whether the session is closed with these sums. */
export const isSameClosing = (state, sums) => state.status === 'closed' && sumsText(state) === sums;
