// Scores and standings: players or sides, their points, and how far they are from the goal.

import { playerName } from '../core/session_store.js';
import { listNames, t } from '../core/translator.js';
import { formatPoints, formatSignedPoints, isPointGame, scoreKeeper, sessionResults, sideMembers,
  signClass } from '../domain/amounts.js';
import { h } from './elements.js';
import { playerLabel, tokenOfPlayer } from './player_tokens.js';

export const sideNames = (keeper) => listNames(sideMembers(keeper).map(playerName));

/** One player, or two partners as one. */
export const sideLabel = (state, keeper) => h('span', { class: 'party' },
  sideMembers(keeper).map((id) => playerLabel(state, id)));

export const sideTokens = (state, keeper) =>
  h('span', { class: 'markers' }, sideMembers(keeper).map((id) => tokenOfPlayer(state, id)));

/** How a player stands: the result in money, or the score. */
export function standingOf(state, id, money) {
  const result = sessionResults(state)?.[id];
  if (!isPointGame(state)) return { text: money.signed(result), sign: signClass(result) };
  const points = state.scores[scoreKeeper(state, id)];
  return { text: formatPoints(points), sign: '' };
}

// The score sheet: who leads, how far it is to the goal, and what the last deal gave.

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

/** A track from the start to the goal. Decoration: the figure stands beside it. */
function scoreTrack(state, keeper, way) {
  const bead = h('span', { class: 'bead' }, sideTokens(state, keeper));
  const line = h('span', { class: 'track', 'aria-hidden': 'true' }, bead);
  line.style.setProperty('--way', `${(100 * Math.min(1, Math.max(0, way))).toFixed(1)}%`);
  return line;
}
