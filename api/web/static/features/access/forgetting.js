// A name taken out of the book for good, by the host. The one thing here that is asked twice, since nothing undoes it.

import { h } from '../../ui/elements.js';
import { erased } from '../../core/erased.js';
import { evening, nameOf, write } from '../../core/session_store.js';
import { say, sheet, warn } from '../../ui/page.js';
import { person } from '../../ui/player_tokens.js';
import { Problem } from '../../core/api_client.js';
import { t } from '../../core/translator.js';

/** Everybody who still has a name; nothing when nobody has. `open`: somebody came here for this. */
export function forgetting({ home, open }) {
  const named = evening().players.filter((player) => !erased(player));
  if (named.length === 0) return null;
  return h('details', { class: 'fold', 'data-key': 'forgetting', open },
    h('summary', {}, t('forget.title')),
    h('p', { class: 'dim' }, t('forget.what')),
    h('ul', { class: 'rows' }, named.map(({ id }) => h('li', { class: 'row' }, person(evening(), id),
      h('button', { type: 'button', class: 'button', 'data-key': `forget-${id}`, 'aria-label': t('forget.name', { name: nameOf(id) }), onclick: () => ask(id, home) }, t('forget.label'))))));
}

function ask(id, home) {
  const name = nameOf(id);
  const dialog = sheet(t('forget.ask', { name }), [
    h('p', {}, t('forget.final', { name, number: id.slice(1) })),
    h('p', { class: 'dim' }, t('forget.stays')),
    h('div', { class: 'pair' },
      h('button', { type: 'button', class: 'button big', 'data-key': 'forget-back', onclick: () => dialog.close() }, t('forget.back')),
      h('button', { type: 'button', class: 'button', 'data-key': 'forget-sure', onclick: () => { dialog.close(); forget(id, home); } }, t('forget.sure'))),
  ]);
}

async function forget(id, home) {
  try {
    await write(`/players/${id}/name`, undefined, { method: 'DELETE', ifMatch: null });
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    warn(trouble.message);
    return;
  }
  say(t('forget.done', { name: nameOf(id) }));
  location.hash = home;
}
