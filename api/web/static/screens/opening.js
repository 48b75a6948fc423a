// A new session: the game, the players and their seats, the stake, and (folded) every option that a table may
// choose. Players are names typed here, or members tapped in a group; `playerSource` makes the difference.

import { exchangeToken } from '../core/api_client.js';
import { isLike, keepTypedEntry, readItem, rememberRole, rememberSession, typedEntry,
  writeItem } from '../core/device_storage.js';
import { Problem } from '../core/request_errors.js';
import { gameName, loadAllSentences, t, weekdayName } from '../core/translator.js';
import { currencyDigits } from '../domain/amounts.js';
import { GAMES, loadedGame } from '../domain/games.js';
import { keyPerRequest, sendWrite, warnOfError } from '../features/direct_requests.js';
import { chosenOptions, currencyField, dealerChoice, defaultValue, fetchRulebook, firstCurrency,
  furtherOptions, isAskedFirst, isKnownCurrency, nameFields, openOptionField, partnerNote,
  restoreAnswer } from '../features/session_setup.js';
import { loadGame } from '../games/registry.js';
import { buildElement, h } from '../ui/elements.js';
import { fieldError, fieldset } from '../ui/fields.js';
import { actionButton, hint, refillPart, showScreen } from '../ui/page.js';
import { isSameName } from '../ui/player_tokens.js';
import { gamePicture } from '../ui/playing_cards.js';

export async function openingScreen({ isCurrent, again = false, backHref = '#/',
  playerSource = typedPlayers(again) }) {
  const [rulebook] = await Promise.all([fetchRulebook(), ...GAMES.map(loadGame)]);
  const games = rulebook.filter(({ key }) => GAMES.includes(key));
  if (!isCurrent()) return null;
  const stored = playerSource.storedSetup ?? readItem('opening') ?? {};
  const typed = typedEntry(playerSource.formKey, { game: '', currency: '', title: '' });
  const lastGame = typed?.game ?? stored.game;
  const lastCurrency = typed?.currency ?? stored.currency;
  const setup = {
    game: games.some(({ key }) => key === lastGame) ? lastGame : games[0].key,
    title: typed?.title ?? playerSource.title,
    currency: isKnownCurrency(lastCurrency) ? lastCurrency : firstCurrency(),
    storedOptions: stored.options ?? {}, options: {}, free: {},
  };
  const keyOf = keyPerRequest();
  const rules = () => games.find(({ key }) => key === setup.game);

  /** The usual answers, or those given when this game was last opened on this device. */
  const begin = () => {
    setup.free = {};
    setup.options =
      Object.fromEntries(rules().options.map((option) =>
        [option.name, defaultValue(option, setup.currency)]));
    const storedSetup = setup.storedOptions[setup.game];
    if (storedSetup?.currency !== setup.currency) return;
    for (const option of rules().options) {
      if (Object.hasOwn(storedSetup.values, option.name))
        restoreAnswer(option, storedSetup.values[option.name], setup);
    }
  };
  setup.change = (currency) => {
    setup.currency = currency;
    begin();
    playerSource.onCurrencyChange?.(setup, rules());
  };
  begin();
  const optionExamples = (example) => Object.fromEntries(rules().options.map((option) =>
    [option.name, example ?? option.default]));
  if (typed?.game === setup.game && isLike(typed, { options: optionExamples(), free: optionExamples('') })) {
    setup.free = typed.free ?? {};
    Object.assign(setup.options, typed.options);
  }

  const keep = () => {
    const { game, currency, title, options, free } = setup;
    keepTypedEntry(playerSource.formKey, { game, currency, options, free,
      title: title === playerSource.title ? undefined : title, players: playerSource.typedPart() });
  };
  const form = buildElement(h('form', { id: 'opening', novalidate: true,
    oninput: () => { fieldError(form); keep(); }, onchange: keep, onclick: keep,
    onsubmit: (event) => {
      event.preventDefault();
      openNewSession(setup, rules(), playerSource, keyOf, form);
    },
    // A form of two fields without a button does not submit on Enter; this button makes the last field do so.
    // In the other fields Enter starts nothing.
    onkeydown: (event) => {
      if (event.key === 'Enter' && !event.defaultPrevented && event.target.matches('#stakes [type=text]'))
        form.requestSubmit();
    } }));
  const draw = () => refillPart(form,
    gameChoice(games, setup, (key) => { setup.game = key; begin(); draw(); }),
    playerSource.carryCard?.(setup, rules()),
    playerSource.playerFields(setup, rules()),
    stakeFields(setup, rules()),
    furtherRules(setup, rules()));
  draw();
  showScreen({
    title: t('start.new'), backHref, fresh: true, main: [form],
    bar: [actionButton('open', t('opening.open'), () => form.requestSubmit(), { primary: true })],
  });
  return {};
}

/** The games as cards; the chosen one has its description. */
function gameChoice(games, setup, pick) {
  const { about: description } = games.find(({ key }) => key === setup.game);
  return fieldset(t('opening.game'), null,
    h('div', { class: 'games' }, games.map(({ key, players }) => h('label', { class: 'game' },
      h('input', { type: 'radio', name: 'game', value: key, checked: key === setup.game,
        onchange: () => pick(key) }),
      h('span', {}, gamePicture(loadedGame(key)), h('b', {}, gameName(key)),
        h('small', { class: 'muted' }, players.min === players.max
          ? t('opening.exactly', { count: players.min })
          : t('opening.from_to', { least: players.min, most: players.max })))))),
    h('p', { class: 'muted game-description' }, description));
}

/** The players as names typed here: in seat order, with the partners and the first dealer. */
function typedPlayers(again) {
  const formKey = again ? 'again' : 'new';
  const lastSession = again ? readItem('again') : null; // of `rematchLink`
  const seating = {
    names: lastSession?.names ?? readItem('names') ?? ['', '', '', ''],
    dealer: lastSession?.dealer ?? 0, seated: [],
    ...typedEntry(formKey, { players: { names: [''], dealer: 0, seated: [''] } })?.players,
  };
  return {
    formKey,
    typedPart: () => seating,
    title: lastSession?.title || weekdayName(),
    playerFields: (setup, rules) => peopleFields(seating, rules),
    readPlayers: (setup, rules, form) => readTypedPlayers(seating, rules, form),
    onOpened: () => writeItem('names', seating.names),
  };
}

function peopleFields(seating, { key, players: { min, max } }) {
  const { pairs } = loadedGame(key);
  while (seating.names.length < min) seating.names.push('');
  const shownNames = seating.names.slice(0, max);
  const spare = seating.names.slice(max); // kept for a game with more seats
  const dealerNode = buildElement(h('div', {}));
  const opposite = buildElement(h('div', { class: 'facing' }));
  const changed = () => {
    seating.seated = shownNames;
    seating.names = [...shownNames, ...spare];
    const named = shownNames.map((name, index) => [index, name.trim()]).filter(([, name]) => name !== '');
    if (!named.some(([index]) => index === seating.dealer)) seating.dealer = named[0]?.[0] ?? 0;
    refillPart(dealerNode, dealerChoice(named, seating.dealer, (value) => { seating.dealer = value; },
      t('opening.names_first')));
    refillPart(opposite, partnerNote(pairs ?? [], shownNames));
  };
  const rows = nameFields({
    names: shownNames, hueAt: (index) => index, max, min, changed,
    onLastEnter: () => dealerNode.querySelector(':checked')?.focus(),
  });
  changed();
  return [
    fieldset(t('opening.players'), null, h('p', { class: 'muted' }, t('opening.clockwise')), rows,
      pairs && [h('p', { class: 'muted' }, t('opening.pairs')), opposite]),
    fieldset(t('opening.dealer'), null, dealerNode),
  ];
}

/** What every session of this game is asked, and the currency if it is for money. */
function stakeFields(setup, { key, options }) {
  const box = buildElement(h('div', { id: 'stakes' }));
  const { help } = loadedGame(key);
  const draw = () => {
    const openRules = options.filter(isAskedFirst);
    const forMoney = openRules.some(({ name, unit }) => unit === 'money'
      && (setup.options[name] !== null || Object.hasOwn(setup.free, name)));
    const redraw = (focus) => { draw(); box.querySelector(focus)?.focus(); };
    refillPart(box, openRules.map((option) =>
      openOptionField(option, setup, redraw, help[option.name] && hint(help[option.name]))),
      forMoney && currencyField(setup, redraw));
  };
  draw();
  return box;
}

const furtherRules = (setup, { options }) => h('details', { class: 'disclosure' },
  h('summary', {}, t('opening.more')),
  h('label', { class: 'field' }, h('span', {}, t('opening.title')),
    h('input', { type: 'text', name: 'title', maxlength: 40, value: setup.title,
      oninput: (event) => { setup.title = event.target.value; } })),
  furtherOptions(options.filter((option) => !isAskedFirst(option)), setup));

/** The players to send, or null when they are not valid, which is then shown beside the field. */
function readTypedPlayers({ seated, dealer }, { players: { min } }, form) {
  const named = seated.map((name, index) => ({ name: name.trim(), index })).filter(({ name }) => name !== '');
  if (named.length < min) { fieldError(form, '/players', t('opening.too_few', { count: min })); return null; }
  const duplicate = named.findIndex(({ name }, place) => named.slice(0, place)
    .some((listed) => isSameName(listed.name, name)));
  if (duplicate > 0) { fieldError(form, `/players/${named[duplicate].index}/name`,
    t('opening.same_name')); return null; }
  return {
    path: '/v1/sessions',
    body: { players: named.map(({ name }) => ({ name })),
      first_dealer: `p${Math.max(0, named.findIndex(({ index }) => index === dealer)) + 1}` },
    // Empty rows are not sent, so the server counts the players differently.
    fieldPointer: (pointer) => pointer.replace(/^\/players\/(\d+)/,
      (text, place) => `/players/${named[place]?.index ?? place}`),
  };
}

async function openNewSession(setup, rules, playerSource, keyOf, form) {
  const { key, options } = rules;
  const address = location.hash;
  fieldError(form);
  const players = await playerSource.readPlayers(setup, rules, form);
  if (players === null) return;
  const { values, invalid, maxAmount } = chosenOptions(options, setup);
  if (invalid) {
    form.querySelector(`[data-pointer="/options/${invalid}"]`)?.closest('details')?.setAttribute('open', '');
    const mayHaveDecimals = options.find(({ name }) => name === invalid).unit === 'money'
      && currencyDigits(setup.currency) > 0;
    const limitSentence = maxAmount && await loadAllSentences()
      .then(() => t('opening.at_most', { amount: maxAmount }), () => t('queue.offline'));
    fieldError(form, `/options/${invalid}`,
      limitSentence ?? t(mayHaveDecimals ? 'opening.bad_stake' : 'opening.bad_number'));
    return;
  }
  const body = { game: key, ...players.body, options: values, currency: setup.currency,
    title: setup.title.trim() || weekdayName() };
  try {
    // The same form sent twice (a lost answer, a second tap) opens one session: the key belongs to the body.
    const state = await sendWrite(players.path, body, { key: keyOf(body) });
    keepTypedEntry(playerSource.formKey, null);
    playerSource.onOpened?.(state);
    const openRules = options.filter(isAskedFirst).map(({ name }) => [name, state.options[name]]);
    writeItem('opening', { game: key, currency: setup.currency,
      options: { ...setup.storedOptions,
        [key]: { currency: setup.currency, values: Object.fromEntries(openRules) } } });
    rememberSession(state.id, state.title ?? body.title, key);
    await exchangeToken(state.id, state.tokens.host);
    rememberRole(state.id, state.tokens.host);
    if (location.hash === address) location.replace(`#/s/${state.id}`); // else the front page lists it
  } catch (error) {
    if (error instanceof Problem) {
      if (await playerSource.onRefused?.(error)) return;
      const placed = error.errors.filter(({ pointer, detail }) =>
        fieldError(form, players.fieldPointer(pointer), detail));
      if (placed.length > 0 && placed.length === error.errors.length) return;
    }
    warnOfError(error);
  }
}
