// Somebody has won: the table rises. Then what it was worth, and whether there is another game.

import { h, icon } from '../ui/elements.js';
import { evening } from '../core/session_store.js';
import { roleIn } from '../core/device_storage.js';
import { go, say, show } from '../ui/page.js';
import { sameAgain } from '../features/people.js';
import { markersOf, namesOf } from '../domain/points.js';
import { scoreboard } from '../ui/scoreboard.js';
import { jacks } from '../ui/suits.js';
import { undoLast } from '../features/undo.js';
import { t, together } from '../core/translator.js';

export function winner({ game, home }) {
  const draw = (fresh) => {
    const state = evening();
    if (!state.winner) { location.replace(home); return; }
    const names = together(state.winner.map(namesOf));
    const pays = state.options.point_value !== null && state.status === 'open' && roleIn(state.id) === 'host';
    const settles = state.status === 'closed' && state.balances !== null;
    if (fresh) say(t('points.has_won', { names }));
    show({
      title: t('points.winner'), back: home, kind: 'front winner', fresh,
      main: [
        h('div', { class: 'sign laurels' }, jacks(t('rank.J')),
          h('p', { class: 'champions' }, state.winner.map((keeper) => markersOf(state, keeper))),
          h('p', { class: 'motto' }, t('points.has_won', { names }))),
        scoreboard(state, game),
        h('ul', { class: 'rows' },
          h('li', { class: 'row' }, sameAgain(state)),
          h('li', { class: 'row' }, h('a', { class: 'row-link', href: `${home}/statement` }, h('span', { class: 'row-name' }, t('menu.statement')), icon('on')))),
      ],
      bar: [
        undoLast(state, home),
        go('table', t('result.table'), home, { big: !pays && !settles }),
        pays && go('close', t('points.settle'), `${home}/close`, { big: true }),
        settles && go('settle', t('menu.settle'), `${home}/settlement`, { big: true }),
      ],
    });
  };
  draw(true);
  return { update: () => draw(false) };
}
