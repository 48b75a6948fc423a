// The members of the group and the links to it: adding a member; erasing a name, which cannot be
// undone and is confirmed; and the rotation of the links.

import { getJson } from '../../core/api_client.js';
import { forgetPlayerName, roleInSession } from '../../core/device_storage.js';
import { t } from '../../core/translator.js';
import { keyPerRequest, sendWrite, warnOfError } from '../../features/direct_requests.js';
import { groupPath, linkRotator } from '../../features/groups/group_client.js';
import { buildElement, h } from '../../ui/elements.js';
import { newcomerField } from '../../ui/fields.js';
import { actionButton, actionLink, announce, confirmSheet, section, showScreen } from '../../ui/page.js';
import { memberLabel } from '../../ui/player_tokens.js';
import { loopbackWarning, shareLinks } from '../../ui/share_controls.js';
import { erasableNames } from '../share.js';

export function groupMembersScreen({ id, group, home, isCurrent }) {
  const list = group.members;
  const role = roleInSession(id);
  let key = keyPerRequest();

  const addMember = async (name) => {
    try {
      list.push(await sendWrite(groupPath(id, '/members'), { name }, { key: key({ name }) }));
      key = keyPerRequest();
    } catch (error) {
      warnOfError(error);
      return false;
    }
    announce(t('seating.joined', { name }));
    if (!isCurrent()) return true;
    draw();
    newMember.input.focus();
    return true;
  };
  const newMember = newcomerField({ key: 'member', label: t('group.new_member'), add: addMember });

  const forget = async (member) => {
    const { name } = member;
    try {
      Object.assign(member, await sendWrite(groupPath(id, `/members/${member.id}/name`), undefined,
        { method: 'DELETE' }));
    } catch (error) {
      warnOfError(error);
      return;
    }
    for (const { session, members: sessionMembers } of group.sessions) {
      for (const [player, memberId] of Object.entries(sessionMembers)) if (memberId === member.id)
        forgetPlayerName(session, player, name);
    }
    forgetPlayerName('', '', name);
    if (!isCurrent()) return;
    draw();
    const message = t('group.forgotten', { name: member.name });
    document.querySelector('#main').prepend(
      buildElement(h('p', { class: 'banner', 'data-key': 'forgotten' }, message)));
    announce(message);
  };

  const draw = (fresh = false) => {
    showScreen({
      title: t('group.members'), backHref: home, fresh,
      main: [
        h('ul', { class: 'rows' },
          list.map((member) => h('li', { class: 'row' }, memberLabel(list, member.id),
            member.has_left && h('span', { class: 'tag' }, t('departure.left'))))),
        role !== 'viewer' && h('section', {}, h('h2', {}, t('group.new_member')), newMember.node),
        role === 'host' && erasableNames({ people: list, what: t('group.forget_what'),
          finalWords: (values) => t('group.forget_final', values), erase: forget }),
      ],
      bar: [role === 'host' && actionLink('leave', t('departure.title'), `${home}/leave`)],
    });
  };
  draw(true);
  return {};
}

export async function groupLinksScreen({ id, home, isCurrent }) {
  const { links } = await getJson(groupPath(id, '/links'));
  if (!isCurrent()) return null;
  const rotateLink = linkRotator(id);
  const linkList =
    section((state) =>
    [loopbackWarning(state), ...shareLinks(state, (role) => t(`group.${role}.may`),
    { more: button })]);

  const button = (role) =>
    actionButton(`end-${role}`, t('access.rotate'), () => askRotation(role), { secondary: true });

  function askRotation(role) {
    const sessions = buildElement(
      h('input', { type: 'checkbox', role: 'switch', 'data-key': 'end-evenings' }));
    confirmSheet({
      title: t('access.rotate_ask'),
      words: [t('group.end_what'), role === 'host' && t('group.end_own'), openTables(sessions)],
      cancelLabel: t('access.rotate_no'), confirmLabel: t('access.rotate_yes'),
      onConfirm: () => replace(role, sessions.checked),
    });
  }

  async function replace(role, inEvenings) {
    try {
      const newLinks = await rotateLink(role, inEvenings);
      if (!isCurrent()) return;
      linkList.update(newLinks);
      announce(t('access.rotated'));
    } catch (error) {
      warnOfError(error);
    }
  }

  showScreen({ title: t('menu.share'), backHref: home, fresh: true, main: [linkList.node] });
  linkList.update(links);
  return {};
}

const openTables = (sessions) => h('label', { class: 'toggle' },
  h('span', {}, h('b', {}, t('group.end_evenings')),
    h('small', { class: 'muted' }, t('group.end_evenings_what'))), sessions);
