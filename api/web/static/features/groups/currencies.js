// Money of one currency is never shown with another's: which one, where there are several.

import { fieldset, pills } from '../../ui/fields.js';
import { currencyNamed } from '../../core/money_format.js';
import { t } from '../../core/translator.js';

/** Those of evenings for money, each once, in the order of the evenings. */
export const currenciesOf = (nights) => [...new Set(nights.filter(({ results }) => results !== null).map(({ currency }) => currency))];

/** The chosen one while it is among them; else the latest. */
export const chosenOf = (known, chosen) => (known.includes(chosen) ? chosen : known.at(-1) ?? null);

export const currencies = (known, chosen, pick) => known.length > 1 && fieldset(t('opening.currency'), null,
  pills('currency', known.map((code) => [code, currencyNamed(code)]), chosen, pick));
