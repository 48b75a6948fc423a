// The devices that a session has admitted, and the question whose device this is. The note about access on
// the table screen: pending join requests for the host; for a scorer who came by a link, that question, once.

import { getJson, sessionPath } from '../../core/api_client.js';
import { deviceInSession, roleInSession } from '../../core/device_storage.js';
import { currentSession, playerName } from '../../core/session_store.js';
import { loadAllSentences, t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';
import { actionButton, announce, confirmSheet, iconButton, openSheet, redrawScreen, refillPart,
  section } from '../../ui/page.js';
import { hueOfPlayer, tokenOfPlayer } from '../../ui/player_tokens.js';
import { keyPerRequest, sendWrite, warnOfError } from '../direct_requests.js';
import { mayAskForOwner, rememberOwnerAsked, useDeviceToken } from './access_rights.js';
import { formatClock, deviceName, isJoinCodeOpen, joinRequestAnnouncer,
  joinRequestsSentence } from './join_requests.js';

/** Lists the devices with a button to revoke each. `onChange()` fetches the list again. */
export function deviceList({ id, onChange }) {
  const isMine = (device) => device.id === deviceInSession(id);
  const remove = (device) => askDeviceRemoval(id, device, isMine(device), onChange);
  return section(({ devices }) => {
    const activeDevices = devices.filter(({ ended_at: ended }) => ended === null);
    return [
      h('h2', {}, t('access.devices')),
      h('p', { class: 'muted' }, t(activeDevices.length === 0 ? 'access.no_devices' : 'access.devices_what')),
      h('ul', { class: 'rows' },
        activeDevices.map((device) => deviceRow(device, isMine(device), () => remove(device)))),
      !activeDevices.some(isMine) && actionButton('mine', t('access.make_mine'),
        () => askDeviceOwner({ id, onChosen: onChange }), { secondary: true }),
    ];
  });
}

const deviceRow = (device, isMine, onRemove) => h('li', { class: 'row', 'data-phone': device.id },
  device.player && tokenOfPlayer(currentSession(), device.player),
  h('span', { class: 'row-name' }, h('bdi', {}, deviceName(device)),
    h('span', { class: 'muted row-note' },
      t('access.since', { role: t(`role.${device.role}`), time: formatClock(device.created_at) }))),
  isMine && h('span', { class: 'tag first' }, t('access.this_one')),
  iconButton(`out-${device.id}`, 'cross', t('access.revoke', { label: deviceName(device) }), onRemove));

function askDeviceRemoval(id, device, isMine, onChange) {
  const label = deviceName(device);
  const remove = async () => {
    try {
      await sendWrite(sessionPath(id, `/devices/${device.id}`), undefined, { method: 'DELETE' });
      announce(t('access.is_revoked', { label }));
    } catch (error) {
      warnOfError(error);
    }
    await onChange();
  };
  confirmSheet({
    title: t('access.revoke_ask', { label }),
    words: [t('access.revoke_what'), isMine && t('access.revoke_own')],
    cancelLabel: t('access.revoke_no'), confirmLabel: t('access.revoke_yes'), onConfirm: remove,
  });
}

const MAX_LABEL = 40; // characters, as the server accepts them
const SIBILANTS = /[sxzß]$/i;

/** The label shown as the writer of a deal: "Adas telefon", without a second s after a name like "Bos". */
function deviceLabel(name) {
  const endsInSibilant = SIBILANTS.test(name);
  const label = t(endsInSibilant ? 'access.phone_of_s' : 'access.phone_of', { name });
  return Array.from(label).length <= MAX_LABEL ? label : name;
}

/** A button per player, which calls `pick(player)`; `key` tells these buttons apart from others. */
export const playerButtons = (state, key, pick) => state.players.map(({ id }) => h('button', {
  type: 'button', class: `button ${hueOfPlayer(state, id)}`, 'data-key': `${key}-${id}`,
  onclick: () => pick(id),
}, tokenOfPlayer(state, id), h('bdi', {}, playerName(id))));

/** A button per player. A tap makes this the player's device; then `onChosen()`. */
function ownerButtons({ id, onChosen }) {
  const key = keyPerRequest();
  const choosePlayer = async (player) => {
    const { name } = currentSession().players.find((candidate) => candidate.id === player);
    const body = { label: deviceLabel(name), player };
    try {
      const { token, ...device } = await sendWrite(sessionPath(id, '/devices'), body, { key: key(body) });
      await useDeviceToken(id, token, device);
      announce(t('access.is_yours', { label: device.label }));
      await onChosen();
    } catch (error) {
      warnOfError(error);
    }
  };
  return h('div', { class: 'player-buttons' }, playerButtons(currentSession(), 'whose', choosePlayer));
}

/** The same buttons in a sheet. */
function askDeviceOwner({ id, onChosen }) {
  const dialog = openSheet(t('access.label_ask'), [
    h('p', { class: 'muted' }, t('access.label_ask_what')),
    ownerButtons({ id, onChosen: async () => { dialog.close(); await onChosen(); } }),
  ]);
}

const ACCESS_POLL_MS = 2_000; // between polls, while the join code is valid or requests are pending

/** Fills `node` with the note that applies, if any; throws if the server cannot be reached. */
export async function fillAccessNotes(node, { id, home, isCurrent }) {
  const role = roleInSession(id);
  if (role === 'host') await joinRequestNote(node, { id, home, isCurrent });
  else if (role === 'scorer' && mayAskForOwner(id) && currentSession()?.status === 'open')
    await deviceOwnerOffer(node, { id, isCurrent });
}

async function deviceOwnerOffer(node, { id, isCurrent }) {
  await loadAllSentences();
  if (!isCurrent()) return;
  const close = () => {
    node.hidden = true;
    refillPart(node);
  };
  refillPart(node, h('section', { class: 'callout' },
    h('h2', {}, t('access.label_ask')),
    h('p', { class: 'muted' }, t('access.label_ask_what')),
    // redraws the table with the owner's seat in front
    ownerButtons({ id, onChosen: () => isCurrent() && redrawScreen() }),
    actionButton('whose-skip', t('access.not_now'), () => { rememberOwnerAsked(id); close(); })));
  node.hidden = false;
}

async function joinRequestNote(node, { id, home, isCurrent }) {
  if (!await isJoinCodeOpen(id)) return;
  await loadAllSentences();
  const announceRequests = joinRequestAnnouncer();
  const notice = section((list) => list.length > 0
    && h('a', { class: 'join-requests-link', href: `${home}/share`, 'data-key': 'join-requests' },
      h('span', { class: 'pulsing-light', 'aria-hidden': 'true' }), joinRequestsSentence(list)));
  refillPart(node, notice.node);
  let list = [];
  while (isCurrent() && (list.length > 0 || await isJoinCodeOpen(id).catch(() => true))) {
    if (!document.hidden) {
      list = await getJson(sessionPath(id, '/join-requests'))
        .then((answer) => answer.join_requests, () => list);
    }
    if (!isCurrent()) return;
    announceRequests(list);
    node.hidden = list.length === 0;
    notice.update(list);
    await new Promise((resolve) => { setTimeout(resolve, ACCESS_POLL_MS); });
  }
}
