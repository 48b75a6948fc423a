// The translator: sentences, names, days and amounts in the reader's language. A catalog is flat: a key leads
// to a sentence with {placeholders} and plural forms, or to whole sentences chosen by {count}. Each language
// has two catalogs: `sv.json` with the sentences of the first screens, and `sv.more.json` with the others,
// such as the help texts. The server puts the words of the games into both (api/web/assets.py).

import { currencyDigits, KRONA_CURRENCIES } from '../domain/amounts.js';
import { GAMES } from '../domain/games.js';
import { readItem, writeItem } from './device_storage.js';
import { Unreached } from './request_errors.js';

export const LANGUAGES = { sv: 'Svenska', en: 'English', da: 'Dansk', de: 'Deutsch' };

const CATALOGS = new URL('../../translations/', import.meta.url);

let catalog = {};
let spokenLanguage = 'sv';
let requestedLanguage = 'sv'; // the last one that was to be loaded
let isComplete = false; // whether the second catalog is loaded

export const language = () => spokenLanguage;

// Making a formatter takes a hundred times as long as using one, and each screen formats dozens of values.
const formatters = new Map();

/** A formatter of `Intl`, by the name of its class; one is kept for each locale and options. */
function formatter(kind, locale, options) {
  const key = JSON.stringify([kind, locale, options]);
  if (!formatters.has(key)) formatters.set(key, new Intl[kind](locale, options));
  return formatters.get(key);
}

/** The language chosen before, else the browser's if there is a catalog, else Swedish. */
export function preferredLanguage() {
  const chosen = readItem('language');
  if (chosen in LANGUAGES) return chosen;
  for (const tag of navigator.languages ?? []) {
    const short = tag.slice(0, 2).toLowerCase();
    if (short in LANGUAGES) return short;
  }
  return 'sv';
}

const CATALOG_TIMEOUT_MS = 12_000;

/** Throws Unreached when the server cannot be reached, or is too busy and answers with something else. */
async function fetchCatalog(name) {
  const signal = AbortSignal.timeout(CATALOG_TIMEOUT_MS);
  const answer = await fetch(new URL(`${name}.json`, CATALOGS), { signal }).catch(() => null);
  const sentences = answer?.ok ? await answer.json().catch(() => null) : null;
  if (sentences === null) throw new Unreached(name);
  return sentences;
}

export async function loadLanguage(chosen) {
  requestedLanguage = chosen;
  const wasComplete = isComplete;
  const names = wasComplete ? [chosen, `${chosen}.more`] : [chosen];
  const catalogs = await Promise.all(names.map(fetchCatalog));
  if (chosen !== requestedLanguage) return; // another one has been chosen meanwhile
  if (wasComplete !== isComplete) return loadLanguage(chosen); // loaded meanwhile, in the other language
  catalog = Object.assign({}, ...catalogs);
  spokenLanguage = chosen;
  document.documentElement.lang = chosen;
}

/** Loads the second catalog, once. Throws Unreached when the server cannot be reached. */
export async function loadAllSentences() {
  if (isComplete) return;
  const chosen = spokenLanguage;
  const name = `${chosen}.more`;
  const sentences = await fetchCatalog(name);
  if (chosen !== spokenLanguage) return loadAllSentences();
  isComplete = true;
  catalog = { ...catalog, ...sentences };
}

export async function chooseLanguage(chosen) {
  await loadLanguage(chosen);
  if (chosen === spokenLanguage) writeItem('language', chosen);
}

export function t(key, values = {}) {
  let sentence = catalog[key] ?? key;
  if (typeof sentence === 'object') sentence = sentence[pluralRule(values.count)] ?? sentence.other;
  if (!sentence.includes('{')) return sentence;
  return sentence.replace(PLURAL, (_, name, forms) => choosePlural(forms, values[name]))
    .replace(HOLE, (hole, name, stop) => withOneStop(values[name] ?? `{${name}}`, stop));
}

// "{taken, plural, =0 {no tricks} one {# trick} other {# tricks}}", as in ICU messages.
const PLURAL = /\{(\w+), plural,((?: (?:=\d+|[a-z]+) \{[^{}]*\})+)\}/g;
const PLURAL_FORM = /(=\d+|[a-z]+) \{([^{}]*)\}/g;
const HOLE = /\{(\w+)\}(\.?)/g;

const pluralRule = (count) => formatter('PluralRules', spokenLanguage).select(count);

function choosePlural(formsText, count) {
  const forms = Object.fromEntries([...formsText.matchAll(PLURAL_FORM)]
    .map(([, rule, form]) => [rule, form]));
  return (forms[`=${count}`] ?? forms[pluralRule(count)] ?? forms.other).replace('#', formatNumber(count));
}

/** An abbreviation at the end of a sentence, "10 kr.", has its full stop already. */
const withOneStop = (value, stop) => (String(value).endsWith('.') ? value : `${value}${stop}`);

export const formatNumber = (count, signDisplay = 'auto') =>
  formatter('NumberFormat', spokenLanguage, { signDisplay }).format(count).replace('-', '−');

/** "50 %", in English "50%". */
export const formatPercent = (share) =>
  formatter('NumberFormat', spokenLanguage, { style: 'percent' }).format(share);

/** The name of a game; empty for one that this form does not know. */
export const gameName = (key) => (GAMES.includes(key) ? t(`game.${key}`) : '');

// English readers here write "29 November, 20:15" and "Ada, Bo and Cilla", as the British do.
const writtenLanguage = () => (spokenLanguage === 'en' ? 'en-GB' : spokenLanguage);

/** "Ada, Bo och Cilla", "Ada, Bo and Cilla". */
export const listNames = (names) => formatter('ListFormat', writtenLanguage()).format(names);

export const weekdayName = (date = new Date()) => {
  const day = formatter('DateTimeFormat', spokenLanguage, { weekday: 'long' }).format(date);
  return day.charAt(0).toLocaleUpperCase(spokenLanguage) + day.slice(1);
};

const dateFormatter = (style) => formatter('DateTimeFormat', writtenLanguage(), style);

/** The day of a moment where this device is, or a calendar day, `2024-01-05`, which is the same anywhere. */
export const formatDay = (iso) => dateFormatter(
  { day: 'numeric', month: 'long', ...(iso.length === CALENDAR_DAY.length && { timeZone: 'UTC' }) })
  .format(new Date(iso));

const CALENDAR_DAY = 'YYYY-MM-DD';

/** A calendar day with its year, from `2024-01-05`. */
export const formatDate = (date) => dateFormatter({ dateStyle: 'medium', timeZone: 'UTC' })
  .format(new Date(date));

/** Day and time of a recorded change. */
export const formatMoment = (iso) => dateFormatter(
  { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }).format(new Date(iso));

/**
 * A name for use in a sentence: one written from right to left is isolated, or it would reorder its
 * neighbours.
 */
export const isolateName = (name) => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

// Erased names: the server sends a number in Swedish, "Spelare 3" for p3 and "Medlem 3" for m3, which is
// translated when it arrives. In the balances of a group, p3 of the second session is e2.p3.
const PERSON_ID = /^(?:e\d+\.)?([pm])(\d+)$/;
const SENT_WORDS = { p: 'Spelare', m: 'Medlem' };

/** Translates the name of a received player or member, if it is erased; returns the object. */
export function translateErasedName(received) {
  const [, kind, number] = PERSON_ID.exec(received?.id) ?? [];
  if (kind && received.name === `${SENT_WORDS[kind]} ${number}`) received.name = erasedName(kind, number);
  return received;
}

const erasedName = (kind, number) => t(`erased.${SENT_WORDS[kind]}`, { number });

/** Whether a player or member has a number instead of a name. */
export const isNameErased = ({ id, name }) => name === erasedName(id[0], id.slice(1));

// English readers in Sweden write "10 kr", not "kr 10".
function currencyLocale(currency) {
  if (language() === 'en') return KRONA_CURRENCIES.has(currency) ? 'en-SE' : 'en-GB';
  return language();
}

/** The name of a currency where one is chosen. */
export const currencyName = (currency) => (currency === 'chips' ? t('opening.chips') : currency);

// Each redraw writes the same few amounts again.
const writtenAmounts = new Map();

/** A writer of amounts for one session; `,00` is left out only when every amount given here is whole. */
export function moneyWriter(currency, amounts = []) {
  const unit = 10 ** currencyDigits(currency);
  const isWhole = amounts.every((amount) => amount % unit === 0);
  const style = currency === 'chips' ? {} : { style: 'currency', currency, currencyDisplay: 'narrowSymbol' };

  const places = (amount) => (isWhole && amount % unit === 0 ? 0 : currencyDigits(currency));
  const format = (amount, sign) => formatter('NumberFormat', currencyLocale(currency), { ...style,
    minimumFractionDigits: places(amount), maximumFractionDigits: currencyDigits(currency),
    signDisplay: sign })
    .formatToParts(amount / unit)
    .map((part) => (part.type === 'minusSign' ? '−' : part.value)).join('');
  const write = (amount, sign) => {
    const key = [currencyLocale(currency), currency, places(amount), sign, amount].join();
    if (!writtenAmounts.has(key)) writtenAmounts.set(key, format(amount, sign));
    return writtenAmounts.get(key);
  };

  const withUnit = (amount, text) =>
    (currency === 'chips' ? t('money.chips', { count: Math.abs(amount), amount: text }) : text);
  return {
    plain: (amount) => withUnit(amount, write(amount, 'auto')),
    signed: (amount) => withUnit(amount, write(amount, 'exceptZero')),
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
