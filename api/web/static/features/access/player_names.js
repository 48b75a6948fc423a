// The host's sections that correct a misspelt name and that erase a name for good.
// Both change only how a player is shown; recorded deals and money stay as they are.

import { sessionPath } from '../../core/api_client.js';
import { Problem } from '../../core/request_errors.js';
import { currentSession, playerName } from '../../core/session_store.js';
import { refreshSession, writeToSession } from '../../core/session_sync.js';
import { isNameErased, t } from '../../core/translator.js';
import { buildElement, h, hiddenText } from '../../ui/elements.js';
import { fieldError } from '../../ui/fields.js';
import { announce, openSheet, showWarning } from '../../ui/page.js';
import { isSameName, playerLabel } from '../../ui/player_tokens.js';
import { warnOfTrouble, writeToGroup } from '../groups/group_client.js';

/** A folded list of the named players; `open` unfolds it. */
export function renamePlayers({ open }) {
  const named = currentSession().players.filter((player) => !isNameErased(player));
  return named.length > 0 && h('details', { class: 'fold', open },
    h('summary', { 'data-key': 'naming' }, t('seating.names')),
    h('p', { class: 'dim' }, t('door.names_what')),
    h('ul', { class: 'rows' }, named.map(({ id }) => h('li', { class: 'row' },
      playerLabel(currentSession(), id),
      h('button', {
        type: 'button', class: 'button', 'data-key': `name-${id}`, onclick: () => askNewName(id),
      }, t('door.name_fix'), hiddenText(`: ${playerName(id)}`))))));
}

function askNewName(id) {
  const { name: currentName } = currentSession().players.find((player) => player.id === id);
  const input = buildElement(h('input', {
    type: 'text', value: currentName, maxlength: 40, autocomplete: 'off', autocapitalize: 'words',
    spellcheck: 'false', enterkeyhint: 'done',
    'data-key': 'name-new', 'data-pointer': '/name',
  }));
  const form = buildElement(h('form', {
    class: 'asking', novalidate: true, oninput: () => fieldError(form),
    onsubmit: (event) => { event.preventDefault(); submit(); },
  }, h('label', { class: 'field' }, h('span', {}, t('door.name_new')), input),
  h('button', { type: 'submit', class: 'button big', 'data-key': 'name-send' }, t('door.name_keep'))));
  const dialog = openSheet(t('door.name_of', { name: playerName(id) }), form);
  input.select();

  async function submit() {
    const name = input.value.trim();
    fieldError(form);
    if (name === '') { fieldError(form, '/name', t('opening.names_first')); return; }
    const isTaken = currentSession().players
      .some((player) => player.id !== id && isSameName(player.name, name));
    if (isTaken) { fieldError(form, '/name', t('opening.same_name')); return; }
    try {
      await writeToGroup(sessionPath(currentSession().id, `/players/${id}/name`), { name },
        { method: 'PUT' });
      dialog.close();
      await refreshSession(); // redraws the whole screen
      announce(t('door.name_done', { name }));
    } catch (trouble) {
      const [problem] = trouble instanceof Problem ? trouble.errors : [];
      if (!problem || !fieldError(form, '/name', problem.detail)) warnOfTrouble(trouble);
    }
  }
}

/**
 * A folded list of the players whose names can be erased, or null; `open` unfolds it. A sheet asks for
 * confirmation, because nothing undoes an erasure.
 */
export function erasableNames({ home, open }) {
  const named = currentSession().players.filter((player) => !isNameErased(player));
  if (named.length === 0) return null;
  return h('details', { class: 'fold', 'data-key': 'forgetting', open },
    h('summary', {}, t('forget.title')),
    h('p', { class: 'dim' }, t('forget.what')),
    h('ul', { class: 'rows' }, named.map(({ id }) => h('li', { class: 'row' },
      playerLabel(currentSession(), id),
      h('button', {
        type: 'button', class: 'button', 'data-key': `forget-${id}`,
        'aria-label': t('forget.name', { name: playerName(id) }), onclick: () => askNameErasure(id, home),
      }, t('forget.label'))))));
}

function askNameErasure(id, home) {
  const name = playerName(id);
  const dialog = openSheet(t('forget.ask', { name }), [
    h('p', {}, t('forget.final', { name, number: id.slice(1) })),
    h('p', { class: 'dim' }, t('forget.stays')),
    h('div', { class: 'pair' },
      h('button', { type: 'button', class: 'button big', 'data-key': 'forget-back',
        onclick: () => dialog.close() }, t('forget.back')),
      h('button', { type: 'button', class: 'button', 'data-key': 'forget-sure',
        onclick: () => { dialog.close(); eraseName(id, home); } }, t('forget.sure'))),
  ]);
}

async function eraseName(id, home) {
  try {
    await writeToSession(`/players/${id}/name`, undefined, { method: 'DELETE', ifMatch: null });
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    showWarning(trouble.message);
    return;
  }
  announce(t('forget.done', { name: playerName(id) }));
  location.hash = home;
}
