// How the screens show players, sides and group members: each player has a token with a colour, a shape and
// a letter, any one of which is enough to recognize it; a side has the tokens of its players, and a member
// has a token like a player's. Also the score sheet, with the distance to the goal.

import { playerName } from '../core/session_store.js';
import { listNames, t } from '../core/translator.js';
import { contestantOf, formatPoints, formatSignedPoints, isPointGame, sessionResults, sideMembers,
  signClass } from '../domain/amounts.js';
import { lastDealNumber } from '../domain/deal.js';
import { h, hiddenText, keepDescriptions, svg } from './elements.js';

/** The outlines of tokens, in a square of 40: circle, square, diamond, polygons, shield. */
export const TOKEN_SHAPES = [
  'M3 20a17 17 0 1 0 34 0a17 17 0 1 0-34 0z',
  'M10 4h20a6 6 0 0 1 6 6v20a6 6 0 0 1-6 6h-20a6 6 0 0 1-6-6v-20a6 6 0 0 1 6-6z',
  'M20 1.5L38.5 20 20 38.5 1.5 20z',
  'M20 2l16 9v18l-16 9-16-9V11z',
  'M20 2l18 13.5-7 22H9l-7-22z',
  'M13 3h14l10 10v14L27 37H13L3 27V13z',
  'M4 4h32v14c0 10-7 16-16 20C11 34 4 28 4 18z',
];

const HUES = 7;

/** Whether two names differ only in case or outer spaces. */
export const isSameName = (name, otherName) =>
  name.trim().toLocaleLowerCase() === otherName.trim().toLocaleLowerCase();

/** The class of a player's colour, and the name of its custom property without the dashes. */
export const hueClass = (index) => `hue${index % HUES}`;
export const hueOfPlayer = (state, id) => hueClass(Math.max(0, memberIndex(state.players, id)));

// Several characters may be one sign, as the members of a family are; old browsers cannot tell.
const segmenter = Intl.Segmenter && new Intl.Segmenter();
const knownSigns = new Map(); // a table asks for the same few names at each tap
function splitSigns(name) {
  if (!knownSigns.has(name)) knownSigns.set(name, segmenter
    ? Array.from(segmenter.segment(name.trim()), ({ segment }) => segment) : Array.from(name.trim()));
  return knownSigns.get(name);
}

/** One letter, or two where the first is shared: Ada is A when no other name begins with A. */
export function tokenLetters(name, names) {
  const firstLetter = (letters) => (letters[0] ?? '?').toLocaleUpperCase();
  const letters = splitSigns(name);
  const first = firstLetter(letters);
  const shared = names.filter((otherName) => firstLetter(splitSigns(otherName)) === first).length > 1;
  return shared && letters.length > 1 ? first + letters[1] : first;
}

/** A player's token; decoration, the name stands beside it. */
export const playerToken = keepDescriptions((index, letter) => svg('svg',
  { class: `player-token ${hueClass(index)}`, viewBox: '0 0 40 40', 'aria-hidden': 'true' },
  svg('path', { d: TOKEN_SHAPES[index % TOKEN_SHAPES.length] }),
  svg('text', { x: 20, y: 20, 'text-anchor': 'middle', 'dominant-baseline': 'central',
    'font-size': splitSigns(letter).length > 1 ? 15 : 19 }, letter)));

export function tokenOfPlayer(state, id) {
  const index = Math.max(0, memberIndex(state.players, id));
  const names = state.players.map((player) => player.name);
  return playerToken(index, tokenLetters(names[index] ?? '?', names));
}

/** Token and name, as in lists and sentences. */
export function playerLabel(state, id) {
  const name = state.players[memberIndex(state.players, id)]?.name ?? id;
  return h('span', { class: `person ${hueOfPlayer(state, id)}` }, tokenOfPlayer(state, id),
    h('bdi', { class: 'name' }, name));
}

/**
 * The players as a row of plates; `caption(id)` stands below the name. With `pick` the plates in `open` are
 * buttons.
 */
export function playerRow(state, ids, { caption = () => null, turn = null, pick = null, open = ids,
  marked = () => false }) {
  return h('ol', { class: 'plate-grid', 'aria-label': t('record.round') }, ids.map((id) => {
    const content = [tokenOfPlayer(state, id), h('bdi', { class: 'name' }, playerName(id)),
      h('span', { class: 'plate-content' }, caption(id)),
      turn === id && hiddenText(t('record.in_turn'))];
    const kind = `plate ${hueOfPlayer(state, id)}${turn === id ? ' turn' : ''}${marked(id) ? ' marked' : ''}`;
    return h('li', {}, pick === null ? h('div', { class: kind }, content)
      : h('button', { type: 'button', class: kind, 'data-key': `seat-${id}`, 'data-seat': id,
        disabled: !open.includes(id), onclick: () => pick(id) }, content));
  }));
}

/** Tricks taken as face-down cards; a number for screen readers. */
export const trickPips = (count) => [
  h('span', { class: 'trick-cards', 'aria-hidden': 'true' }, Array.from({ length: count }, () => h('i', {}))),
  count > 0 && hiddenText(t('record.tricks', { count })),
];

export const declarersSentence = (ids) =>
  t('record.declared', { names: listNames(ids.map(playerName)), count: ids.length });

export const sideNames = (contestant) => listNames(sideMembers(contestant).map(playerName));

/** One player, or two partners as one. */
export const sideLabel = (state, contestant) => h('span', { class: 'side-label' },
  sideMembers(contestant).map((id) => playerLabel(state, id)));

export const sideTokens = (state, contestant) =>
  h('span', { class: 'player-tokens' }, sideMembers(contestant).map((id) => tokenOfPlayer(state, id)));

/** How a player stands: the result in money, or the score. */
export function standingOf(state, id, money) {
  const result = sessionResults(state)?.[id];
  if (!isPointGame(state)) return { text: money.signed(result), sign: signClass(result) };
  const points = state.scores[contestantOf(state, id)];
  return { text: formatPoints(points), sign: '' };
}

// The score sheet: who leads, how far it is to the goal, and what the last deal gave.

// On a phone it would be broken beside the track.
const LONG_WORD = /\p{L}{8}/u;

/**
 * Best first. `game.course` gives the start and the goal; `change`: the points of the last deal by player or
 * side.
 */
export function scoreboard(state, game, change = {}) {
  const { start, goal } = game.course(state);
  const scores = Object.entries(state.scores);
  const allPoints = scores.map(([, points]) => points);
  // The track begins at the lowest score.
  const farthest = goal > start ? Math.min(start, ...allPoints) : Math.max(start, ...allPoints);
  const best = goal > start ? (points, nextPoints) => nextPoints - points
    : (points, nextPoints) => points - nextPoints;
  scores.sort(([, points], [, nextPoints]) => best(points, nextPoints));
  const hasLongName = scores.some(([contestant]) => LONG_WORD.test(sideNames(contestant)));
  const kind = hasLongName ? 'rows scores long-names' : 'rows scores';
  return h('ol', { class: kind }, scores.map(([contestant, points]) => {
    const won = state.winner?.includes(contestant);
    const gave = change[contestant];
    return h('li',
      { class: `row ${sideMembers(contestant)[1] ? 'side-of-two' : 'side-of-one'}${won ? ' won' : ''}`,
      'data-contestant': contestant },
      sideLabel(state, contestant),
      gave !== undefined && hiddenText(t('result.title', { number: lastDealNumber(state) })),
      gave !== undefined
        && h('span', { class: `score-change ${signClass(goal > start ? gave : -gave) || 'muted'}` },
          formatSignedPoints(gave)),
      h('b', { class: 'amount', 'data-points': points }, formatPoints(points)),
      scoreTrack(state, contestant, (points - farthest) / (goal - farthest)),
      (won || state.overtricks) && h('span', { class: 'tags' },
        won && h('span', { class: 'tag first' }, t('points.won')),
        state.overtricks && h('span', { class: 'tag bags' },
          t('points.bags', { count: state.overtricks[contestant] })),
        !state.winner && game.warning?.(state, contestant)));
  }));
}

/** A track from the start to the goal. Decoration: the figure stands beside it. */
function scoreTrack(state, contestant, way) {
  const style = { '--progress': `${(100 * Math.min(1, Math.max(0, way))).toFixed(1)}%` };
  return h('span', { class: 'track', 'aria-hidden': 'true', style },
    h('span', { class: 'bead' }, sideTokens(state, contestant)));
}

// The members of a group: the same tokens as players, and a sum beside each.

export const memberIndex = (members, id) => members.findIndex((member) => member.id === id);
export const memberName = (members, id) => members[memberIndex(members, id)]?.name ?? id;

export const memberToken = (members, id) => tokenOfPlayer({ players: members }, id);
export const memberLabel = (members, id) => playerLabel({ players: members }, id);

const sortBySum = (amounts) => Object.entries(amounts).sort(([, amount], [, nextAmount]) =>
  nextAmount - amount);

/** The members' sums, highest first. */
export const memberSums = (members, amounts, money) =>
  h('span', { class: 'amounts' }, sortBySum(amounts).map(([id, amount]) =>
  h('span', { class: 'inline-item' }, memberLabel(members, id), ' ', h('b', {}, money.signed(amount)))));

/** The same in one line, where the tokens stand for the names. */
export const sessionResult = (members, amounts, money) =>
  h('span', { class: 'session-results' }, sortBySum(amounts).map(([id, amount]) =>
  h('span', { class: 'inline-item' }, memberToken(members, id), hiddenText(memberName(members, id)),
    h('b', { class: signClass(amount) }, money.bare(amount) || '0'))));
