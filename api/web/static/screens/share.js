// Who has access: a QR code, the join requests, and the devices that are in. Folded: the join code, the links
// of each role, and names, of which the host corrects a misspelt one or erases one for good. Both change only
// how a player is shown; recorded deals and money stay as they are.

import { getJson, sessionPath } from '../core/api_client.js';
import { deviceInSession, groupOfSession, roleInSession } from '../core/device_storage.js';
import { Problem } from '../core/request_errors.js';
import { currentSession, playerName } from '../core/session_store.js';
import { refreshSession, writeToSession } from '../core/session_sync.js';
import { isNameErased, isolateName, t } from '../core/translator.js';
import { fetchDevices } from '../features/access/access_rights.js';
import { deviceList } from '../features/access/devices.js';
import { fetchJoinCode, joinCodeSection, joinRequestAnnouncer,
  joinRequestList } from '../features/access/join_requests.js';
import { sendWrite, warnOfError } from '../features/direct_requests.js';
import { redrawSyncStatus, syncStatus } from '../features/sync_status.js';
import { buildElement, h } from '../ui/elements.js';
import { fieldError } from '../ui/fields.js';
import { actionButton, announce, confirmSheet, openSheet, section, showScreen,
  showWarning } from '../ui/page.js';
import { isSameName, memberLabel, playerLabel } from '../ui/player_tokens.js';
import { loopbackWarning, qrCode, shareLinks } from '../ui/share_controls.js';

const SHARE_POLL_MS = 2_000; // between two requests while the host looks

/** A device that only views may be a tablet on the table, so it shows the code. */
const showOnTable = (home) => h('p', {}, t('access.board'), ' ',
  h('a', { class: 'text-link', href: `${home}/board`, 'data-key': 'board' }, t('menu.board')));

export async function shareScreen({ id, home, argument, isCurrent }) {
  const fetchPart = (rest) => getJson(sessionPath(id, rest));
  let answers;
  try {
    answers = await Promise.all([fetchPart('/links'), fetchJoinCode(id), fetchDevices(id),
      fetchPart('/join-requests')]);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (isCurrent())
      showScreen({ title: t('menu.share'), backHref: home, fresh: true,
      main: [h('p', { class: 'empty' }, error.message)] });
    return {};
  }
  if (!isCurrent()) return null;
  const [{ links: firstLinks }, firstCode, firstDevices, firstRequests] = answers;
  let links = firstLinks;
  const announceRequests = joinRequestAnnouncer();

  const requestSection = joinRequestList({ id, onAnswer: refresh });
  const codeSection = joinCodeSection({ id, address: new URL(links[0].url).host });
  const deviceSection = deviceList({ id, onChange: refresh });
  const linkSection =
    section(({ links: currentLinks }) => shareLinks(currentLinks, (role) => t(`role.${role}.may`),
    { more: (role) => [role === 'viewer' && showOnTable(home), rotateButton(role)], open: [] }));
  const qrSection = section(({ links: currentLinks }) => [
    loopbackWarning(currentLinks),
    h('p', { class: 'lead' }, t('access.scan')),
    qrCode(currentLinks.find(({ role }) => role === 'scorer').qr,
      t('share.code', { role: t('role.scorer') })),
  ]);

  /** The host's own link is not rotated from a device that came by it: it would lose its access. */
  const rotateButton = (role) => (role === 'host' && deviceInSession(id) === null
    ? h('p', { class: 'muted' }, t('access.own_link'))
    : actionButton(`end-${role}`, t('access.rotate'), () => confirmSheet({
      title: t('access.rotate_ask'), words: [t('access.rotate_what'), t('access.rotate_stay')],
      cancelLabel: t('access.rotate_no'),
      confirmLabel: t('access.rotate_yes'), onConfirm: () => rotateLink(role),
    }), { secondary: true }));

  async function rotateLink(role) {
    try {
      const answer = await sendWrite(sessionPath(id, `/links/${role}/rotation`), {});
      links = answer.links;
      qrSection.update({ links });
      linkSection.update({ links, own: deviceInSession(id) });
      announce(t('access.rotated'));
    } catch (error) {
      warnOfError(error);
    }
  }

  function redrawSections(devices, requests) {
    deviceSection.update({ devices, own: deviceInSession(id) });
    qrSection.update({ links });
    linkSection.update({ links, own: deviceInSession(id) });
    requestSection.update(requests);
    announceRequests(requests);
  }

  /** Shows no failure: the sync status in the corner says whether the server can be reached. */
  async function refresh() {
    const showCode = codeSection.beforeFetch();
    try {
      const [devices, { join_requests: requests }, code] =
        await Promise.all([fetchDevices(id), fetchPart('/join-requests'), fetchJoinCode(id)]);
      if (!isCurrent()) return;
      redrawSections(devices, requests);
      showCode(code);
    } catch { /* the next refresh may succeed */ }
  }

  codeSection.beforeFetch()(firstCode);
  showScreen({
    title: t('menu.share'), backHref: home, headerEnd: currentSession() && syncStatus(), fresh: true,
    main: [requestSection.node, qrSection.node, deviceSection.node,
      h('details', { class: 'disclosure', open: firstCode.code !== null || argument !== undefined },
        h('summary', { 'data-key': 'another-way' }, t('access.another_way')),
        h('div', { class: 'stack' }, codeSection.node, h('h2', {}, t('access.by_role')), linkSection.node,
          roleInSession(id) === 'host' && [renamePlayers({ open: argument === 'names' }),
            erasableNames({ people: currentSession().players, what: t('erasure.what'),
              finalWords: (values) => finalWords(values, groupOfSession(id)),
              erase: (player) => eraseName(player.id, home), open: argument === 'forget' })]))],
  });
  redrawSections(firstDevices, firstRequests.join_requests);
  document.querySelector({ forget: '[data-key=forgetting]',
    names: '[data-key=naming]' }[argument])?.scrollIntoView();

  const poll = async () => {
    if (!isCurrent()) return;
    if (!document.hidden) await refresh();
    setTimeout(poll, SHARE_POLL_MS);
  };
  setTimeout(poll, SHARE_POLL_MS);
  return { update: redrawSyncStatus };
}

/** A folded list of the named players; `open` unfolds it. */
function renamePlayers({ open }) {
  const named = currentSession().players.filter((player) => !isNameErased(player));
  return named.length > 0 && h('details', { class: 'disclosure', open },
    h('summary', { 'data-key': 'naming' }, t('seating.names')),
    h('p', { class: 'muted' }, t('access.names_what')),
    h('ul', { class: 'rows' }, named.map(({ id }) => h('li', { class: 'row' },
      playerLabel(currentSession(), id),
      actionButton(`name-${id}`, t('access.name_fix'), () => askNewName(id),
        { name: [t('access.name_fix'), playerName(id)].join(': ') })))));
}

function askNewName(id) {
  const { name: currentName } = currentSession().players.find((player) => player.id === id);
  const input = buildElement(h('input', {
    type: 'text', value: currentName, maxlength: 40, autocomplete: 'off', autocapitalize: 'words',
    spellcheck: 'false', enterkeyhint: 'done',
    'data-key': 'name-new', 'data-pointer': '/name',
  }));
  const form = buildElement(h('form', {
    class: 'stacked-form', novalidate: true, oninput: () => fieldError(form),
    onsubmit: (event) => { event.preventDefault(); submit(); },
  }, h('label', { class: 'field' }, h('span', {}, t('access.name_new')), input),
  h('button', { type: 'submit', class: 'button primary', 'data-key': 'name-send' }, t('access.name_keep'))));
  const dialog = openSheet(t('access.name_of', { name: playerName(id) }), form);
  input.select();

  async function submit() {
    const name = input.value.trim();
    fieldError(form);
    if (name === '') { fieldError(form, '/name', t('access.label_missing')); return; }
    const isTaken = currentSession().players
      .some((player) => player.id !== id && isSameName(player.name, name));
    if (isTaken) { fieldError(form, '/name', t('opening.same_name')); return; }
    try {
      await sendWrite(sessionPath(currentSession().id, `/players/${id}/name`), { name },
        { method: 'PUT' });
      dialog.close();
      await refreshSession(); // redraws the whole screen
      announce(t('access.name_done', { name }));
    } catch (error) {
      const [problem] = error instanceof Problem ? error.errors : [];
      if (!problem || !fieldError(form, '/name', problem.detail)) warnOfError(error);
    }
  }
}

/**
 * A folded list of the people whose names can be erased, or false; `open` unfolds it. A sheet asks for
 * confirmation, because nothing undoes an erasure: `finalWords(values)` says what is erased, `erase(person)`
 * does it.
 */
export function erasableNames({ people, what: explanation, finalWords, erase, open = false }) {
  const named = people.filter((person) => !isNameErased(person));
  return named.length > 0 && h('details', { class: 'disclosure', 'data-key': 'forgetting', open },
    h('summary', {}, t('erasure.title')),
    h('p', { class: 'muted' }, explanation),
    h('ul', { class: 'rows' }, named.map((person) => h('li', { class: 'row' },
      memberLabel(people, person.id),
      actionButton(`forget-${person.id}`, t('erasure.label'),
        () => askNameErasure(person, finalWords, erase),
        { name: t('erasure.name', { name: isolateName(person.name) }) })))));
}

function askNameErasure(person, finalWords, erase) {
  const name = isolateName(person.name);
  confirmSheet({
    title: t('erasure.ask', { name }),
    words: [finalWords({ name, number: person.id.slice(1) }),
      h('span', { class: 'muted' }, t('erasure.stays'))],
    cancelLabel: t('erasure.back'), confirmLabel: t('erasure.sure'), onConfirm: () => erase(person),
  });
}

/** A group keeps the name of its member. */
const finalWords = (values, group) => (group
  ? t('erasure.final_in_group', { ...values, group: isolateName(group.name) }) : t('erasure.final', values));

async function eraseName(id, home) {
  const address = location.hash;
  try {
    await writeToSession(`/players/${id}/name`, undefined, { method: 'DELETE', ifMatch: null });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    showWarning(error.message);
    return;
  }
  if (location.hash !== address) return; // somebody has gone elsewhere, perhaps to no session at all
  announce(t('erasure.done', { name: playerName(id) }));
  location.hash = home;
}
