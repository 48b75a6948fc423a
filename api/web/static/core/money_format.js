// Amounts as people read them: whole minor units in, "1 234,50 kr" out. Nothing is ever rounded.

import { currencyDigits } from '../domain/amounts.js';
import { language, t } from './translator.js';

const KRONA_CURRENCIES = new Set(['SEK', 'DKK', 'NOK', 'ISK']);

// English readers in Sweden write "10 kr", not "kr 10".
function currencyLocale(currency) {
  if (language() === 'en') return KRONA_CURRENCIES.has(currency) ? 'en-SE' : 'en-GB';
  return language();
}

/** The name of a currency where one is chosen. */
export const currencyName = (currency) => (currency === 'chips' ? t('opening.chips') : currency);

/** A writer of amounts for one session; `,00` is left out only when every amount given here is whole. */
export function moneyWriter(currency, amounts = []) {
  const unit = 10 ** currencyDigits(currency);
  const isWhole = amounts.every((amount) => amount % unit === 0);
  const style = currency === 'chips' ? {} : { style: 'currency', currency, currencyDisplay: 'narrowSymbol' };

  const places = (amount) => (isWhole && amount % unit === 0 ? 0 : currencyDigits(currency));
  const write = (amount, sign) => new Intl.NumberFormat(currencyLocale(currency), { ...style,
    minimumFractionDigits: places(amount), maximumFractionDigits: currencyDigits(currency),
    signDisplay: sign })
    .formatToParts(amount / unit)
    .map((part) => (part.type === 'minusSign' ? '−' : part.value)).join('');

  const named = (amount, text) =>
    (currency === 'chips' ? t('money.chips', { count: Math.abs(amount), amount: text }) : text);
  return {
    plain: (amount) => named(amount, write(amount, 'auto')),
    signed: (amount) => named(amount, write(amount, 'exceptZero')),
    bare: (amount) => write(amount, 'exceptZero').replace(/[^\d\s.,+−]/g, '').trim().replace(/\.$/, ''),
  };
}

/** `more`: amounts shown beside those of the state, so that all are written alike. */
export function sessionMoneyWriter(state, more = []) {
  return moneyWriter(state.currency, [
    ...more, state.options.stake ?? state.options.point_value ?? 0, state.pot ?? 0,
    ...Object.values(state.balances ?? {}), ...Object.values(state.results ?? {}),
    ...(state.bets ?? []).map((bet) => bet.amount),
  ]);
}
