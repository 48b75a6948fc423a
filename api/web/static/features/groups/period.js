// The period of a group's statistics (all time, this year, or between two days), and their currency.
// Amounts of different currencies are never shown together.

import { currencyName, t } from '../../core/translator.js';
import { clockTime, dayFields, fieldset, pillGroup } from '../../ui/fields.js';

/** The query string for a period, with this device's time zone, which decides where a day begins. */
export function periodQuery({ span, from: start, to: end }) {
  const query = new URLSearchParams(clockTime());
  if (span === 'year') query.set('from', `${new Date().getFullYear()}-01-01`);
  if (span === 'own' && start) query.set('from', start);
  if (span === 'own' && end) query.set('to', end);
  return query.toString();
}

/** Edits `wish`: {span: 'all', 'year' or 'own', from, to}; calls `changed()` after every edit. */
export const periodFields = (wish, changed) => fieldset(t('season.period'), null,
  pillGroup('span', ['all', 'year', 'own'].map((span) => [span, t(`span.${span}`)]), wish.span,
    (span) => { wish.span = span; changed(); }),
  wish.span === 'own' && dayFields(wish, changed));

/** The currencies of the sessions played for money, each once, in the order of the sessions. */
export const usedCurrencies = (sessions) =>
  [...new Set(sessions.filter(({ results }) => results !== null).map(({ currency }) => currency))];

/** The chosen currency if it is in use, else the latest one, or null. */
export const chosenCurrency = (used, chosen) => (used.includes(chosen) ? chosen : used.at(-1) ?? null);

/** Pills for the currency, or false if there are fewer than two. */
export const currencyChoice = (used, chosen, pick) => used.length > 1
  && fieldset(t('opening.currency'), null,
  pillGroup('currency', used.map((code) => [code, currencyName(code)]), chosen, pick));
