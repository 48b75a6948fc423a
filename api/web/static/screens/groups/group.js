// A group: its members, the results of its sessions, and the way to the next one; and the screen on which a
// new group is founded.

import { getJson } from '../../core/api_client.js';
import { keepTypedEntry, readItem, rememberGroup, roleInSession,
  typedEntry } from '../../core/device_storage.js';
import { Problem } from '../../core/request_errors.js';
import { formatDay, gameName, moneyWriter, t } from '../../core/translator.js';
import { keyPerRequest, warnOfError } from '../../features/direct_requests.js';
import { openItemsLines, openItemsSettled, togetherNote } from '../../features/groups/carry_forward.js';
import { createGroup, groupPath, openSessionOnTap, watchGroup } from '../../features/groups/group_client.js';
import { buildElement, h } from '../../ui/elements.js';
import { fieldError, fieldset, newcomerField } from '../../ui/fields.js';
import { actionButton, actionLink, announce, iconButton, refillPart, showScreen } from '../../ui/page.js';
import { isSameName, memberLabel, playerToken, sessionResult, tokenLetters } from '../../ui/player_tokens.js';

const LATEST_SESSIONS = 12; // rows shown at first

export async function groupScreen({ id, group: loaded, home, isCurrent }) {
  const load = async (group) => {
    const [season, settled] = await Promise.all([getJson(groupPath(id, '/standings')),
      openItemsSettled(group)]);
    return { group, results: season.sessions, settled };
  };
  let shownSessions = LATEST_SESSIONS;
  const draw = ({ group: { name, members, sessions, carry_forward: openItems }, results, settled },
    fresh = false) => showScreen({
    title: name, backHref: '#/', fresh,
    main: [
      h('ul', { class: 'member-list', 'aria-label': t('group.members') },
        members.map((member) => h('li', {}, memberLabel(members, member.id)))),
      openItems?.ready && !settled.isAllPaid && h('section', { class: 'callout' },
        h('h2', {}, t('carry_forward.title', { when: sessionDay(sessions, openItems.session) })),
        openItemsLines(openItems, [...members, ...settled.guests]),
        settled.isTogether && togetherNote({ id, name })),
      h('nav', { class: 'button-pair', 'aria-label': t('group.more') },
        actionLink('members', t('group.members'), `${home}/members`),
        actionLink('balances', t('open_balances.title'), `${home}/balances`),
        sessions.length > 0 && actionLink('statement', t('menu.statement'), `${home}/statement`),
        sessions.length > 0 && actionLink('check', t('group.check'), `${home}/check`),
        actionLink('imports', t('imports.title'), `${home}/imports`),
        role === 'host' && sessions.length > 0
          && actionLink('bank-lines', t('bank.title'), `${home}/bank-lines`),
        role === 'host' && actionLink('share', t('menu.share'), `${home}/share`)),
      h('section', {}, h('h2', {}, t('group.evenings')), sessions.length === 0
        ? h('p', { class: 'empty' }, role === 'viewer' ? t('group.none_yet') : t('group.no_evenings'))
        : h('ol', { class: 'rows', reversed: true },
          sessions.toReversed().slice(0, shownSessions).map((groupSession) =>
          sessionRow(groupSession, results.find(({ session }) => session === groupSession.session),
            members))),
      sessions.length > shownSessions && actionButton('older', t('group.older'),
        () => { shownSessions = Infinity; draw(latest); })),
    ],
    bar: [
      sessions.length > 0 && actionLink('season', t('season.title'), `${home}/season`),
      role !== 'viewer' && actionLink('tonight', t('group.tonight'), `${home}/tonight`, { primary: true }),
    ],
  });
  let latest = await load(loaded);
  if (!isCurrent()) return null;
  const role = roleInSession(id);
  draw(latest, true);
  watchGroup(groupPath(id), loaded, isCurrent, async (news) => {
    latest = await load(news);
    rememberGroup(news);
    if (isCurrent()) draw(latest);
  });
  return {};
}

export const sessionDay = (sessions, session) =>
  formatDay(sessions.find((groupSession) => groupSession.session === session).created_at);

/** A session as a row: day, game, winner, and whether it is closed. */
function sessionRow(groupSession, result, members) {
  const { session, title, game, status, deals, number } = groupSession;
  const amounts = result?.results ?? {};
  const hasAmounts = Object.values(amounts).some((amount) => amount !== 0);
  const state = groupSession.carried_to ? 'on' : status;
  return h('li', { class: 'row' },
    h('a', { class: 'row-link session-row', href: `#/s/${session}`, 'data-key': `evening-${number}`,
    onclick: openSessionOnTap(groupSession) },
    h('span', { class: 'row-name' },
      h('span', { class: 'session-date' }, h('bdi', {}, title || t('start.untitled')),
        h('span', { class: 'muted' }, formatDay(groupSession.created_at))),
      h('span', { class: 'muted row-note' },
        [gameName(game), t('group.deals', { count: deals })].join(' · '))),
    h('span', { class: state === 'open' ? 'tag first' : 'tag' }, t(`group.status.${state}`)),
    hasAmounts && sessionResult(members, amounts,
      moneyWriter(groupSession.currency, Object.values(amounts)))));
}

/** Edits `draft.name`. */
export const groupNameField = (draft) => h('label', { class: 'field' }, h('span', {}, t('group.name')),
  h('input', { type: 'text', name: 'name', maxlength: 40, value: draft.name,
    placeholder: t('group.name_example'), 'data-pointer': '/name', 'data-key': 'group-name',
    oninput: (event) => { draft.name = event.target.value; } }));

export function newGroupScreen() {
  const draft = { name: '',
    members: (readItem('names') ?? []).map((name) => name.trim()).filter((name) => name !== ''),
    ...typedEntry('group', { name: '', members: [''] }) };
  const keep = () => keepTypedEntry('group', draft);
  const key = keyPerRequest();
  const names = nameList(draft.members, keep);
  const form = buildElement(h('form', { id: 'opening', novalidate: true,
    oninput: () => { fieldError(form); keep(); },
    onsubmit: (event) => { event.preventDefault(); foundGroup(form, draft, names.rest(), key); } },
    h('p', { class: 'muted' }, t('start.no_group')),
    groupNameField(draft),
    fieldset(t('group.members'), null, h('p', { class: 'muted' }, t('group.members_what')), names.node)));
  showScreen({
    title: t('start.found'), backHref: '#/', fresh: true, main: [form],
    bar: [actionButton('found', t('group.found'), () => form.requestSubmit(), { primary: true })],
  });
  return {};
}

async function foundGroup(form, { name, members }, rest, key) {
  fieldError(form);
  const address = location.hash;
  if (name.trim() === '') { fieldError(form, '/name', t('group.nameless')); return; }
  const names = rest === '' || members.some((member) => isSameName(member, rest)) ? members
    : [...members, rest];
  try {
    const group = await createGroup(name, names, key);
    keepTypedEntry('group', null);
    rememberGroup(group);
    if (location.hash === address) location.replace(`#/c/${group.id}`);
  } catch (error) {
    const placed = error instanceof Problem && error.errors.length > 0
      && error.errors.every(({ pointer, detail }) => fieldError(form, pointer, detail));
    if (!placed) warnOfError(error);
  }
}

/**
 * Edits `names` in place, and then calls `changed()`. The form around it clears errors at every letter.
 * `rest()` returns the text in the field that is not on the list yet.
 */
function nameList(names, changed) {
  const list = buildElement(h('ul', { class: 'name-chips', 'data-pointer': '/members' }));
  const newMember = newcomerField({ key: 'member', label: t('group.new_member'), add });

  function add(name) {
    newMember.input.focus();
    // The next letter removes the error, as in any other field.
    if (names.some((knownName) => isSameName(knownName, name))) {
      fieldError(node);
      node.append(buildElement(h('p', { class: 'wrong', role: 'alert' }, t('opening.same_name'))));
      return false;
    }
    names.push(name);
    changed();
    draw();
    announce(t('seating.joined', { name }));
    newMember.input.scrollIntoView({ block: 'nearest' }); // the list has moved it, perhaps below the bar
    return true;
  }

  const draw = () => refillPart(list, names.map((name, index) => h('li', { class: 'inline-item' },
    playerToken(index, tokenLetters(name, names)),
    h('bdi', { class: 'name', 'data-pointer': `/members/${index}/name` }, name),
    iconButton(null, 'cross', t('opening.remove', { name }),
      () => { names.splice(index, 1); changed(); draw(); newMember.input.focus(); }))));

  const node = buildElement(h('div', { class: 'new-members' }, list, newMember.node));
  draw();
  return { node, rest: () => newMember.input.value.trim() };
}
