// The recorded actions of a deal, one row each, with controls that change them.
// The controls only keep each action well formed; the server decides whether the deal can have been played.

import { playerName } from '../../core/session_store.js';
import { t } from '../../core/translator.js';
import { sideMembers } from '../../domain/amounts.js';
import { SUITS, cutterOf, rankOf, suitOf } from '../../domain/deal.js';
import { termsOf } from '../../domain/games.js';
import { REDEAL_REASONS } from '../../forecast/spader.js';
import { actionSentences } from '../../ui/action_sentences.js';
import { h, hiddenText } from '../../ui/elements.js';
import { choiceField, numbersUpTo } from '../../ui/fields.js';
import { iconButton, openSheet } from '../../ui/page.js';
import { hueOfPlayer, sideNames, tokenOfPlayer } from '../../ui/player_tokens.js';
import { cardName, cardPicker, rankCorner, suitIcon } from '../../ui/playing_cards.js';

// In the functions below, `editor` is the context of one row: {state, action, index, sentence,
// seats, pack, tricks, twoMayDeclare, hue(id), put(action), set(fields)}. `put` replaces the
// action, `set` changes some of its fields.

/**
 * A row of buttons. Each option is [value, key, content, name], with a name if the content is a picture. A
 * player's button has the player's colour; a suit has its own.
 */
const chipGroup = (editor, options, chosen, pick, label = editor.sentence) =>
  h('div', { class: 'chip-row', role: 'group', 'aria-label': label },
    options.map(([value, key, content, name]) => h('button', {
      type: 'button', class: `chip${name && !SUITS.includes(key) ? ` ${editor.hue(key)}` : ''}`,
      'data-key': `row-${editor.index}-${key}`,
      'aria-pressed': String(chosen(value)), onclick: () => pick(value),
    }, content, name && hiddenText(name))));

const playersEditor = (editor, ids, chosen, pick) =>
  chipGroup(editor, ids.map((id) => [id, id, tokenOfPlayer(editor.state, id), playerName(id)]),
    (id) => chosen.includes(id), pick);

const playerEditor = (field) => (editor, action) =>
  playersEditor(editor, editor.seats, [action[field]], (id) => editor.set({ [field]: id }));

const valuesEditor = (editor, field, options) => chipGroup(editor, options,
  (value) => editor.action[field] === value, (value) => editor.set({ [field]: value }));

/** Switches between two types of action, each [type, label key]. */
const switchEditor = (value, otherValue) => (editor) =>
  chipGroup(editor, [value, otherValue].map(([type, text]) => [type, type, t(text)]),
    (type) => editor.action.type === type, (type) => editor.set({ type }));

const suitEditor = (editor, value, pick, noneLabel) => chipGroup(editor, [
  ...SUITS.map((letter) => [letter, letter, suitIcon(letter), t(`suit.${letter}`)]),
  ...(noneLabel ? [[undefined, 'none', '–', t('correct.unknown')]] : []),
], (letter) => value === letter, pick, noneLabel && t('record.trump'));

const numberEditor = (editor, name, title, list, value, pick) => choiceField({
  name: `row-${editor.index}-${name}`, words: title, values: list.map((number) => [number, String(number)]),
  value, pick,
});

/** The card; a tap opens a picker. */
const cardEditor = (editor, action) => h('button', {
  type: 'button', class: 'chip card-chip', 'data-key': `row-${editor.index}-card`,
  onclick: () => {
    const pick = (newCard) => { dialog.close(); editor.set({ card: newCard }); };
    const dialog = openSheet(t('correct.which_card'),
      cardPicker({ pack: editor.pack, may: editor.pack, pick }));
  },
}, action.card ? cardFace(action.card) : t('correct.which_card'));

const cardFace = (card) => [
  h('b', { 'aria-hidden': 'true' }, rankCorner(rankOf(card))), suitIcon(suitOf(card)),
  hiddenText(cardName(card)),
];

/** Two players can declare together only as dealer and cutter. */
function declarersEditor(editor, { players, trump }) {
  const { dealer } = editor.state.deal;
  const pair = editor.twoMayDeclare ? [dealer, cutterOf(editor.seats, dealer)] : [];
  const tap = (id) => {
    if (players.includes(id) && players.length > 1) return players.filter((declarerId) => declarerId !== id);
    const completesPair = players.length === 1 && players[0] !== id
      && [id, players[0]].every((declarerId) => pair.includes(declarerId));
    return completesPair ? pair : [id];
  };
  return [playersEditor(editor, editor.seats, players, (id) => editor.set({ players: tap(id) })),
    suitEditor(editor, trump, (letter) => editor.set({ trump: letter }), true)];
}

/**
 * A deal recorded by its result. In Polskt pass an announced la vola decides the deal, so such a result names
 * no winner; in Polskpas it names both. Each row shows only for the results that have its field.
 */
function outcomeEditor(editor, { winner, la_vola: laVola, vole }) {
  const call = laVola ?? vole;
  const name = laVola ? 'la_vola' : 'vole';
  return [
    winner !== undefined && playersEditor(editor, editor.seats, [winner], (id) => editor.set({ winner: id })),
    // Five players can take one trick each; then the deal has no winner.
    winner !== undefined && !call && editor.seats.length === 5 && chipGroup(editor,
      [[null, 'nobody', t('record.nobody')]], () => winner === null, () => editor.set({ winner: null })),
    laVola && playersEditor(editor, editor.seats, [laVola.player],
      (player) => editor.set({ la_vola: { ...laVola, player } })),
    call && chipGroup(editor, [[true, 'won', t('record.vola_won')], [false, 'lost', t('record.vola_lost')]],
      (won) => call.won === won, (won) => editor.set({ [name]: { ...call, won } })),
  ];
}

/** A side's bid: a number of tricks, and which member, if any, bids nil. */
function bidEditor(editor, { side, tricks, nil, blind_nil: blind, joint_nil: joint }) {
  const hasTwoNils = Array.isArray(blind) || (blind && nil);
  if (hasTwoNils && !joint) return null; // some tables allow it; such a bid can only be removed
  const kind = joint ? 'joint_nil' : blind ? 'blind_nil' : nil ? 'nil' : 'tricks';
  const bidFields = (bidKind, bidder) => (bidKind === 'joint_nil' ? { joint_nil: true }
    : { tricks: tricks ?? 1, ...(bidKind === 'tricks' ? {} : { [bidKind]: bidder }) });
  const nilOptions = (bidKind, label) => sideMembers(side).map((id) =>
    [`${bidKind} ${id}`, label(playerName(id))]);
  const options = [
    ['tricks', t('spader.no_nil')], ['joint_nil', t('spader.joint')],
    ...nilOptions('nil', (name) => t('spader.said_nil', { name })),
    ...nilOptions('blind_nil', (name) => t('spader.said_blind', { name })),
  ];
  const current = [kind, nil ?? blind].filter(Boolean).join(' ');
  return h('div', { class: 'fields' },
    kind !== 'joint_nil' && numberEditor(editor, 'tricks', t('correct.tricks'), numbersUpTo(13, 1), tricks,
      (number) => editor.set({ tricks: number })),
    choiceField({
      name: `row-${editor.index}-nil`, words: t('spader.who_nil'), values: options, value: current,
      pick: (value) => {
        const [bidKind, bidder] = value.split(' ');
        editor.put({ type: 'side_bid', side, ...bidFields(bidKind, bidder) });
      },
    }));
}

const tricksTakenEditor = (editor, action) => h('div', { class: 'fields' },
  Object.entries(action.taken).map(([id, count]) =>
    numberEditor(editor, id, sideNames(id), numbersUpTo(editor.tricks), count,
      (number) => editor.set({ taken: { ...action.taken, [id]: number } }))));

const mergeEditor = (editor, { together: isTogether = true }) =>
  chipGroup(editor, [[true, 'one', t('merge.together')], [false, 'apart', t('merge.apart')]],
    (value) => isTogether === value, (value) => editor.set({ together: value }));

const callEditor = (editor, { call: currentCall }) => [
  valuesEditor(editor, 'call', ['accept', 'pass'].map((call) => [call, call, t(`bid.${call}`)])),
  suitEditor(editor, currentCall, (call) => editor.set({ call })),
];

const playedCardEditor = (editor, action) => [
  playerEditor('player')(editor, action), cardEditor(editor, action),
];

const redealEditor = (editor, action) => [
  playerEditor('player')(editor, action),
  valuesEditor(editor, 'reason',
    REDEAL_REASONS.map((reason) => [reason, reason, t(`spader.redeal.${reason}`)])),
];

// The exchange for the turn-up is always one card.
const exchangeEditor = (editor, { cards, turn_up: swap }) => !swap
  && chipGroup(editor, numbersUpTo(5, 1).map((number) => [number, String(number), String(number)]),
    (number) => cards === number, (number) => editor.set({ cards: number }));

const takeEditor = switchEditor(['take', 'bid.take'], ['decline', 'bid.decline']);
const swapEditor = switchEditor(['swap', 'spader.swap'], ['no_swap', 'spader.no_swap']);
const stayEditor = switchEditor(['stay', 'stay.stay'], ['pass', 'stay.pass']);

/** Action type → its editor, (editor, action) → nodes. An action without one can only be removed. */
const EDITORS = {
  declare: declarersEditor, trick: playerEditor('winner'), result: outcomeEditor,
  la_vola: playerEditor('player'), vole: playerEditor('player'), merge: mergeEditor,
  cut: cardEditor, turn_up: cardEditor, discard: cardEditor, play: playedCardEditor,
  take: takeEditor, decline: takeEditor, bid: callEditor,
  stay: stayEditor, pass: stayEditor, exchange: exchangeEditor,
  side_bid: bidEditor, tricks: tricksTakenEditor, redeal: redealEditor,
  swap: swapEditor, no_swap: swapEditor,
};

/** `change(actions)` receives the whole new list. `wrong`: {place, text} of the action that was refused. */
export function actionRows({ state, game, actions, change, wrong }) {
  const sentences = actionSentences(actions);
  const replaceRow = (index, ...newActions) =>
    change([...actions.slice(0, index), ...newActions, ...actions.slice(index + 1)]);
  return h('ol', { class: 'rows action-rows' }, actions.map((action, index) => {
    const put = (newAction) => replaceRow(index, withoutUndefined(newAction));
    const editor = {
      state, action, index, sentence: sentences[index], seats: state.seats, pack: game.pack(state),
      tricks: game.tricks, twoMayDeclare: termsOf(state)?.twoMayDeclare,
      hue: (id) => (state.seats.includes(id) ? hueOfPlayer(state, id) : ''), put,
      set: (fields) => put({ ...action, ...fields }),
    };
    return h('li', { class: 'action-row', 'data-row': index },
      h('div', { class: 'action-head' }, h('span', { class: 'sentence' }, sentences[index]),
        iconButton(`row-${index}-off`, 'cross', t('correct.remove', { what: sentences[index] }),
          () => replaceRow(index))),
      EDITORS[action.type]?.(editor, action),
      wrong?.place === index && h('p', { class: 'wrong', role: 'alert' }, wrong.text));
  }));
}

/** Drops fields without a value, which the server would reject as null. */
const withoutUndefined = (action) => Object.fromEntries(Object.entries(action)
  .filter(([, value]) => value !== undefined));

/** Adds a trick after the last one, with the same winner; null if no trick is recorded singly, or all are. */
export function withAnotherTrick(actions, game) {
  const lastTrick = actions.findLast(({ type }) => type === 'trick');
  const tricks = actions.filter(({ type }) => type === 'trick').length;
  if (!lastTrick || tricks >= game.tricks) return null;
  const place = actions.lastIndexOf(lastTrick) + 1;
  return [...actions.slice(0, place), { ...lastTrick }, ...actions.slice(place)];
}
