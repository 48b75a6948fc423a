// Setting up a session: the fields for its options, currency, players and dealer; and a rematch, with the
// title, the seats and the next dealer of another session.
// The server lists each game's options. Only the few shown up front have suggested values here.

import { getJson } from '../core/api_client.js';
import { keepTypedEntry, readItem, roleInSession, writeItem } from '../core/device_storage.js';
import { currencyName, language, moneyWriter, t } from '../core/translator.js';
import { formatPoints, parseAmount } from '../domain/amounts.js';
import { buildElement, h, rowLink } from '../ui/elements.js';
import { choiceField, fieldset, formatTypedAmount, numbersUpTo, pillGroup } from '../ui/fields.js';
import { actionButton, iconButton, refillPart } from '../ui/page.js';
import { playerToken, tokenLetters } from '../ui/player_tokens.js';

export async function fetchRulebook() {
  const requestedLanguage = language();
  try {
    const { games } = await getJson('/v1/games');
    writeItem(`games.${requestedLanguage}`, games);
    return games;
  } catch (error) {
    const stored = readItem(`games.${requestedLanguage}`);
    if (stored === null) throw error;
    return stored;
  }
}

/**
 * Suggested values for the options shown before "more rules": by currency for money, in the currency's
 * smallest unit; null where the option is shown without suggestions.
 */
const USUAL_VALUES = {
  stake: { SEK: [100, 500, 1000, 2000], EUR: [10, 50, 100, 200], chips: [1, 5, 10, 20] },
  point_value: { SEK: [50, 100, 500], EUR: [5, 10, 20], chips: [1, 5, 10] },
  target: [300, 500, 1000],
  start: [10, 12, 15, 20],
  bet_multiplier: null,
};
export const OFFERED_CURRENCIES = ['SEK', 'DKK', 'EUR', 'NOK', 'GBP', 'chips'];
const PRICED_LIKE = { DKK: 'SEK', NOK: 'SEK', GBP: 'EUR' };
const DEFAULT_STAKES = { SEK: 1000, EUR: 50, chips: 10 };

const usualValues = (name, currency) => {
  const usual = USUAL_VALUES[name];
  return Array.isArray(usual) || !usual ? usual : usual[PRICED_LIKE[currency] ?? currency];
};

/** Whether an option is shown before "more rules". */
export const isAskedFirst = (option) => Object.hasOwn(USUAL_VALUES, option.name);

/** The value an option starts with: the server's default, or for amounts of money one in whole coins. */
export const defaultValue = (option, currency) => (option.unit === 'money' && option.default !== null
  ? DEFAULT_STAKES[PRICED_LIKE[currency] ?? currency] : option.default);

const valueFormatter = (option, currency) => {
  if (option.unit !== 'money') return formatPoints;
  const suggested = usualValues(option.name, currency) ?? [];
  return (value) => moneyWriter(currency, suggested).plain(value);
};

/**
 * Pills with the suggested values, and a text field for any other. `setup.options[name]` is the chosen value,
 * `setup.free[name]` the text typed into the field, absent while a pill is chosen.
 */
export function openOptionField(option, setup, redraw, topic) {
  const { name, label } = option;
  const value = setup.options[name] ?? null;
  if (option.type !== 'integer') {
    const choices = option.values.map((choice) => [choice.value, choice.label]);
    return fieldset(label, topic,
      pillGroup(name, choices, value, (picked) => { setup.options[name] = picked; }));
  }
  const usual = usualValues(name, setup.currency)
    ?? (option.max - option.min < 5 ? numbersUpTo(option.max, option.min) : []);
  const noValue = option.nullable ? [[null, option.values[0].label]] : [];
  const write = valueFormatter(option, setup.currency);
  const free = Object.hasOwn(setup.free, name);
  const choices = [...noValue, ...usual.map((amount) => [amount, write(amount)]),
    ['free', t('opening.other')]];
  const pick = (picked) => {
    if (picked === 'free') setup.free[name] = '';
    else { delete setup.free[name]; setup.options[name] = picked; }
    redraw(picked === 'free' ? `#free-${name}` : `[name=${name}]:checked`);
  };
  return fieldset(label, topic,
    pillGroup(name, choices, free ? 'free' : value, pick),
    free && numberField(option, setup),
    h('small', { class: 'muted' }, option.explanation));
}

/** A field for any number. Left empty, it means "none" for a nullable option, else the default. */
function numberField(option, setup) {
  const { name, unit } = option;
  return h('label', { class: 'field' }, h('span', {}, option.label),
    h('input', {
      id: `free-${name}`, type: 'text', inputmode: unit === 'money' ? 'decimal' : 'numeric',
      autocomplete: 'off', value: setup.free[name] ?? '', 'data-pointer': `/options/${name}`,
      placeholder: option.nullable ? option.values[0].label
        : formatTypedValue(option, defaultValue(option, setup.currency), setup.currency),
      oninput: (event) => { setup.free[name] = event.target.value; },
    }));
}

export const currencyField = (setup, redraw) => fieldset(t('opening.currency'), null,
  pillGroup('currency', OFFERED_CURRENCIES.map((code) => [code, currencyName(code)]), setup.currency,
    (code) => {
      setup.change(code);
      redraw('[name=currency]:checked');
    }));

export const isKnownCurrency = (code) => OFFERED_CURRENCIES.includes(code);

const CURRENCY_OF_LANGUAGE = { sv: 'SEK', en: '', da: 'DKK', de: 'EUR' };
const CURRENCY_OF_ZONE = { 'Europe/Stockholm': 'SEK', 'Europe/Copenhagen': 'DKK', 'Europe/Oslo': 'NOK',
  'Europe/London': 'GBP' };

/** The currency of the first session on this device. English is read anywhere, so its time zone decides. */
export function firstCurrency() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return CURRENCY_OF_LANGUAGE[language()] || CURRENCY_OF_ZONE[timeZone]
    || (timeZone?.startsWith('Europe/') ? 'EUR' : 'chips');
}

/** Puts a value from an earlier session back: on its pill, or in the text field if no pill has it. */
export function restoreAnswer(option, value, setup) {
  const { name } = option;
  setup.options[name] = value;
  if (option.type !== 'integer' || value === null) return;
  const offered = isAskedFirst(option) ? usualValues(name, setup.currency) ?? [value]
    : [defaultValue(option, setup.currency)];
  if (!offered.includes(value)) setup.free[name] = formatTypedValue(option, value, setup.currency);
}

/** The value as users type it. */
const formatTypedValue = ({ unit }, value, currency) =>
  (unit === 'money' ? formatTypedAmount(value, currency) : String(value));

/** The options under "more rules", each with its explanation. */
export const furtherOptions = (options, setup) => options.map((option) => {
  const { name, label, explanation } = option;
  if (option.type === 'integer') {
    return h('div', { class: 'rule-option' }, numberField(option, setup),
      h('small', { class: 'muted' }, explanation));
  }
  return choiceField({
    name, words: label, help: explanation, value: setup.options[name] ?? option.default,
    values: option.values.map((choice) => [choice.value, choice.label]),
    pick: (value) => { setup.options[name] = value; },
  });
});

/** Returns the typed value, or undefined if the text is not a number. */
function parseTypedValue(option, text, currency) {
  if (text.trim() === '' && isAskedFirst(option)) return undefined; // "other" without a value
  if (text.trim() === '') return option.nullable ? null : defaultValue(option, currency);
  if (option.unit === 'money') return parseAmount(text, currency) ?? undefined;
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}

/**
 * Returns `{ values }`, the options that differ from the defaults; or `{ invalid }`, the name of the first
 * one that is not a number or, then with `maxAmount`, is too much money.
 */
export function chosenOptions(options, setup) {
  const values = {};
  for (const option of options) {
    const { name } = option;
    const value = Object.hasOwn(setup.free, name) ? parseTypedValue(option, setup.free[name], setup.currency)
      : setup.options[name] ?? option.default;
    if (value === undefined) return { invalid: name };
    if (option.unit === 'money' && value > option.max)
      return { invalid: name, maxAmount: moneyWriter(setup.currency).plain(option.max) };
    if (value !== option.default) values[name] = value;
  }
  return { values };
}

/**
 * Name fields in seating order; edits `names` in place. `hueAt(place)` is a seat's colour, `changed()` runs
 * after every edit. Enter moves to the next field, and calls `onLastEnter()` in the last one.
 */
export function nameFields({ names, min, max, hueAt, changed, onLastEnter }) {
  const box = buildElement(h('div', { class: 'lineup', 'data-pointer': '/players' }));

  const draw = (focus = null) => {
    refillPart(box, h('ol', {}, names.map((name, index) => row(name, index))), names.length < max
      && actionButton('add', t('opening.add'), add, { secondary: true, mark: 'plus' }));
    if (focus !== null) box.querySelectorAll('input')[focus]?.focus();
    changed();
  };

  const add = () => { names.push(''); draw(names.length - 1); };

  const focusNext = (index) => {
    const inputs = box.querySelectorAll('input');
    if (index + 1 < names.length) inputs[index + 1].focus();
    else if (names.length < min && names[index].trim() !== '') add();
    else onLastEnter();
  };

  function row(name, index) {
    const face = buildElement(h('span', { class: 'face' }));
    const moveUp = buildElement(iconButton(null, 'up', null,
      () => { names.splice(index - 1, 0, ...names.splice(index, 1)); draw(index - 1); }, index === 0));
    const remove = buildElement(iconButton(null, 'cross', null,
      () => { names.splice(index, 1); draw(Math.max(0, index - 1)); }, names.length <= min));
    const paint = () => {
      const shownName = names[index].trim() || String(index + 1);
      refillPart(face, playerToken(hueAt(index), tokenLetters(names[index], names)));
      moveUp.setAttribute('aria-label', t('opening.up', { name: shownName }));
      remove.setAttribute('aria-label', t('opening.remove', { name: shownName }));
    };
    const input = buildElement(h('input', {
      type: 'text', value: name, maxlength: 40, autocomplete: 'off', autocapitalize: 'words',
      spellcheck: 'false', enterkeyhint: 'next',
      placeholder: t('opening.name'), 'aria-label': t('opening.seat', { number: index + 1 }),
      'data-pointer': `/players/${index}/name`,
      oninput: (event) => { names[index] = event.target.value; paint(); changed(); },
      onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); focusNext(index); } },
    }));
    paint();
    return buildElement(h('li', {}, face, input, moveUp, remove));
  }

  draw();
  return box;
}

/** Pills for the first dealer. `named`: [id, name] of each seated player; without any, shows `noDealer`. */
export const dealerChoice = (named, dealer, pick, noDealer) =>
  (named.length === 0 ? h('p', { class: 'muted' }, noDealer) : pillGroup('dealer', named, dealer, pick));

/** Shows which seats play together. `hueAt(place)` is the colour of the player in that seat. */
export const partnerNote = (pairs, names, hueAt = (place) => place) =>
  pairs.map((pair) => {
    const tokens = pair.map((place) => playerToken(Math.max(0, hueAt(place)),
      tokenLetters(names[place] || String(place + 1), names)));
    const pairNames = pair.map((place) => names[place]?.trim()
      || t('opening.seat_short', { number: place + 1 }));
    return h('div', { class: 'team' },
      h('span', { class: 'player-tokens' }, tokens), h('p', { class: 'name' }, pairNames.join(' + ')));
  });

/**
 * Where a rematch is set up. If a closed session has left a pot or bets, its host makes it a group's first,
 * since only a group carries money forward.
 */
export const rematchHref = ({ id, status, pot, bets, carried_to: nextSession }) =>
  (status === 'closed' && !nextSession && (pot > 0 || bets?.length > 0) && roleInSession(id) === 'host'
  ? `#/s/${id}/group/again` : '#/new/again');

/** A link to where a rematch is set up, which keeps the setup on the device. */
export const rematchLink = (state) => rowLink(rematchHref(state), 'again', t('menu.again'),
  { onclick: () => { writeItem('again', setupOfRematch(state)); keepTypedEntry('again', null); } });

const setupOfRematch = ({ title, seats, players, deal }) => ({
  title: title ?? '',
  names: seats.map((id) => players.find((player) => player.id === id)?.name ?? ''),
  dealer: Math.max(0, seats.indexOf(deal.dealer)),
});
