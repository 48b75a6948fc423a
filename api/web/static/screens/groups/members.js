// The members of the group: adding one, and erasing a name. That cannot be undone, so it is confirmed.

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
      const created = await writeToGroup(groupPath(id, '/members'), { name },
        { key: key({ name, after: list.length }) });
      list.push(created);
      draw();
      document.querySelector('[data-key=member]').focus();
      announce(t('seating.joined', { name }));
    } catch (trouble) {
      warnOfTrouble(trouble);
    }
  };

  const forget = async (member) => {
    const { name } = member;
    try {
      Object.assign(member, await writeToGroup(groupPath(id, `/members/${member.id}/name`), undefined,
        { method: 'DELETE' }));
    } catch (trouble) {
      warnOfTrouble(trouble);
      return;
    }
    for (const { session, members: sessionMembers } of circle.evenings) {
      for (const [player, of] of Object.entries(sessionMembers)) if (of === member.id)
        forgetPlayerName(session, player, name);
    }
    forgetPlayerName('', '', name);
    draw();
    const message = t('circle.forgotten', { name: member.name });
    document.querySelector('#main').prepend(h('p', { class: 'banner', 'data-key': 'forgotten' }, message));
    announce(message);
  };

  const draw = (fresh = false) => {
    const named = list.filter((member) => !isNameErased(member));
    showScreen({
      title: t('circle.members'), backHref: home, fresh,
      main: [
        h('ul', { class: 'rows' },
          list.map((member) => h('li', { class: 'row' }, memberLabel(list, member.id)))),
        role !== 'viewer' && h('section', {}, h('h2', {}, t('circle.new_member')), newMemberForm(join)),
        role === 'host' && named.length > 0 && h('details', { class: 'fold', 'data-key': 'forgetting' },
          h('summary', {}, t('forget.title')),
          h('p', { class: 'dim' }, t('circle.forget_what')),
          h('ul', { class: 'rows' },
            named.map((member) => h('li', { class: 'row' }, memberLabel(list, member.id),
            h('button', { type: 'button', class: 'button', 'data-key': `forget-${member.id}`,
              'aria-label': t('forget.name', { name: member.name }),
              onclick: () => askErasure(member, memberName(list, member.id), forget) },
                t('forget.label')))))),
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

function askErasure(member, name, forget) {
  const dialog = openSheet(t('forget.ask', { name }), [
    h('p', {}, t('circle.forget_final', { name, number: member.id.slice(1) })),
    h('p', { class: 'dim' }, t('forget.stays')),
    h('div', { class: 'pair' },
      h('button', { type: 'button', class: 'button big', 'data-key': 'forget-back',
        onclick: () => dialog.close() }, t('forget.back')),
      h('button', { type: 'button', class: 'button', 'data-key': 'forget-sure',
        onclick: () => { dialog.close(); forget(member); } }, t('forget.sure'))),
  ]);
}
