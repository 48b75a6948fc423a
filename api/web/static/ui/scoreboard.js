// Points as they stand on a sheet: whole numbers with a real minus, kept for players or for two partners.
// Does not know what they are given for.

import { playerName } from '../core/session_store.js';
import { listNames, t } from '../core/translator.js';
import { formatPoints, formatSignedPoints, isPointGame, scoreKeeper, sessionResults, sideMembers,
  signClass } from '../domain/points.js';
import { h } from './elements.js';
import { playerLabel, tokenOfPlayer } from './player_tokens.js';

export const sideNames = (keeper) => listNames(sideMembers(keeper).map(playerName));

/** One person, or two partners as one. */
export const sideLabel = (state, keeper) => h('span', { class: 'party' },
  sideMembers(keeper).map((id) => playerLabel(state, id)));

export const sideTokens = (state, keeper) =>
  h('span', { class: 'markers' }, sideMembers(keeper).map((id) => tokenOfPlayer(state, id)));

/** What everybody sees of how somebody stands: money if it is for money, else points. */
export function standingOf(state, id, money) {
  const result = sessionResults(state)?.[id];
  if (!isPointGame(state)) return { text: money.signed(result), sign: signClass(result) };
  const points = state.scores[scoreKeeper(state, id)];
  return { text: formatPoints(points), sign: '' };
}

// The sheet of points: who is ahead, how far it is to the goal, and what the last deal gave.

/**
 * Best first. `game.course` says where everybody began and where the goal is; `change`: keeper → points of a
 * deal.
 */
export function scoreboard(state, game, change = {}) {
  const { start, goal } = game.course(state);
  const scores = Object.entries(state.scores);
  const allPoints = scores.map(([, points]) => points);
  // The track begins where the one farthest behind stands, so that nobody falls off it.
  const farthest = goal > start ? Math.min(start, ...allPoints) : Math.max(start, ...allPoints);
  const best = goal > start ? (points, nextPoints) => nextPoints - points
    : (points, nextPoints) => points - nextPoints;
  scores.sort(([, points], [, nextPoints]) => best(points, nextPoints));
  return h('ol', { class: 'rows scores' }, scores.map(([keeper, points]) => {
    const won = state.winner?.includes(keeper);
    const gave = change[keeper];
    return h('li',
      { class: `row ${sideMembers(keeper).length > 1 ? 'two' : 'one-alone'}${won ? ' won' : ''}`,
      'data-keeper': keeper },
      sideLabel(state, keeper),
      gave !== undefined && h('span', { class: `moved ${signClass(goal > start ? gave : -gave) || 'dim'}` },
        formatSignedPoints(gave)),
      h('b', { class: 'amount', 'data-points': points }, formatPoints(points)),
      scoreTrack(state, keeper, (points - farthest) / (goal - farthest)),
      (won || state.overtricks) && h('span', { class: 'tags' },
        won && h('span', { class: 'tag first' }, t('points.won')),
        state.overtricks && h('span', { class: 'tag bags' },
          t('points.bags', { count: state.overtricks[keeper] })),
        !state.winner && game.warning?.(state, keeper)));
  }));
}

/** A string of beads from the start to the goal. Decoration: the figure stands beside it. */
function scoreTrack(state, keeper, way) {
  const bead = h('span', { class: 'bead' }, sideTokens(state, keeper));
  const line = h('span', { class: 'track', 'aria-hidden': 'true' }, bead);
  line.style.setProperty('--way', `${(100 * Math.min(1, Math.max(0, way))).toFixed(1)}%`);
  return line;
}
