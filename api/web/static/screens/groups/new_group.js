// A new group: its name and its members. Whoever creates it is its host.

import { readItem, rememberGroup } from '../../core/device_storage.js';
import { Problem } from '../../core/request_errors.js';
import { t } from '../../core/translator.js';
import { joinByLink, keyPerRequest, warnOfTrouble,
  writeToGroup } from '../../features/groups/group_client.js';
import { h } from '../../ui/elements.js';
import { fieldError, fieldset, nameList } from '../../ui/fields.js';
import { actionButton, showScreen } from '../../ui/page.js';
import { isSameName } from '../../ui/player_tokens.js';

export function newGroupScreen() {
  const wish = { name: '', members: (readItem('names') ?? []).map((name) => name.trim())
    .filter((name) => name !== '') };
  const key = keyPerRequest();
  const names = nameList(wish.members);
  const form = h('form', { id: 'opening', novalidate: true, oninput: () => fieldError(form),
    onsubmit: (event) => { event.preventDefault(); createGroup(form, wish, names.rest(), key); } },
    h('p', { class: 'dim' }, t('start.no_circle')),
    h('label', { class: 'field' }, h('span', {}, t('circle.name')),
      h('input', { type: 'text', name: 'name', maxlength: 40, placeholder: t('circle.name_example'),
        'data-pointer': '/name', 'data-key': 'circle-name',
        oninput: (event) => { wish.name = event.target.value; } })),
    fieldset(t('circle.members'), null, h('p', { class: 'dim' }, t('circle.members_what')), names.node));
  showScreen({
    title: t('start.found'), backHref: '#/', fresh: true, main: [form],
    bar: [actionButton('found', t('circle.found'), () => form.requestSubmit(), { big: true })],
  });
  return {};
}

async function createGroup(form, { name, members }, rest, key) {
  fieldError(form);
  const address = location.hash;
  if (name.trim() === '') { fieldError(form, '/name', t('circle.nameless')); return; }
  const names = rest === '' || members.some((member) => isSameName(member, rest)) ? members
    : [...members, rest];
  const body = { name: name.trim(), members: names.map((memberName) => ({ name: memberName })) };
  try {
    const circle = await writeToGroup('/v1/circles', body, { key: key(body) });
    await joinByLink(circle.id, circle.tokens.host);
    rememberGroup(circle);
    if (location.hash === address) location.replace(`#/c/${circle.id}`);
  } catch (trouble) {
    const placed = trouble instanceof Problem && trouble.errors.length > 0
      && trouble.errors.every(({ pointer, detail }) => fieldError(form, pointer, detail));
    if (!placed) warnOfTrouble(trouble);
  }
}
