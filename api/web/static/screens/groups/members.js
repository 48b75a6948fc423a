// Who is of the circle: somebody new, and the way to be forgotten. Nothing undoes that, so it is asked twice.

import { forgetPlayerName, roleInSession } from '../../core/device_storage.js';
import { isNameErased, loadAllSentences, t } from '../../core/translator.js';
import { groupPath, keyPerRequest, warnOfTrouble, writeToGroup } from '../../features/groups/group_client.js';
import { h } from '../../ui/elements.js';
import { memberLabel, memberName } from '../../ui/member_tokens.js';
import { actionButton, announce, openSheet, showScreen } from '../../ui/page.js';

export async function groupMembersScreen({ id, circle, home, isCurrent }) {
  await loadAllSentences();
  if (!isCurrent()) return null;
  const list = circle.members;
  const role = roleInSession(id);
  const key = keyPerRequest();

  const join = async (field) => {
    const name = field.value.trim();
    if (name === '') return;
    try {
      const made = await writeToGroup(groupPath(id, '/members'), { name },
        { key: key({ name, after: list.length }) });
      list.push(made);
      draw();
      document.querySelector('[data-key=member]').focus();
      announce(t('seating.joined', { name }));
    } catch (trouble) {
      warnOfTrouble(trouble);
    }
  };

  const forget = async (one) => {
    const { name } = one;
    try {
      Object.assign(one, await writeToGroup(groupPath(id, `/members/${one.id}/name`), undefined,
        { method: 'DELETE' }));
    } catch (trouble) {
      warnOfTrouble(trouble);
      return;
    }
    for (const { session, members: who } of circle.evenings) {
      for (const [player, of] of Object.entries(who)) if (of === one.id)
        forgetPlayerName(session, player, name);
    }
    forgetPlayerName('', '', name);
    draw();
    const gone = t('circle.forgotten', { name: one.name });
    document.querySelector('#main').prepend(h('p', { class: 'banner', 'data-key': 'forgotten' }, gone));
    announce(gone);
  };

  const draw = (fresh = false) => {
    const named = list.filter((one) => !isNameErased(one));
    showScreen({
      title: t('circle.members'), backHref: home, fresh,
      main: [
        h('ul', { class: 'rows' }, list.map((one) => h('li', { class: 'row' }, memberLabel(list, one.id)))),
        role !== 'viewer' && h('section', {}, h('h2', {}, t('circle.new_member')), newMemberForm(join)),
        role === 'host' && named.length > 0 && h('details', { class: 'fold', 'data-key': 'forgetting' },
          h('summary', {}, t('forget.title')),
          h('p', { class: 'dim' }, t('circle.forget_what')),
          h('ul', { class: 'rows' }, named.map((one) => h('li', { class: 'row' }, memberLabel(list, one.id),
            h('button', { type: 'button', class: 'button', 'data-key': `forget-${one.id}`,
              'aria-label': t('forget.name', { name: one.name }),
              onclick: () => askErasure(one, memberName(list, one.id), forget) }, t('forget.label')))))),
      ],
    });
  };
  draw(true);
  return {};
}

function newMemberForm(join) {
  const field =
    h('input', { type: 'text', maxlength: 40, autocapitalize: 'words', autocomplete: 'off',
    'data-key': 'member',
    placeholder: t('opening.name'), 'aria-label': t('circle.new_member'),
    onkeydown: (event) => { if (event.key === 'Enter') join(field); } });
  return h('div', { class: 'copying' }, field,
    actionButton('member-add', t('seating.add'), () => join(field)));
}

function askErasure(one, name, forget) {
  const dialog = openSheet(t('forget.ask', { name }), [
    h('p', {}, t('circle.forget_final', { name, number: one.id.slice(1) })),
    h('p', { class: 'dim' }, t('forget.stays')),
    h('div', { class: 'pair' },
      h('button', { type: 'button', class: 'button big', 'data-key': 'forget-back',
        onclick: () => dialog.close() }, t('forget.back')),
      h('button', { type: 'button', class: 'button', 'data-key': 'forget-sure',
        onclick: () => { dialog.close(); forget(one); } }, t('forget.sure'))),
  ]);
}
