// Statements of the session to download: for whom, which period, which format; and how to verify them without
// Vola.

import { sessionPath } from '../core/api_client.js';
import { currentSession } from '../core/session_store.js';
import { loadAllSentences, t } from '../core/translator.js';
import { isPointGame } from '../domain/amounts.js';
import { statementForm, statementQuery, verifyPageLink } from '../features/statement_form.js';
import { syncStatus } from '../features/sync_status.js';
import { h } from '../ui/elements.js';
import { fieldset, pillGroup } from '../ui/fields.js';
import { downloadRow } from '../ui/file_download.js';
import { showScreen } from '../ui/page.js';
import { playerLabel } from '../ui/player_tokens.js';

export async function statementScreen({ id, home, isCurrent }) {
  await loadAllSentences();
  if (!isCurrent()) return null;
  const wish = { ...statementQuery(), unit: isPointGame(currentSession()) ? 'points' : 'money' };
  const fileNameOf = (ending) => `${currentSession().title ?? t('start.untitled')}${ending}`;
  const units = (changed) => isPointGame(currentSession()) && currentSession().balances !== null
    && fieldset(t('statement.unit'), null,
    pillGroup('unit', [['points', t('statement.points')], ['money', t('statement.money')]], wish.unit,
      (unit) => { wish.unit = unit; changed(); }));
  const wishes = statementForm(wish, {
    all: t('statement.all'),
    people: () =>
      currentSession().players.map((player) => [player.id, playerLabel(currentSession(), player.id)]),
    more: units,
    about: () => ({ unit: wish.unit, ...(wish.whose && { player: wish.whose }) }),
    at: (rest) => sessionPath(id, rest),
    called: fileNameOf,
    checks: () => [h('p', {}, t('check.what')), verifyPageLink(
      downloadRow({ key: 'export', title: t('check.export'), what: t('check.export.for'),
        fallback: () => fileNameOf('.json'), address: () => sessionPath(id, '/export') }))],
  });
  let people = 0;

  function draw(fresh) {
    people = currentSession().players.length;
    wishes.draw();
    showScreen({ title: t('menu.statement'), backHref: home, headerEnd: syncStatus(), fresh,
      main: [h('p', { class: 'lead' }, t('statement.what')), wishes.node] });
  }
  draw(true);
  return {
    // Only the players' names change here; drawing the page again would interrupt a download.
    update: (state) => {
      if (state.players.length !== people) draw(false);
      else document.querySelector('#head .sync')?.replaceWith(syncStatus());
    },
  };
}
