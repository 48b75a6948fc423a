// A misspelt name, put right by the host: the right one stands everywhere, and nothing that was played changes.

import { told, write } from '../groups/group_client.js';
import { aside, h } from '../../ui/elements.js';
import { evening, nameOf, refresh } from '../../core/session_store.js';
import { wrong } from '../../ui/fields.js';
import { erased } from '../../core/erased.js';
import { say, sheet } from '../../ui/page.js';
import { person, same } from '../../ui/player_tokens.js';
import { Problem, session } from '../../core/api_client.js';
import { t } from '../../core/translator.js';

/** Everybody who has a name, folded away. `open`: somebody came here for this. */
export function naming({ open }) {
  const named = evening().players.filter((player) => !erased(player));
  return named.length > 0 && h('details', { class: 'fold', open },
    h('summary', { 'data-key': 'naming' }, t('seating.names')),
    h('p', { class: 'dim' }, t('door.names_what')),
    h('ul', { class: 'rows' }, named.map(({ id }) => h('li', { class: 'row' }, person(evening(), id),
      h('button', { type: 'button', class: 'button', 'data-key': `name-${id}`, onclick: () => ask(id) }, t('door.name_fix'), aside(`: ${nameOf(id)}`))))));
}

function ask(id) {
  const { name: now } = evening().players.find((player) => player.id === id);
  const input = h('input', {
    type: 'text', value: now, maxlength: 40, autocomplete: 'off', autocapitalize: 'words', spellcheck: 'false', enterkeyhint: 'done',
    'data-key': 'name-new', 'data-pointer': '/name',
  });
  const form = h('form', { class: 'asking', novalidate: true, oninput: () => wrong(form), onsubmit: (event) => { event.preventDefault(); submit(); } },
    h('label', { class: 'field' }, h('span', {}, t('door.name_new')), input),
    h('button', { type: 'submit', class: 'button big', 'data-key': 'name-send' }, t('door.name_keep')));
  const dialog = sheet(t('door.name_of', { name: nameOf(id) }), form);
  input.select();

  async function submit() {
    const name = input.value.trim();
    wrong(form);
    if (name === '') { wrong(form, '/name', t('opening.names_first')); return; }
    if (evening().players.some((player) => player.id !== id && same(player.name, name))) { wrong(form, '/name', t('opening.same_name')); return; }
    try {
      await write(session(evening().id, `/players/${id}/name`), { name }, { method: 'PUT' });
      dialog.close();
      await refresh(); // the whole screen is drawn anew with it
      say(t('door.name_done', { name }));
    } catch (trouble) {
      const [problem] = trouble instanceof Problem ? trouble.errors : [];
      if (!problem || !wrong(form, '/name', problem.detail)) told(trouble);
    }
  }
}
