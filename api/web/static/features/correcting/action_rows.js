// What was recorded of a deal, a row for each thing said, and what may be changed in it by a tap.
// The server decides whether the deal can have been played so; this only keeps the shapes right.

import { cutterOf } from '../../domain/deal.js';
import { aside, h, icon } from '../../ui/elements.js';
import { nameOf } from '../../core/session_store.js';
import { choice } from '../../ui/fields.js';
import { corner, rankOf, spoken, suitOf } from '../../domain/cards.js';
import { sheet } from '../../ui/page.js';
import { hueOf, markerOf } from '../../ui/player_tokens.js';
import { members, namesOf } from '../../domain/points.js';
import { picker } from '../../ui/picker.js';
import { upTo } from '../../games/recorder/counting.js';
import { allInWords } from '../../ui/action_sentences.js';
import { suit, SUITS } from '../../ui/suits.js';
import { t } from '../../core/translator.js';
import { termsOf } from '../../domain/games.js';

/** One of a few, each as large as a thumb: [value, key, what is drawn, its name where that is a picture]. */
const few = (at, options, chosen, pick) => h('div', { class: 'few', role: 'group', 'aria-label': at.says }, options.map(([value, key, drawn, name]) => h('button', {
  type: 'button', class: `chip${name && !SUITS.includes(key) ? ` ${at.hue(key)}` : ''}`, 'data-key': `row-${at.index}-${key}`,
  'aria-pressed': String(chosen(value)), onclick: () => pick(value),
}, drawn, name && aside(name))));

const people = (at, ids, chosen, pick) => few(at, ids.map((id) => [id, id, markerOf(at.state, id), nameOf(id)]), (id) => chosen.includes(id), pick);
const person = (field) => (at, action) => people(at, at.seats, [action[field]], (id) => at.set({ [field]: id }));
const words = (at, field, options) => few(at, options.map(([value, key, text]) => [value, key, text]), (value) => at.action[field] === value, (value) => at.set({ [field]: value }));
const either = (one, other) => (at) => few(at, [one, other].map(([type, text]) => [type, type, t(text)]), (type) => at.action.type === type, (type) => at.set({ type }));

const suits = (at, value, pick, none) => few(at, [
  ...SUITS.map((letter) => [letter, letter, suit(letter), t(`suit.${letter}`)]),
  ...(none ? [[undefined, 'none', '–', t('correct.unknown')]] : []),
], (letter) => value === letter, pick);

const numbers = (at, name, title, list, value, pick) => choice({
  name: `row-${at.index}-${name}`, words: title, values: list.map((number) => [number, String(number)]), value, pick,
});

/** A card face up; a tap opens the pack. */
const card = (at, action) => h('button', {
  type: 'button', class: 'chip card-chip', 'data-key': `row-${at.index}-card`,
  onclick: () => {
    const dialog = sheet(t('correct.which_card'), picker({ pack: at.pack, may: at.pack, pick: (other) => { dialog.close(); at.set({ card: other }); } }));
  },
}, action.card ? [h('b', { 'aria-hidden': 'true' }, corner(rankOf(action.card))), suit(suitOf(action.card)), aside(spoken(action.card))] : t('correct.which_card'));

/** Two declare only as the dealer and whoever cut. */
function declarers(at, { players, trump }) {
  const { dealer } = at.state.deal;
  const pair = at.pair ? [dealer, cutterOf(at.seats, dealer)] : [];
  const tap = (id) => {
    if (players.includes(id) && players.length > 1) return players.filter((one) => one !== id);
    return players.length === 1 && players[0] !== id && [id, players[0]].every((one) => pair.includes(one)) ? pair : [id];
  };
  return [people(at, at.seats, players, (id) => at.set({ players: tap(id) })), suits(at, trump, (letter) => at.set({ trump: letter }), true)];
}

function outcome(at, { winner, la_vola: laVola, vole }) {
  const said = laVola ?? vole;
  const name = laVola ? 'la_vola' : 'vole';
  return [
    winner !== undefined && people(at, at.seats, [winner], (id) => at.set({ winner: id })),
    winner !== undefined && !said && at.seats.length === 5 && few(at, [[null, 'nobody', t('record.nobody')]], () => winner === null, () => at.set({ winner: null })),
    laVola && people(at, at.seats, [laVola.player], (player) => at.set({ la_vola: { ...laVola, player } })),
    said && few(at, [[true, 'won', t('record.vola_won')], [false, 'lost', t('record.vola_lost')]], (won) => said.won === won, (won) => at.set({ [name]: { ...said, won } })),
  ];
}

const KINDS = ['tricks', 'joint_nil', 'nil', 'blind_nil'];

/** A side's bid: how many tricks, and who (if anybody) bids nil beside them. */
function bid(at, { side, tricks, nil, blind_nil: blind, joint_nil: joint }) {
  const kind = joint ? 'joint_nil' : Array.isArray(blind) || (blind && nil) ? null : blind ? 'blind_nil' : nil ? 'nil' : 'tricks';
  if (kind === null) return null; // both blind, as some tables allow: recorded anew if it was otherwise
  const told = (which, who) => (which === 'joint_nil' ? { joint_nil: true }
    : { tricks: tricks ?? 1, ...(which === 'tricks' ? {} : { [which]: who }) });
  const options = KINDS.flatMap((which) => (which === 'tricks' ? [[['tricks'], t('spader.no_nil')]]
    : which === 'joint_nil' ? [[['joint_nil'], t('spader.joint')]]
      : members(side).map((id) => [[which, id], t(which === 'nil' ? 'spader.said_nil' : 'spader.said_blind', { name: nameOf(id) })])));
  const now = [kind, nil ?? blind].filter(Boolean).join(' ');
  return h('div', { class: 'fields' },
    kind !== 'joint_nil' && numbers(at, 'tricks', t('correct.tricks'), upTo(13, 1), tricks, (number) => at.set({ tricks: number })),
    choice({ name: `row-${at.index}-nil`, words: t('spader.who_nil'), values: options.map(([value, text]) => [value.join(' '), text]), value: now,
      pick: (value) => { const [which, who] = value.split(' '); at.put({ type: 'side_bid', side, ...told(which, who) }); } }));
}

const taken = (at, action) => h('div', { class: 'fields' }, Object.entries(action.taken).map(([id, count]) =>
  numbers(at, id, namesOf(id), upTo(at.tricks), count, (number) => at.set({ taken: { ...action.taken, [id]: number } }))));

const EDITORS = {
  declare: declarers, trick: person('winner'), la_vola: person('player'), vole: person('player'), result: outcome,
  merge: (at, { together = true }) => few(at, [[true, 'one', t('merge.together')], [false, 'apart', t('merge.apart')]], (one) => together === one, (one) => at.set({ together: one })),
  cut: card, turn_up: card, take: either(['take', 'bid.take'], ['decline', 'bid.decline']), decline: either(['take', 'bid.take'], ['decline', 'bid.decline']),
  bid: (at) => [words(at, 'call', ['accept', 'pass'].map((call) => [call, call, t(`bid.${call}`)])), suits(at, at.action.call, (call) => at.set({ call }))],
  discard: card, play: (at, action) => [person('player')(at, action), card(at, action)],
  side_bid: bid, tricks: taken,
  redeal: (at) => [person('player')(at, at.action), words(at, 'reason', ['no_spade', 'no_court', 'long_suit'].map((why) => [why, why, t(`spader.redeal.${why}`)]))],
  swap: either(['swap', 'spader.swap'], ['no_swap', 'spader.no_swap']), no_swap: either(['swap', 'spader.swap'], ['no_swap', 'spader.no_swap']),
  stay: either(['stay', 'stay.stay'], ['pass', 'stay.pass']), pass: either(['stay', 'stay.stay'], ['pass', 'stay.pass']),
  exchange: (at, { cards, turn_up: swap }) => !swap && few(at, upTo(5, 1).map((number) => [number, String(number), String(number)]), (number) => cards === number, (number) => at.set({ cards: number })),
};

/** `change(actions)` gets the whole list anew. `wrong`: the place and the sentence of what the server refused. */
export function rows({ state, game, actions, change, wrong = null }) {
  const sentences = allInWords(actions);
  const instead = (index, ...others) => change([...actions.slice(0, index), ...others, ...actions.slice(index + 1)]);
  return h('ol', { class: 'rows said-rows' }, actions.map((action, index) => {
    const put = (other) => instead(index, without(other));
    const at = {
      state, action, index, says: sentences[index], seats: state.seats, pack: game.pack(state), tricks: game.tricks, pair: termsOf(state)?.pair,
      hue: (id) => (state.seats.includes(id) ? hueOf(state, id) : ''), put, set: (some) => put({ ...action, ...some }),
    };
    return h('li', { class: 'said-row', 'data-row': index },
      h('div', { class: 'said-head' }, h('span', { class: 'said' }, sentences[index]),
        h('button', { type: 'button', class: 'round', 'data-key': `row-${index}-off`, 'aria-label': t('correct.remove', { what: sentences[index] }), onclick: () => instead(index) }, icon('cross'))),
      EDITORS[action.type]?.(at, action),
      wrong?.place === index && h('p', { class: 'wrong', role: 'alert' }, wrong.text));
  }));
}

/** A field without a value is not there at all: the server takes null for a shape that is wrong. */
const without = (action) => Object.fromEntries(Object.entries(action).filter(([, value]) => value !== undefined));

/** Another trick after the last one, for whoever took that; null where tricks are not told so. */
export function oneMore(actions, game) {
  const last = actions.findLast(({ type }) => type === 'trick');
  const tricks = actions.filter(({ type }) => type === 'trick').length;
  if (!last || tricks >= game.tricks) return null;
  const place = actions.lastIndexOf(last) + 1;
  return [...actions.slice(0, place), { ...last }, ...actions.slice(place)];
}
