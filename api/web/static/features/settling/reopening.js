// The closing is taken back, as long as nobody has acted on it: the evening goes on where it stood.

import { h } from '../../ui/elements.js';
import { evening, refresh, write } from '../../core/session_store.js';
import { roleIn } from '../../core/device_storage.js';
import { act, say, warn } from '../../ui/page.js';
import { unsent } from '../../core/sync_queue.js';
import { Problem } from '../../core/api_client.js';
import { t } from '../../core/translator.js';

export const mayReopen = (state) => state.closure?.reopenable === true && roleIn(state.id) === 'host' && unsent(state.id).length === 0;

/** What it is and a button that does it; then the table is shown again. */
export const reopening = (home, still) => h('section', { class: 'offer reopening' }, h('p', {}, t('reopen.ask')),
  act('reopen', t('reopen.back'), (event) => reopen(home, still, event)));

async function reopen(home, still, event) {
  event.currentTarget.disabled = true;
  try {
    await write('/closure', undefined, { method: 'DELETE', ifMatch: evening().version, note: { what: t('reopen.back') } });
    say(t('reopen.done'));
    if (still()) location.hash = home;
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    await refresh();
    warn(trouble.message);
  }
}
