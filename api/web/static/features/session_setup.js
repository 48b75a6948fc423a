// The rules a table may settle for itself, drawn from what the server says there is to settle.
// Those few that every evening is asked first have usual answers here; a new one needs no line.

import { h } from '../ui/elements.js';
import { choice, fieldset, pills } from '../ui/fields.js';
import { currencyNamed, digits, parse, writer } from '../core/money_format.js';
import { t } from '../core/translator.js';

/** Asked in the open, with a few usual answers; money in a currency's smallest unit. */
const USUAL = {
  stake: { SEK: [100, 500, 1000, 2000], EUR: [10, 50, 100, 200], chips: [1, 5, 10, 20] },
  point_value: { SEK: [50, 100, 500], EUR: [5, 10, 20], chips: [1, 5, 10] },
  target: [300, 500, 1000],
  start: [10, 12, 15, 20],
  bet_multiplier: null,
};
const CURRENCIES = ['SEK', 'DKK', 'EUR', 'NOK', 'chips'];
const KRONOR = new Set(['DKK', 'NOK']);
const FIRST = { SEK: 1000, EUR: 50, chips: 10 };

const usualIn = (name, currency) => {
  const usual = USUAL[name];
  return Array.isArray(usual) || !usual ? usual : usual[KRONOR.has(currency) ? 'SEK' : currency];
};

/** What is asked before "more rules". */
export const inTheOpen = (option) => Object.hasOwn(USUAL, option.name);

/** The answer before anybody has given one: as the server has it, but a stake in whole coins. */
export const plain = (option, currency) => (option.unit === 'money' && option.default !== null
  ? FIRST[KRONOR.has(currency) ? 'SEK' : currency] : option.default);

const written = (option, currency) => {
  if (option.unit === 'money') return (value) => writer(currency, usualIn(option.name, currency) ?? []).plain(value);
  return (value) => String(value).replace('-', '−');
};

/** Pills with the usual answers, and a field for any other; `wish.free[name]` is what is being typed. */
export function openQuestion(option, wish, redraw, topic = null) {
  const { name, label } = option;
  const value = wish.options[name] ?? null;
  if (option.type !== 'integer') {
    return fieldset(label, topic, pills(name, option.values.map((one) => [one.value, one.label]), value, (picked) => { wish.options[name] = picked; }));
  }
  const usual = usualIn(name, wish.currency) ?? (option.max - option.min < 5 ? Array.from({ length: option.max - option.min + 1 }, (_, index) => option.min + index) : []);
  const none = option.nullable ? [[null, option.values[0].label]] : [];
  const write = written(option, wish.currency);
  const free = Object.hasOwn(wish.free, name);
  return fieldset(label, topic,
    pills(name, [...none, ...usual.map((one) => [one, write(one)]), ['free', t('opening.other')]], free ? 'free' : value, (picked) => {
      if (picked === 'free') wish.free[name] = '';
      else { delete wish.free[name]; wish.options[name] = picked; }
      redraw(picked === 'free' ? `#free-${name}` : `[name=${name}]:checked`);
    }),
    free && number(option, wish),
    h('small', { class: 'dim' }, option.explanation));
}

/** A number of one's own; empty means none where there may be none, else the usual. */
function number(option, wish) {
  const { name, unit } = option;
  return h('label', { class: 'field' }, h('span', {}, option.label),
    h('input', { id: `free-${name}`, type: 'text', inputmode: unit === 'money' ? 'decimal' : 'numeric', autocomplete: 'off', value: wish.free[name] ?? '',
      'data-pointer': `/options/${name}`, placeholder: option.nullable ? option.values[0].label : String(plain(option, wish.currency)),
      oninput: (event) => { wish.free[name] = event.target.value; } }));
}

export const currencyQuestion = (wish, redraw) => fieldset(t('opening.currency'), null,
  pills('currency', CURRENCIES.map((code) => [code, currencyNamed(code)]), wish.currency, (code) => {
    wish.change(code);
    redraw('[name=currency]:checked');
  }));

export const isCurrency = (code) => CURRENCIES.includes(code);

/** An answer from another time: on its pill again, or in the field where anything else is typed. */
export function answer(option, value, wish) {
  const { name } = option;
  wish.options[name] = value;
  if (option.type !== 'integer' || value === null) return;
  const shown = inTheOpen(option) ? usualIn(name, wish.currency) ?? [value] : [plain(option, wish.currency)];
  if (!shown.includes(value)) wish.free[name] = typedAs(option, value, wish.currency);
}

/** As it would have been typed: "7,50". */
const typedAs = ({ unit }, value, currency) => {
  const places = unit === 'money' ? digits(currency) : 0;
  const text = String(value).padStart(places + 1, '0');
  return text.slice(0, text.length - places) + (places > 0 && value % 10 ** places !== 0 ? `,${text.slice(-places)}` : '');
};

/** Everything else, folded away: each with what it means. */
export const furtherRules = (options, wish) => options.map((option) => {
  const { name, label, explanation } = option;
  if (option.type === 'integer') {
    return h('div', { class: 'ruled' }, number(option, wish), h('small', { class: 'dim' }, explanation));
  }
  return choice({
    name, words: label, help: explanation, value: wish.options[name] ?? option.default,
    values: option.values.map((one) => [one.value, one.label]), pick: (value) => { wish.options[name] = value; },
  });
});

/** The number that was typed; undefined when it is none. */
function typed(option, text, currency) {
  if (text.trim() === '' && inTheOpen(option)) return undefined; // it was asked for, and left open
  if (text.trim() === '') return option.nullable ? null : plain(option, currency);
  if (option.unit === 'money') return parse(text, currency) ?? undefined;
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}

/** What differs from the usual, to be sent; `bad`: the first option whose number cannot be read. */
export function chosen(options, wish) {
  const found = {};
  for (const option of options) {
    const { name } = option;
    const value = Object.hasOwn(wish.free, name) ? typed(option, wish.free[name], wish.currency) : wish.options[name] ?? option.default;
    if (value === undefined) return { bad: name };
    if (value !== option.default) found[name] = value;
  }
  return { found };
}
