// A new evening: who sits where, what the stake is, and (folded away) every rule a table may disagree on.

import { h } from '../dom.js';
import { hint } from '../help.js';
import { fieldset, pills, wrong } from '../fields.js';
import { lineup } from '../lineup.js';
import { recall, remember, rememberEvening, rememberRole } from '../memory.js';
import { parse, writer } from '../money.js';
import { chosenRules, furtherRules } from '../options.js';
import { act, show, warn } from '../page.js';
import { same } from '../players.js';
import { exchange, newKey, Problem, request, Unreached } from '../server.js';
import { t, weekday } from '../words.js';

const CURRENCIES = ['SEK', 'DKK', 'EUR', 'NOK', 'chips'];
const KRONOR = [100, 500, 1000, 2000];
const PRESETS = { SEK: KRONOR, DKK: KRONOR, NOK: KRONOR, EUR: [10, 50, 100, 200], chips: [1, 5, 10, 20] };
const USUAL = { SEK: 1000, DKK: 1000, NOK: 1000, EUR: 50, chips: 10 };

export function opening() {
  const kept = recall('opening') ?? {};
  const currency = CURRENCIES.includes(kept.currency) ? kept.currency : 'SEK';
  const wish = {
    names: (recall('names') ?? ['', '', '', '']).slice(0, 5), dealer: 0, title: weekday(), currency,
    stake: kept.stake ?? USUAL[currency], free: '', bet_multiplier: kept.bet_multiplier ?? 1,
    rules: {},
  };
  const sent = { key: null, body: '' };

  const form = h('form', { id: 'opening', novalidate: true, oninput: () => wrong(form),
    onsubmit: (event) => { event.preventDefault(); open(wish, sent, form); },
    // Two fields and no button inside: without this, Enter on the phone's keyboard would do nothing.
    onkeydown: (event) => {
      if (event.key === 'Enter' && !event.defaultPrevented && event.target.matches('[type=text]')) form.requestSubmit();
    } },
    people(wish),
    h('div', { id: 'stakes' }, stakes(wish)),
    fieldset(t('opening.penalty'), hint('bet'),
      pills('bet_multiplier', [[1, t('opening.single')], [2, t('opening.double')]], wish.bet_multiplier,
        (value) => { wish.bet_multiplier = value; })),
    h('details', { class: 'fold' }, h('summary', {}, t('opening.more')),
      h('label', { class: 'field' }, h('span', {}, t('opening.title')),
        h('input', { type: 'text', name: 'title', maxlength: 40, value: wish.title, oninput: (event) => { wish.title = event.target.value; } })),
      furtherRules(wish)));

  show({
    title: t('start.new'), back: '#/', fresh: true, main: [form],
    bar: [act('open', t('opening.open'), () => form.requestSubmit(), { big: true })],
  });
  return {};
}

/** The names in seat order, and under them who deals first. */
function people(wish) {
  const dealers = h('div', { class: 'pills' });
  const drawDealers = () => {
    const named = wish.names.map((name, index) => [index, name.trim()]).filter(([, name]) => name !== '');
    if (!named.some(([index]) => index === wish.dealer)) wish.dealer = named[0]?.[0] ?? 0;
    dealers.replaceChildren(named.length === 0 ? h('p', { class: 'dim' }, t('opening.names_first'))
      : pills('dealer', named, wish.dealer, (value) => { wish.dealer = value; }));
  };
  const rows = lineup({
    names: wish.names, hueAt: (index) => index, max: 5, min: 3, changed: drawDealers,
    onward: () => document.querySelector('#stakes input')?.focus(),
  });
  drawDealers();
  return [
    fieldset(t('opening.players'), null, h('p', { class: 'dim' }, t('opening.clockwise')), rows),
    fieldset(t('opening.dealer'), null, dealers),
  ];
}

function stakes(wish) {
  const redraw = () => document.getElementById('stakes').replaceChildren(...stakes(wish));
  const presets = PRESETS[wish.currency];
  const money = writer(wish.currency, presets);
  const free = !presets.includes(wish.stake);
  const choices = [...presets.map((amount) => [amount, money.plain(amount)]), ['free', t('opening.other')]];
  return [
    fieldset(t('opening.stake'), hint('stake'),
      pills('stake', choices, free ? 'free' : wish.stake, (value) => {
        wish.stake = value === 'free' ? null : value;
        redraw();
        document.querySelector(value === 'free' ? '#free-stake' : '[name=stake]:checked')?.focus();
      }),
      free && h('label', { class: 'field' }, h('span', {}, t('opening.free_stake')),
        h('input', { id: 'free-stake', type: 'text', inputmode: 'decimal', autocomplete: 'off', value: wish.free,
          'data-pointer': '/options/stake', oninput: (event) => { wish.free = event.target.value; } }))),
    fieldset(t('opening.currency'), null,
      pills('currency', CURRENCIES.map((code) => [code, code === 'chips' ? t('opening.chips') : code]), wish.currency, (value) => {
        wish.currency = value;
        wish.stake = USUAL[value];
        redraw();
        document.querySelector('[name=currency]:checked')?.focus();
      })),
  ];
}

// Empty rows are not sent, so the server counts the players otherwise than the form does.
const onForm = (pointer, named) => pointer.replace(/^\/players\/(\d+)/, (all, place) => `/players/${named[place]?.index ?? place}`);

async function open(wish, sent, form) {
  const named = wish.names.map((name, index) => ({ name: name.trim(), index })).filter(({ name }) => name !== '');
  const stake = wish.stake ?? parse(wish.free, wish.currency);
  wrong(form);
  if (named.length < 3) { wrong(form, '/players', t('opening.too_few')); return; }
  const twin = named.findIndex(({ name }, place) => named.slice(0, place).some((other) => same(other.name, name)));
  if (twin > 0) { wrong(form, `/players/${named[twin].index}/name`, t('opening.same_name')); return; }
  if (stake === null) { wrong(form, '/options/stake', t('opening.bad_stake')); return; }
  const body = {
    game: 'polskt_pass',
    players: named.map(({ name }) => ({ name })),
    options: { stake, bet_multiplier: wish.bet_multiplier, ...chosenRules(wish, named.length) },
    currency: wish.currency,
    first_dealer: `p${Math.max(0, named.findIndex(({ index }) => index === wish.dealer)) + 1}`,
    title: wish.title.trim() || weekday(),
  };
  // The same wish twice (a lost answer, an eager thumb) is the same evening: the key goes with the body.
  const written = JSON.stringify(body);
  if (sent.body !== written) Object.assign(sent, { body: written, key: newKey() });
  try {
    const { body: state } = await request('POST', '/v1/sessions', { body, headers: { 'Idempotency-Key': sent.key } });
    remember('names', wish.names);
    remember('opening', { currency: wish.currency, stake, bet_multiplier: wish.bet_multiplier });
    rememberEvening(state.id, state.title ?? body.title);
    await exchange(state.id, state.tokens.host);
    rememberRole(state.id, state.tokens.host);
    location.replace(`#/s/${state.id}`);
  } catch (trouble) {
    if (trouble instanceof Unreached) { warn(t('queue.offline')); return; }
    if (!(trouble instanceof Problem)) throw trouble;
    const placed = trouble.errors.filter(({ pointer, detail }) => wrong(form, onForm(pointer, named), detail));
    if (placed.length < Math.max(1, trouble.errors.length)) warn(trouble.errors.map(({ detail }) => detail).join(' ') || trouble.message);
  }
}
