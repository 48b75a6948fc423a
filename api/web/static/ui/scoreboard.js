// The sheet of points: who is ahead, how far it is to the goal, and what the last deal gave.

import { h } from './elements.js';
import { figure, markersOf, members, party, sign, signed } from '../domain/points.js';
import { t } from '../core/translator.js';

/** Best first. `game.course` says where everybody began and where the goal is; `change`: keeper → points of a deal. */
export function scoreboard(state, game, change = {}) {
  const { start, goal } = game.course(state);
  const scores = Object.entries(state.scores);
  const all = scores.map(([, points]) => points);
  // The track begins where the one farthest behind stands, so that nobody falls off it.
  const from = goal > start ? Math.min(start, ...all) : Math.max(start, ...all);
  const best = goal > start ? (one, other) => other - one : (one, other) => one - other;
  scores.sort(([, one], [, other]) => best(one, other));
  return h('ol', { class: 'rows scores' }, scores.map(([keeper, points]) => {
    const won = state.winner?.includes(keeper);
    const gave = change[keeper];
    return h('li', { class: `row ${members(keeper).length > 1 ? 'two' : 'one-alone'}${won ? ' won' : ''}`, 'data-keeper': keeper },
      party(state, keeper),
      gave !== undefined && h('span', { class: `moved ${sign(goal > start ? gave : -gave) || 'dim'}` }, signed(gave)),
      h('b', { class: 'amount', 'data-points': points }, figure(points)),
      track(state, keeper, (points - from) / (goal - from)),
      (won || state.overtricks) && h('span', { class: 'tags' },
        won && h('span', { class: 'tag first' }, t('points.won')),
        state.overtricks && h('span', { class: 'tag bags' }, t('points.bags', { count: state.overtricks[keeper] })),
        !state.winner && game.warning?.(state, keeper)));
  }));
}

/** A string of beads from the start to the goal. Decoration: the figure stands beside it. */
function track(state, keeper, way) {
  const bead = h('span', { class: 'bead' }, markersOf(state, keeper));
  const line = h('span', { class: 'track', 'aria-hidden': 'true' }, bead);
  line.style.setProperty('--way', `${(100 * Math.min(1, Math.max(0, way))).toFixed(1)}%`);
  return line;
}
