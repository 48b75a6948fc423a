// An amount as somebody types it, and as a bank's app takes it: digits and the comma of the language.

import { digits } from '../../core/money_format.js';
import { language } from '../../core/translator.js';

/** 4000 → "40", 1250 → "12,50". Text all the way, as when it is read. */
export function amountTyped(amount, currency) {
  const places = digits(currency);
  const text = String(amount).padStart(places + 1, '0');
  const [whole, parts] = places === 0 ? [text, ''] : [text.slice(0, -places), text.slice(-places)];
  return /^0*$/.test(parts) ? whole : `${whole}${language() === 'en' ? '.' : ','}${parts}`;
}
