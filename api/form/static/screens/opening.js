// A new evening: which game, who sits where, what it is for, and (folded away) every rule a table may disagree on.

import { h } from '../dom.js';
import { fieldset, pills, wrong } from '../fields.js';
import { GAMES, gameNamed, gameOf } from '../games/index.js';
import { picture } from '../games/pictures.js';
import { hint } from '../help.js';
import { lineup } from '../lineup.js';
import { recall, remember, rememberEvening, rememberRole } from '../memory.js';
import { chosen, currencyQuestion, furtherRules, inTheOpen, isCurrency, openQuestion, plain } from '../options.js';
import { act, show, warn } from '../page.js';
import { lastPeople } from '../people.js';
import { marker, initial, same } from '../players.js';
import { rulebook } from '../rulebook.js';
import { exchange, newKey, Problem, request, Unreached } from '../server.js';
import { t, weekday } from '../words.js';

export async function opening({ still, again }) {
  const book = (await rulebook()).filter(({ key }) => Object.hasOwn(GAMES, key));
  if (!still()) return null;
  const kept = recall('opening') ?? {};
  const along = again ? lastPeople() : null;
  const wish = {
    game: book.some(({ key }) => key === kept.game) ? kept.game : book[0].key,
    names: along?.names ?? recall('names') ?? ['', '', '', ''], dealer: along?.dealer ?? 0, title: along?.title || weekday(),
    currency: isCurrency(kept.currency) ? kept.currency : 'SEK', kept: kept.options ?? {}, options: {}, free: {},
  };
  const sent = { key: null, body: '' };
  const rules = () => book.find(({ key }) => key === wish.game);

  /** The usual answers, or those given last time this game was opened on this phone. */
  const begin = () => {
    wish.free = {};
    wish.options = Object.fromEntries(rules().options.map((option) => [option.name, plain(option, wish.currency)]));
    const before = wish.kept[wish.game];
    if (before?.currency === wish.currency) Object.assign(wish.options, before.values);
  };
  wish.change = (currency) => { wish.currency = currency; begin(); };
  begin();

  const form = h('form', { id: 'opening', novalidate: true, oninput: () => wrong(form),
    onsubmit: (event) => { event.preventDefault(); open(wish, rules(), sent, form); },
    // Two fields and no button inside: without this, Enter on the phone's keyboard would do nothing.
    onkeydown: (event) => {
      if (event.key === 'Enter' && !event.defaultPrevented && event.target.matches('[type=text]')) form.requestSubmit();
    } });
  const draw = (focus = null) => {
    form.replaceChildren(...[
      games(book, wish, (key) => { wish.game = key; begin(); draw(`[value=${key}]`); }),
      people(wish, rules()),
      stakes(wish, rules()),
      more(wish, rules()),
    ].flat(Infinity));
    if (focus !== null) form.querySelector(focus)?.focus();
  };
  draw();
  show({
    title: t('start.new'), back: '#/', fresh: true, main: [form],
    bar: [act('open', t('opening.open'), () => form.requestSubmit(), { big: true })],
  });
  return {};
}

/** The games as cards on the table; the chosen one says in a sentence what it is. */
function games(book, wish, pick) {
  const { about } = book.find(({ key }) => key === wish.game);
  return fieldset(t('opening.game'), null,
    h('div', { class: 'games' }, book.map(({ key, players }) => h('label', { class: 'game' },
      h('input', { type: 'radio', name: 'game', value: key, checked: key === wish.game, onchange: () => pick(key) }),
      h('span', {}, picture(key), h('b', {}, gameNamed(key)),
        h('small', { class: 'dim' }, players.min === players.max ? t('opening.exactly', { count: players.min })
          : t('opening.from_to', { least: players.min, most: players.max })))))),
    h('p', { class: 'dim about' }, about));
}

/** The names in seat order, how they pair up, and who deals first. */
function people(wish, { key, players: { min, max } }) {
  const { pairs } = GAMES[key];
  while (wish.names.length < min) wish.names.push('');
  const shown = wish.names.slice(0, max);
  const spare = wish.names.slice(max); // kept for a game with more seats
  const dealers = h('div', { class: 'pills' });
  const facing = h('div', { class: 'facing' });
  const changed = () => {
    wish.seated = shown;
    wish.names = [...shown, ...spare];
    const named = shown.map((name, index) => [index, name.trim()]).filter(([, name]) => name !== '');
    if (!named.some(([index]) => index === wish.dealer)) wish.dealer = named[0]?.[0] ?? 0;
    dealers.replaceChildren(named.length === 0 ? h('p', { class: 'dim' }, t('opening.names_first'))
      : pills('dealer', named, wish.dealer, (value) => { wish.dealer = value; }));
    facing.replaceChildren(...(pairs ?? []).map((pair) => h('div', { class: 'team' },
      h('span', { class: 'markers' }, pair.map((index) => marker(index, initial(shown[index] || String(index + 1), shown)))),
      h('p', { class: 'name' }, pair.map((index) => shown[index]?.trim() || t('opening.seat_short', { number: index + 1 })).join(' + ')))));
  };
  const rows = lineup({
    names: shown, hueAt: (index) => index, max, min, changed,
    onward: () => document.querySelector('#stakes input')?.focus(),
  });
  changed();
  return [
    fieldset(t('opening.players'), null, h('p', { class: 'dim' }, t('opening.clockwise')), rows,
      pairs && [h('p', { class: 'dim' }, t('opening.pairs')), facing]),
    fieldset(t('opening.dealer'), null, dealers),
  ];
}

/** What every evening of this game is asked, and in which currency if it is for money at all. */
function stakes(wish, { key, options }) {
  const box = h('div', { id: 'stakes' });
  const { help } = GAMES[key];
  const draw = () => {
    const asked = options.filter(inTheOpen);
    const forMoney = asked.some(({ name, unit }) => unit === 'money' && (wish.options[name] !== null || Object.hasOwn(wish.free, name)));
    const redraw = (focus) => { draw(); box.querySelector(focus)?.focus(); };
    box.replaceChildren(...asked.map((option) => openQuestion(option, wish, redraw, help[option.name] && hint(help[option.name]))),
      ...(forMoney ? [currencyQuestion(wish, redraw)] : []));
  };
  draw();
  return box;
}

const more = (wish, { options }) => h('details', { class: 'fold' }, h('summary', {}, t('opening.more')),
  h('label', { class: 'field' }, h('span', {}, t('opening.title')),
    h('input', { type: 'text', name: 'title', maxlength: 40, value: wish.title, oninput: (event) => { wish.title = event.target.value; } })),
  furtherRules(options.filter((option) => !inTheOpen(option)), wish));

// Empty rows are not sent, so the server counts the players otherwise than the form does.
const onForm = (pointer, named) => pointer.replace(/^\/players\/(\d+)/, (all, place) => `/players/${named[place]?.index ?? place}`);

async function open(wish, { key, options, players: { min } }, sent, form) {
  const named = wish.seated.map((name, index) => ({ name: name.trim(), index })).filter(({ name }) => name !== '');
  wrong(form);
  if (named.length < min) { wrong(form, '/players', t('opening.too_few', { count: min })); return; }
  const twin = named.findIndex(({ name }, place) => named.slice(0, place).some((other) => same(other.name, name)));
  if (twin > 0) { wrong(form, `/players/${named[twin].index}/name`, t('opening.same_name')); return; }
  const { found, bad } = chosen(options, wish);
  if (bad) {
    form.querySelector(`[data-pointer="/options/${bad}"]`)?.closest('details')?.setAttribute('open', '');
    const money = options.find(({ name }) => name === bad).unit === 'money';
    wrong(form, `/options/${bad}`, t(money ? 'opening.bad_stake' : 'opening.bad_number'));
    return;
  }
  const body = {
    game: key,
    players: named.map(({ name }) => ({ name })),
    options: found,
    currency: wish.currency,
    first_dealer: `p${Math.max(0, named.findIndex(({ index }) => index === wish.dealer)) + 1}`,
    title: wish.title.trim() || weekday(),
  };
  // The same wish twice (a lost answer, an eager thumb) is the same evening: the key goes with the body.
  const written = JSON.stringify(body);
  if (sent.body !== written) Object.assign(sent, { body: written, key: newKey() });
  try {
    const { body: state } = await request('POST', '/v1/sessions', { body, headers: { 'Idempotency-Key': sent.key } });
    gameOf(key).catch(() => null); // on its way while the table is asked for
    remember('names', wish.names);
    const asked = options.filter(inTheOpen).map(({ name }) => [name, state.options[name]]);
    remember('opening', { game: key, currency: wish.currency,
      options: { ...wish.kept, [key]: { currency: wish.currency, values: Object.fromEntries(asked) } } });
    rememberEvening(state.id, state.title ?? body.title, key);
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
