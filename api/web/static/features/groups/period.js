// Which part of the circle's life is looked at: all of it, this year, or from one day to another.

import { currencyName } from '../../core/money_format.js';
import { t } from '../../core/translator.js';
import { clockTime, dayFields, fieldset, pillGroup } from '../../ui/fields.js';

/** As the server is asked: days where this phone is. */
export function periodQuery({ span, from, to }) {
  const wanted = new URLSearchParams(clockTime());
  if (span === 'year') wanted.set('from', `${new Date().getFullYear()}-01-01`);
  if (span === 'own' && from) wanted.set('from', from);
  if (span === 'own' && to) wanted.set('to', to);
  return wanted.toString();
}

/** Edits `wish` and says when it has `changed`. */
export const periodFields = (wish, changed) => fieldset(t('season.period'), null,
  pillGroup('span', ['all', 'year', 'own'].map((span) => [span, t(`span.${span}`)]), wish.span,
    (span) => { wish.span = span; changed(); }),
  wish.span === 'own' && dayFields(wish, changed));

// Money of one currency is never shown with another's: which one, where there are several.

/** Those of evenings for money, each once, in the order of the evenings. */
export const usedCurrencies = (nights) =>
  [...new Set(nights.filter(({ results }) => results !== null).map(({ currency }) => currency))];

/** The chosen one while it is among them; else the latest. */
export const chosenCurrency = (known, chosen) => (known.includes(chosen) ? chosen : known.at(-1) ?? null);

export const currencyChoice = (known, chosen, pick) => known.length > 1
  && fieldset(t('opening.currency'), null,
  pillGroup('currency', known.map((code) => [code, currencyName(code)]), chosen, pick));
