// Money as the table says it: whole minor units in, "1 234,50 kr" out. Nothing is ever rounded.

import { language, t } from './translator.js';

const KRONOR = new Set(['SEK', 'DKK', 'NOK', 'ISK']);

/** How many digits the currency has after the comma; chips have none. */
export function digits(currency) {
  if (currency === 'chips') return 0;
  return new Intl.NumberFormat('en', { style: 'currency', currency })
    .resolvedOptions().maximumFractionDigits;
}

// English readers at a Nordic table write "10 kr", not "kr 10".
function locale(currency) {
  if (language() === 'en') return KRONOR.has(currency) ? 'en-SE' : 'en-GB';
  return language();
}

/** What the currency is called where one is chosen. */
export const currencyNamed = (currency) => (currency === 'chips' ? t('opening.chips') : currency);

/** A writer of amounts for one session; `,00` goes only when every amount given here is whole. */
export function writer(currency, amounts = []) {
  const unit = 10 ** digits(currency);
  const whole = amounts.every((amount) => amount % unit === 0);
  const style = currency === 'chips' ? {} : { style: 'currency', currency, currencyDisplay: 'narrowSymbol' };

  const places = (amount) => (whole && amount % unit === 0 ? 0 : digits(currency));
  const write = (amount, sign) => new Intl.NumberFormat(locale(currency), { ...style,
    minimumFractionDigits: places(amount), maximumFractionDigits: digits(currency), signDisplay: sign })
    .formatToParts(amount / unit)
    .map((part) => (part.type === 'minusSign' ? '−' : part.value)).join('');

  const named = (amount, text) => (currency === 'chips' ? t('money.chips', { count: Math.abs(amount), amount: text }) : text);
  return {
    plain: (amount) => named(amount, write(amount, 'auto')),
    signed: (amount) => named(amount, write(amount, 'exceptZero')),
    bare: (amount) => write(amount, 'exceptZero').replace(/[^\d\s.,+−]/g, '').trim().replace(/\.$/, ''),
  };
}

/** `more`: amounts shown beside those of the state, so that all of them are written alike. */
export function writerOf(state, more = []) {
  return writer(state.currency, [
    ...more, state.options.stake ?? state.options.point_value ?? 0, state.pot ?? 0,
    ...Object.values(state.balances ?? {}), ...Object.values(state.results ?? {}), ...(state.bets ?? []).map((bet) => bet.amount),
  ]);
}

/** "12,50" → 1250; null when it is not an amount. Text all the way: 0.1 + 0.2 never happens. */
export function parse(text, currency) {
  const places = digits(currency);
  const found = /^\s*(\d{1,9})(?:[.,](\d{1,2}))?\s*$/.exec(text);
  if (!found || (found[2] ?? '').length > places) return null;
  const amount = Number(found[1] + (found[2] ?? '').padEnd(places, '0'));
  return amount >= 1 ? amount : null;
}

/** What lies on the table: the pot, and the bets that are paid; a bet still owed lies nowhere. */
export const lying = ({ pot, bets }) => (pot ?? 0) + (bets ?? []).reduce((sum, bet) => sum + (bet.paid === false ? 0 : bet.amount), 0);

/** The sum the next deal is about: said by the server in an open deal, told in advance while waiting. */
export function playedFor(state) {
  if (state.amount_played_for !== null) return state.amount_played_for;
  const pot = state.options.amount_basis === 'ante_only' ? 0 : state.pot;
  return pot + state.options.stake + (state.bets[0]?.amount ?? 0);
}
