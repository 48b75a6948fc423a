// A new circle: what it is called, and who is of it. Whoever writes it down is its host.

import { keyed, letIn, told, write } from '../../features/groups/group_client.js';
import { roll } from '../../ui/roll.js';
import { h } from '../../ui/elements.js';
import { fieldset, wrong } from '../../ui/fields.js';
import { recall, rememberCircle } from '../../core/device_storage.js';
import { act, show } from '../../ui/page.js';
import { same } from '../../ui/player_tokens.js';
import { Problem } from '../../core/api_client.js';
import { t } from '../../core/translator.js';

export function founding() {
  const wish = { name: '', members: (recall('names') ?? []).map((name) => name.trim()).filter((name) => name !== '') };
  const key = keyed();
  const names = roll(wish.members);
  const form = h('form', { id: 'opening', novalidate: true, oninput: () => wrong(form),
    onsubmit: (event) => { event.preventDefault(); found(form, wish, names.rest(), key); } },
    h('p', { class: 'dim' }, t('start.no_circle')),
    h('label', { class: 'field' }, h('span', {}, t('circle.name')),
      h('input', { type: 'text', name: 'name', maxlength: 40, placeholder: t('circle.name_example'), 'data-pointer': '/name', 'data-key': 'circle-name',
        oninput: (event) => { wish.name = event.target.value; } })),
    fieldset(t('circle.members'), null, h('p', { class: 'dim' }, t('circle.members_what')), names.node));
  show({
    title: t('start.found'), back: '#/', fresh: true, main: [form],
    bar: [act('found', t('circle.found'), () => form.requestSubmit(), { big: true })],
  });
  return {};
}

async function found(form, { name, members }, rest, key) {
  wrong(form);
  const here = location.hash;
  if (name.trim() === '') { wrong(form, '/name', t('circle.nameless')); return; }
  const all = rest === '' || members.some((one) => same(one, rest)) ? members : [...members, rest];
  const body = { name: name.trim(), members: all.map((one) => ({ name: one })) };
  try {
    const circle = await write('/v1/circles', body, { key: key(body) });
    await letIn(circle.id, circle.tokens.host);
    rememberCircle(circle);
    if (location.hash === here) location.replace(`#/c/${circle.id}`);
  } catch (trouble) {
    const placed = trouble instanceof Problem && trouble.errors.length > 0 && trouble.errors.every(({ pointer, detail }) => wrong(form, pointer, detail));
    if (!placed) told(trouble);
  }
}
