// Which part of the circle's life is looked at: all of it, this year, or from one day to another.

import { currencyName } from '../../core/money_format.js';
import { t } from '../../core/translator.js';
import { clockTime, dayFields, fieldset, pillGroup } from '../../ui/fields.js';

/** As the server is asked: days where this phone is. */
export function periodQuery({ span, from: start, to: end }) {
  const query = new URLSearchParams(clockTime());
  if (span === 'year') query.set('from', `${new Date().getFullYear()}-01-01`);
  if (span === 'own' && start) query.set('from', start);
  if (span === 'own' && end) query.set('to', end);
  return query.toString();
}

/** Edits `wish` and says when it has `changed`. */
export const periodFields = (wish, changed) => fieldset(t('season.period'), null,
  pillGroup('span', ['all', 'year', 'own'].map((span) => [span, t(`span.${span}`)]), wish.span,
    (span) => { wish.span = span; changed(); }),
  wish.span === 'own' && dayFields(wish, changed));

// Money of one currency is never shown with another's: which one, where there are several.

/** Those of evenings for money, each once, in the order of the evenings. */
export const usedCurrencies = (sessions) =>
  [...new Set(sessions.filter(({ results }) => results !== null).map(({ currency }) => currency))];

/** The chosen one while it is among them; else the latest. */
export const chosenCurrency = (used, chosen) => (used.includes(chosen) ? chosen : used.at(-1) ?? null);

export const currencyChoice = (used, chosen, pick) => used.length > 1
  && fieldset(t('opening.currency'), null,
  pillGroup('currency', used.map((code) => [code, currencyName(code)]), chosen, pick));
