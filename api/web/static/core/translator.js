// What the form says, in the language of whoever holds the phone.
// A catalog is flat: key → sentence with {holes}, or key → plural forms chosen by {count}.

import { recall, remember } from './device_storage.js';

export const LANGUAGES = { sv: 'Svenska', en: 'English', da: 'Dansk', de: 'Deutsch' };

let catalog = {};
let tongue = 'sv';
const parts = new Set(['']);

export const language = () => tongue;

/** The language chosen before, else the phone's own if we have it, else Swedish. */
export function preferred() {
  const chosen = recall('language');
  if (chosen in LANGUAGES) return chosen;
  for (const wish of navigator.languages ?? []) {
    const short = wish.slice(0, 2).toLowerCase();
    if (short in LANGUAGES) return short;
  }
  return 'sv';
}

export async function speak(chosen) {
  const found = await Promise.all([...parts].map((part) => sentences(part, chosen)));
  catalog = Object.assign({}, ...found);
  tongue = chosen;
  document.documentElement.lang = chosen;
}

/** The sentences of a part of the form that few open first; from now on they are spoken with the rest. */
export async function speakAlso(part) {
  if (parts.has(part)) return;
  const found = await sentences(part, tongue);
  parts.add(part);
  catalog = { ...catalog, ...found };
}

async function sentences(part, chosen) {
  const version = document.querySelector('meta[name=version]').content;
  return (await fetch(`/form/translations/${part}${chosen}.json?v=${encodeURIComponent(version)}`)).json();
}

export async function choose(chosen) {
  await speak(chosen);
  remember('language', chosen);
}

export function t(key, values = {}) {
  let sentence = catalog[key] ?? key;
  if (typeof sentence === 'object') {
    const form = new Intl.PluralRules(tongue).select(values.count);
    sentence = sentence[form] ?? sentence.other;
  }
  return sentence.replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole).replace('kr..', 'kr.');
}

/** "Ada, Bo och Cilla", "Ada, Bo and Cilla". */
export const together = (names) => new Intl.ListFormat(tongue).format(names);

export const weekday = (date = new Date()) => {
  const day = new Intl.DateTimeFormat(tongue, { weekday: 'long' }).format(date);
  return day.charAt(0).toLocaleUpperCase(tongue) + day.slice(1);
};

export const shortDate = (iso) => new Intl.DateTimeFormat(tongue,
  { day: 'numeric', month: 'long' }).format(new Date(iso));

/** Day and time, as long as somebody wants to know when something was written down. */
export const moment = (iso) => new Intl.DateTimeFormat(tongue,
  { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }).format(new Date(iso));

/** A name for use in a sentence: one written from right to left is set apart, or it would turn its neighbours round. */
export const apart = (name) => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
