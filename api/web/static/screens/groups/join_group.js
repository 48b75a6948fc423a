// Makes a session part of a group: a new group of its players, or a known one. Shows which player is which
// member first, so that a person can change it.

import { getJson, sessionPath } from '../../core/api_client.js';
import { groupOfSession, knownGroups, rememberGroup, roleInSession } from '../../core/device_storage.js';
import { currentSession } from '../../core/session_store.js';
import { isNameErased, t } from '../../core/translator.js';
import { keyPerRequest, sendWrite, warnOfError } from '../../features/direct_requests.js';
import { createGroup, groupPath } from '../../features/groups/group_client.js';
import { buildElement, h } from '../../ui/elements.js';
import { fieldError, fieldset, pillGroup } from '../../ui/fields.js';
import { actionButton, actionLink, refillPart, showScreen, showWarning } from '../../ui/page.js';
import { isSameName, playerLabel } from '../../ui/player_tokens.js';
import { groupNameField } from './group.js';

const NEW_GROUP = 'new';
const NEW_MEMBER = 'new';
const NO_MEMBER = 'nobody';

export async function joinGroupScreen({ id, home, argument, isCurrent }) {
  const playsOn = argument === 'again'; // the same people play on, and open items are carried forward
  const ownGroup = groupOfSession(id);
  if (ownGroup && playsOn) { location.replace(`#/c/${ownGroup.id}/tonight`); return null; }
  if (ownGroup) return alreadyInGroup(home, t('join_group.already', { name: ownGroup.name }), ownGroup);
  const { group: unknownGroup } = await getJson(sessionPath(id, '/links'));
  if (!isCurrent()) return null;
  if (unknownGroup) return alreadyInGroup(home, t('join_group.of_another'));
  const writableGroups = knownGroups().filter((group) => roleInSession(group.id) !== 'viewer');
  const choice = { group: NEW_GROUP, name: '', members: [], memberByPlayer: {} };
  const key = keyPerRequest();
  let isSending = false;
  const submit = async () => {
    if (isSending) return;
    isSending = true;
    await joinGroup(id, choice, form, key, playsOn).finally(() => { isSending = false; });
  };
  const form = buildElement(h('form', {
    id: 'opening', novalidate: true, oninput: () => fieldError(form),
    onsubmit: (event) => { event.preventDefault(); submit(); },
  }));

  let pickedGroup = null;
  const pick = async (group) => {
    pickedGroup = group;
    const isLatest = () => group === pickedGroup && isCurrent();
    try {
      const members = group === NEW_GROUP ? []
        : (await getJson(groupPath(group))).members.filter((member) => !isNameErased(member));
      if (!isLatest()) return; // another one has been picked meanwhile
      Object.assign(choice, { group, members });
      choice.memberByPlayer = Object.fromEntries(currentSession().players.map((player) =>
        [player.id, likelyMember(player, choice)]));
    } catch (error) {
      if (!isLatest()) return;
      warnOfError(error);
    }
    draw();
  };

  const draw = () => refillPart(form,
    h('p', { class: playsOn ? 'lead' : 'muted' }, t(playsOn ? 'join_group.again' : 'start.no_group')),
    writableGroups.length > 0
      && fieldset(t('join_group.which'), null, pillGroup('group',
      [[NEW_GROUP, t('start.found')], ...writableGroups.map((group) => [group.id, group.name])],
      choice.group, pick)),
    choice.group === NEW_GROUP ? newGroupFields(choice) : memberMatches(choice));
  await pick(NEW_GROUP);
  if (!isCurrent()) return null;
  showScreen({
    title: t(playsOn ? 'menu.again' : 'menu.group'), backHref: home, fresh: true, main: [form],
    bar: [actionButton('join', t('join_group.save'), () => form.requestSubmit(), { primary: true })],
  });
  return {};
}

/** `group`: the session's, if this device knows it. */
function alreadyInGroup(home, words, group = null) {
  showScreen({
    title: t('menu.group'), backHref: home, fresh: true, main: [h('p', { class: 'lead' }, words)],
    bar: [group ? actionLink('to-group', t('join_group.to_group'), `#/c/${group.id}`, { primary: true })
      : actionLink('table', t('record.to_table'), home, { primary: true })],
  });
  return {};
}

const likelyMember = (player, { group, members }) => {
  if (isNameErased(player)) return NO_MEMBER;
  return group === NEW_GROUP ? NEW_MEMBER : members.find(({ name }) => isSameName(name, player.name))?.id
    ?? NEW_MEMBER;
};

const newGroupFields = (choice) => [
  groupNameField(choice),
  fieldset(t('group.members'), null, h('p', { class: 'muted' }, t('join_group.players')),
    h('ul', { class: 'rows' }, currentSession().players.filter((player) => !isNameErased(player))
      .map(({ id }) => h('li', { class: 'row' }, playerLabel(currentSession(), id))))),
];

/** A row for each player: the member he is, a new member, or none. */
const memberMatches = (choice) => fieldset(t('join_group.who'), null,
  h('ul', { class: 'rows', 'data-pointer': '/members' }, currentSession().players.map((player) =>
  h('li', { class: 'row' }, h('label', { class: 'member-match' }, playerLabel(currentSession(), player.id),
    h('select', { 'data-key': `is-${player.id}`,
      onchange: (event) => { choice.memberByPlayer[player.id] = event.target.value; } },
      [...choice.members.map((member) => [member.id, member.name]),
        ...(isNameErased(player) ? [] : [[NEW_MEMBER, t('group.new_member')]]),
        [NO_MEMBER, t('join_group.nobody')]]
        .map(([value, words]) => h('option', { value, selected: choice.memberByPlayer[player.id] === value },
          words))))))));

async function joinGroup(id, choice, form, key, playsOn) {
  fieldError(form);
  const address = location.hash;
  const { players } = currentSession();
  const chosen = Object.values(choice.memberByPlayer)
    .filter((memberId) => memberId !== NEW_MEMBER && memberId !== NO_MEMBER);
  if (choice.group === NEW_GROUP && choice.name.trim() === '') { fieldError(form, '/name',
    t('group.nameless')); return; }
  if (new Set(chosen).size < chosen.length) { fieldError(form, '/members', t('join_group.twice')); return; }
  try {
    const { links, group: knownGroup } = await getJson(sessionPath(id, '/links'));
    // this is the chosen group if the answer to an earlier attempt was lost
    if (knownGroup && knownGroup !== choice.joinedGroup) { showWarning(t('join_group.of_another')); return; }
    const token = links.find(({ role }) => role === 'host').path.split('/').at(-1);
    const group = await (knownGroup ? getJson(groupPath(knownGroup))
      : addToGroup(id, token, { choice, players, key }));
    rememberGroup(group);
    if (location.hash === address) location.replace(`#/c/${group.id}${playsOn ? '/tonight' : ''}`);
  } catch (error) {
    warnOfError(error);
  }
}

/** Adds the session to the chosen group; resolves to the group. */
async function addToGroup(id, token, { choice, players, key }) {
  const [group, members] = choice.group === NEW_GROUP ? await createGroupOf(players, choice, key)
    : [choice.group, await addNewMembers(choice, players, key)];
  choice.joinedGroup = group;
  return sendWrite(groupPath(group, `/sessions/${id}`), { token, members }, { method: 'PUT' });
}

/** Creates a group of all players with a name; its members come back in the order in which they were sent. */
async function createGroupOf(players, { name }, key) {
  const named = players.filter((player) => !isNameErased(player));
  const created = await createGroup(name, named.map((player) => player.name), key);
  return [created.id,
    Object.fromEntries(named.map((player, place) => [player.id, created.members[place].id]))];
}

/** Resolves to player id → member id. New members are created one by one, so a retry creates none twice. */
async function addNewMembers(choice, players, key) {
  for (const { id, name } of players) {
    if (choice.memberByPlayer[id] !== NEW_MEMBER) continue;
    const path = groupPath(choice.group, '/members');
    choice.memberByPlayer[id] = (await sendWrite(path, { name }, { key: key({ path, name }) })).id;
  }
  return Object.fromEntries(Object.entries(choice.memberByPlayer)
    .filter(([, memberId]) => memberId !== NO_MEMBER));
}
