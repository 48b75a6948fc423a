// How money changes hands: the ways a currency has, which of them a code can be drawn for, and this table's habit.

import { recall, remember } from '../../core/device_storage.js';

/** What each currency's code needs to know of the receiver, and by which method it is then paid. */
const CODES = {
  SEK: { kind: 'swish', method: 'swish', asks: ['number'] },
  EUR: { kind: 'epc', method: 'bank', asks: ['name', 'iban'] },
};

export const codeFor = (currency) => CODES[currency] ?? null;

const USUAL = { SEK: ['cash', 'swish', 'bank'], DKK: ['cash', 'mobilepay', 'bank'], NOK: ['cash', 'vipps', 'bank'], EUR: ['cash', 'bank', 'mobilepay'] };

/** The ways money changes hands in a currency; chips are only pushed across the table. */
export const methodsOf = (currency) => (currency === 'chips' ? [] : [...(USUAL[currency] ?? ['cash', 'bank']), 'other']);

/** How this table paid the last time, on this phone. */
export const habit = (id) => recall(`method.${id}`);
export const keepHabit = (id, method) => remember(`method.${id}`, method);
