// A player has won the game: a celebration, the final scores, and the way to another game.

import { roleInSession } from '../core/device_storage.js';
import { currentSession } from '../core/session_store.js';
import { listNames, t } from '../core/translator.js';
import { rematchLink } from '../features/session_setup.js';
import { sessionUndoButton } from '../features/undo.js';
import { h, rowLink } from '../ui/elements.js';
import { actionLink, announce, showScreen } from '../ui/page.js';
import { scoreboard, sideNames, sideTokens } from '../ui/player_tokens.js';
import { jackFan } from '../ui/playing_cards.js';

export function winnerScreen({ game, home }) {
  const draw = (fresh) => {
    const state = currentSession();
    if (!state.winner) { location.replace(home); return; }
    const names = listNames(state.winner.map(sideNames));
    const pays = state.options.point_value !== null && state.status === 'open'
      && roleInSession(state.id) === 'host';
    const settles = state.status === 'closed' && state.balances !== null;
    if (fresh) announce(t('points.has_won', { names }));
    showScreen({
      title: t('points.winner'), backHref: home, kind: 'front winner', fresh,
      main: [
        h('div', { class: 'hero winners' }, jackFan(t('rank.J')),
          h('p', { class: 'champions' }, state.winner.map((contestant) => sideTokens(state, contestant))),
          h('p', { class: 'headline' }, t('points.has_won', { names }))),
        scoreboard(state, game),
        h('ul', { class: 'rows' },
          h('li', { class: 'row' }, rematchLink(state)),
          h('li', { class: 'row' }, rowLink(`${home}/statement`, 'statement', t('menu.statement')))),
      ],
      bar: [
        sessionUndoButton(state, home),
        actionLink('table', t('result.table'), home, { primary: !pays && !settles }),
        pays && actionLink('close', t('points.settle'), `${home}/close`, { primary: true }),
        settles && actionLink('settle', t('menu.settle'), `${home}/settlement`, { primary: true }),
      ],
    });
  };
  draw(true);
  return { update: () => draw(false) };
}
