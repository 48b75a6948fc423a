// Who is of the circle: somebody new, and the way to be forgotten. Nothing undoes that, so it is asked twice.

import { h } from '../../ui/elements.js';
import { erased } from '../../core/erased.js';
import { forgetName, roleIn } from '../../core/device_storage.js';
import { act, say, sheet, show } from '../../ui/page.js';
import { speakAlso, t } from '../../core/translator.js';
import { at, keyed, told, write } from '../../features/groups/group_client.js';
import { called, member } from '../../features/groups/member_tokens.js';

export async function members({ id, circle, home, still }) {
  await speakAlso('forget.');
  if (!still()) return null;
  const list = circle.members;
  const role = roleIn(id);
  const key = keyed();

  const join = async (field) => {
    const name = field.value.trim();
    if (name === '') return;
    try {
      const made = await write(at(id, '/members'), { name }, { key: key({ name, after: list.length }) });
      list.push(made);
      draw();
      document.querySelector('[data-key=member]').focus();
      say(t('seating.joined', { name }));
    } catch (trouble) {
      told(trouble);
    }
  };

  const forget = async (one) => {
    const { name } = one;
    try {
      Object.assign(one, await write(at(id, `/members/${one.id}/name`), undefined, { method: 'DELETE' }));
    } catch (trouble) {
      told(trouble);
      return;
    }
    for (const { session, members: who } of circle.evenings) {
      for (const [player, of] of Object.entries(who)) if (of === one.id) forgetName(session, player, name);
    }
    forgetName('', '', name);
    draw();
    const gone = t('circle.forgotten', { name: one.name });
    document.querySelector('#main').prepend(h('p', { class: 'banner', 'data-key': 'forgotten' }, gone));
    say(gone);
  };

  const draw = (fresh = false) => {
    const named = list.filter((one) => !erased(one));
    show({
      title: t('circle.members'), back: home, fresh,
      main: [
        h('ul', { class: 'rows' }, list.map((one) => h('li', { class: 'row' }, member(list, one.id)))),
        role !== 'viewer' && h('section', {}, h('h2', {}, t('circle.new_member')), newcomer(join)),
        role === 'host' && named.length > 0 && h('details', { class: 'fold', 'data-key': 'forgetting' },
          h('summary', {}, t('forget.title')),
          h('p', { class: 'dim' }, t('circle.forget_what')),
          h('ul', { class: 'rows' }, named.map((one) => h('li', { class: 'row' }, member(list, one.id),
            h('button', { type: 'button', class: 'button', 'data-key': `forget-${one.id}`, 'aria-label': t('forget.name', { name: one.name }),
              onclick: () => ask(one, called(list, one.id), forget) }, t('forget.label')))))),
      ],
    });
  };
  draw(true);
  return {};
}

function newcomer(join) {
  const field = h('input', { type: 'text', maxlength: 40, autocapitalize: 'words', autocomplete: 'off', 'data-key': 'member',
    placeholder: t('opening.name'), 'aria-label': t('circle.new_member'), onkeydown: (event) => { if (event.key === 'Enter') join(field); } });
  return h('div', { class: 'copying' }, field, act('member-add', t('seating.add'), () => join(field)));
}

function ask(one, name, forget) {
  const dialog = sheet(t('forget.ask', { name }), [
    h('p', {}, t('circle.forget_final', { name, number: one.id.slice(1) })),
    h('p', { class: 'dim' }, t('forget.stays')),
    h('div', { class: 'pair' },
      h('button', { type: 'button', class: 'button big', 'data-key': 'forget-back', onclick: () => dialog.close() }, t('forget.back')),
      h('button', { type: 'button', class: 'button', 'data-key': 'forget-sure', onclick: () => { dialog.close(); forget(one); } }, t('forget.sure'))),
  ]);
}
