// Score kept on paper: sheets to print, and the way to type in afterwards what was written on them.

import { sessionPath } from '../core/api_client.js';
import { roleInSession } from '../core/device_storage.js';
import { currentSession } from '../core/session_store.js';
import { language, t } from '../core/translator.js';
import { redrawSyncStatus, syncStatus } from '../features/sync_status.js';
import { h, icon } from '../ui/elements.js';
import { showScreen } from '../ui/page.js';

const PAPERS = ['a4', 'a5'];

export function paperScreen({ id, home }) {
  const mayEnter = currentSession().status === 'open' && roleInSession(id) !== 'viewer';
  const row = (key, href, title, note, more = {}) => h('li', { class: 'row download-row' },
    h('a', { class: 'row-link', href, 'data-key': key, ...more },
      h('span', { class: 'row-name' }, title, h('span', { class: 'muted row-note' }, note)), icon('on')));
  showScreen({ title: t('menu.paper'), backHref: home, headerEnd: syncStatus(), fresh: true, main: [
    h('section', {}, h('h2', {}, t('paper.print')), h('ul', { class: 'rows' }, PAPERS.map((paper) =>
      row(`sheet-${paper}`, sessionPath(id, `/score-sheet?paper=${paper}&lang=${language()}`),
        t('paper.sheet', { paper: paper.toUpperCase() }), t('paper.sheet.for'),
        { target: '_blank', rel: 'noopener' })))),
    mayEnter && h('section', {}, h('h2', {}, t('paper.enter')), h('ul', { class: 'rows' },
      row('late', `${home}/late`, t('late.title'), t('late.title.for')))),
  ] });
  return { update: redrawSyncStatus };
}
