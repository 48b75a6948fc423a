// What was recorded of a deal, a row for each thing said, and what may be changed in it by a tap.
// The server decides whether the deal can have been played so; this only keeps the shapes right.

import { playerName } from '../../core/session_store.js';
import { t } from '../../core/translator.js';
import { SUITS, rankOf, suitOf } from '../../domain/cards.js';
import { termsOf } from '../../domain/games.js';
import { sideMembers } from '../../domain/points.js';
import { cutterOf } from '../../domain/seats.js';
import { actionSentences } from '../../ui/action_sentences.js';
import { h, hiddenText, icon } from '../../ui/elements.js';
import { choiceField } from '../../ui/fields.js';
import { numbersUpTo } from '../../ui/number_pad.js';
import { openSheet } from '../../ui/page.js';
import { hueOfPlayer, tokenOfPlayer } from '../../ui/player_tokens.js';
import { cardName, cardPicker, rankCorner, suitIcon } from '../../ui/playing_cards.js';
import { sideNames } from '../../ui/scoreboard.js';

/** One of a few, each as large as a thumb: [value, key, what is drawn, its name where that is a picture]. */
const fewTricks = (at, options, chosen, pick) =>
  h('div', { class: 'few', role: 'group', 'aria-label': at.says },
  options.map(([value, key, drawn, name]) => h('button', {
  type: 'button', class: `chip${name && !SUITS.includes(key) ? ` ${at.hue(key)}` : ''}`,
  'data-key': `row-${at.index}-${key}`,
  'aria-pressed': String(chosen(value)), onclick: () => pick(value),
}, drawn, name && hiddenText(name))));

const playersEditor = (at, ids, chosen, pick) =>
  fewTricks(at, ids.map((id) => [id, id, tokenOfPlayer(at.state, id), playerName(id)]),
  (id) => chosen.includes(id), pick);
const playerEditor = (field) => (at, action) =>
  playersEditor(at, at.seats, [action[field]], (id) => at.set({ [field]: id }));
const valuesEditor = (at, field, options) =>
  fewTricks(at, options.map(([value, key, text]) => [value, key, text]),
  (value) => at.action[field] === value, (value) => at.set({ [field]: value }));
const switchEditor = (one, other) => (at) =>
  fewTricks(at, [one, other].map(([type, text]) => [type, type, t(text)]), (type) => at.action.type === type,
  (type) => at.set({ type }));

const suitEditor = (at, value, pick, none) => fewTricks(at, [
  ...SUITS.map((letter) => [letter, letter, suitIcon(letter), t(`suit.${letter}`)]),
  ...(none ? [[undefined, 'none', '–', t('correct.unknown')]] : []),
], (letter) => value === letter, pick);

const numberEditor = (at, name, title, list, value, pick) => choiceField({
  name: `row-${at.index}-${name}`, words: title, values: list.map((number) => [number, String(number)]),
  value, pick,
});

/** A card face up; a tap opens the pack. */
const cardEditor = (at, action) => h('button', {
  type: 'button', class: 'chip card-chip', 'data-key': `row-${at.index}-card`,
  onclick: () => {
    const dialog =
      openSheet(t('correct.which_card'),
      cardPicker({ pack: at.pack, may: at.pack,
      pick: (other) => { dialog.close(); at.set({ card: other }); } }));
  },
}, action.card ? [h('b', { 'aria-hidden': 'true' }, rankCorner(rankOf(action.card))),
suitIcon(suitOf(action.card)), hiddenText(cardName(action.card))] : t('correct.which_card'));

/** Two declare only as the dealer and whoever cut. */
function declarersEditor(at, { players, trump }) {
  const { dealer } = at.state.deal;
  const pair = at.pair ? [dealer, cutterOf(at.seats, dealer)] : [];
  const tap = (id) => {
    if (players.includes(id) && players.length > 1) return players.filter((one) => one !== id);
    return players.length === 1 && players[0] !== id && [id, players[0]].every((one) => pair.includes(one))
      ? pair : [id];
  };
  return [playersEditor(at, at.seats, players, (id) => at.set({ players: tap(id) })),
    suitEditor(at, trump, (letter) => at.set({ trump: letter }), true)];
}

function outcomeEditor(at, { winner, la_vola: laVola, vole }) {
  const said = laVola ?? vole;
  const name = laVola ? 'la_vola' : 'vole';
  return [
    winner !== undefined && playersEditor(at, at.seats, [winner], (id) => at.set({ winner: id })),
    winner !== undefined && !said && at.seats.length === 5
      && fewTricks(at, [[null, 'nobody', t('record.nobody')]], () => winner === null,
      () => at.set({ winner: null })),
    laVola && playersEditor(at, at.seats, [laVola.player],
      (player) => at.set({ la_vola: { ...laVola, player } })),
    said && fewTricks(at, [[true, 'won', t('record.vola_won')], [false, 'lost', t('record.vola_lost')]],
      (won) => said.won === won, (won) => at.set({ [name]: { ...said, won } })),
  ];
}

const BID_KINDS = ['tricks', 'joint_nil', 'nil', 'blind_nil'];

/** A side's bid: how many tricks, and who (if anybody) bids nil beside them. */
function bidEditor(at, { side, tricks, nil, blind_nil: blind, joint_nil: joint }) {
  const kind = joint ? 'joint_nil' : Array.isArray(blind) || (blind && nil) ? null : blind ? 'blind_nil'
    : nil ? 'nil' : 'tricks';
  if (kind === null) return null; // both blind, as some tables allow: recorded anew if it was otherwise
  const told = (which, who) => (which === 'joint_nil' ? { joint_nil: true }
    : { tricks: tricks ?? 1, ...(which === 'tricks' ? {} : { [which]: who }) });
  const options = BID_KINDS.flatMap((which) => (which === 'tricks' ? [[['tricks'], t('spader.no_nil')]]
    : which === 'joint_nil' ? [[['joint_nil'], t('spader.joint')]]
      : sideMembers(side).map((id) =>
        [[which, id], t(which === 'nil' ? 'spader.said_nil' : 'spader.said_blind',
        { name: playerName(id) })])));
  const now = [kind, nil ?? blind].filter(Boolean).join(' ');
  return h('div', { class: 'fields' },
    kind !== 'joint_nil' && numberEditor(at, 'tricks', t('correct.tricks'), numbersUpTo(13, 1), tricks,
      (number) => at.set({ tricks: number })),
    choiceField({ name: `row-${at.index}-nil`, words: t('spader.who_nil'),
      values: options.map(([value, text]) => [value.join(' '), text]), value: now,
      pick: (value) => { const [which, who] =
        value.split(' '); at.put({ type: 'side_bid', side, ...told(which, who) }); } }));
}

const tricksTakenEditor = (at, action) => h('div', { class: 'fields' },
  Object.entries(action.taken).map(([id, count]) =>
  numberEditor(at, id, sideNames(id), numbersUpTo(at.tricks), count,
    (number) => at.set({ taken: { ...action.taken, [id]: number } }))));

const EDITORS = {
  declare: declarersEditor, trick: playerEditor('winner'), la_vola: playerEditor('player'),
  vole: playerEditor('player'), result: outcomeEditor,
  merge: (at, { together = true }) =>
    fewTricks(at, [[true, 'one', t('merge.together')], [false, 'apart', t('merge.apart')]],
    (one) => together === one, (one) => at.set({ together: one })),
  cut: cardEditor, turn_up: cardEditor, take: switchEditor(['take', 'bid.take'], ['decline', 'bid.decline']),
  decline: switchEditor(['take', 'bid.take'], ['decline', 'bid.decline']),
  bid: (at) => [valuesEditor(at, 'call', ['accept', 'pass'].map((call) => [call, call, t(`bid.${call}`)])),
    suitEditor(at, at.action.call, (call) => at.set({ call }))],
  discard: cardEditor, play: (at, action) => [playerEditor('player')(at, action), cardEditor(at, action)],
  side_bid: bidEditor, tricks: tricksTakenEditor,
  redeal: (at) =>
    [playerEditor('player')(at, at.action), valuesEditor(at, 'reason',
    ['no_spade', 'no_court', 'long_suit'].map((why) => [why, why, t(`spader.redeal.${why}`)]))],
  swap: switchEditor(['swap', 'spader.swap'], ['no_swap', 'spader.no_swap']),
  no_swap: switchEditor(['swap', 'spader.swap'], ['no_swap', 'spader.no_swap']),
  stay: switchEditor(['stay', 'stay.stay'], ['pass', 'stay.pass']),
  pass: switchEditor(['stay', 'stay.stay'], ['pass', 'stay.pass']),
  exchange: (at, { cards, turn_up: swap }) => !swap
    && fewTricks(at, numbersUpTo(5, 1).map((number) => [number, String(number), String(number)]),
    (number) => cards === number, (number) => at.set({ cards: number })),
};

/**
 * `change(actions)` gets the whole list anew. `wrong`: the place and the sentence of what the server refused.
 */
export function actionRows({ state, game, actions, change, wrong = null }) {
  const sentences = actionSentences(actions);
  const instead = (index, ...others) =>
    change([...actions.slice(0, index), ...others, ...actions.slice(index + 1)]);
  return h('ol', { class: 'rows said-rows' }, actions.map((action, index) => {
    const put = (other) => instead(index, withoutAction(other));
    const at = {
      state, action, index, says: sentences[index], seats: state.seats, pack: game.pack(state),
      tricks: game.tricks, pair: termsOf(state)?.pair,
      hue: (id) => (state.seats.includes(id) ? hueOfPlayer(state, id) : ''), put,
      set: (some) => put({ ...action, ...some }),
    };
    return h('li', { class: 'said-row', 'data-row': index },
      h('div', { class: 'said-head' }, h('span', { class: 'said' }, sentences[index]),
        h('button', { type: 'button', class: 'round', 'data-key': `row-${index}-off`,
          'aria-label': t('correct.remove', { what: sentences[index] }), onclick: () => instead(index) },
          icon('cross'))),
      EDITORS[action.type]?.(at, action),
      wrong?.place === index && h('p', { class: 'wrong', role: 'alert' }, wrong.text));
  }));
}

/** A field without a value is not there at all: the server takes null for a shape that is wrong. */
const withoutAction = (action) => Object.fromEntries(Object.entries(action)
  .filter(([, value]) => value !== undefined));

/** Another trick after the last one, for whoever took that; null where tricks are not told so. */
export function addActionButton(actions, game) {
  const last = actions.findLast(({ type }) => type === 'trick');
  const tricks = actions.filter(({ type }) => type === 'trick').length;
  if (!last || tricks >= game.tricks) return null;
  const place = actions.lastIndexOf(last) + 1;
  return [...actions.slice(0, place), { ...last }, ...actions.slice(place)];
}
