// This device's own token for a session, and who wrote which deal.
// A device's own token names its writer, and a host may tap the link that he has sent to the others, so a
// link's token never replaces what a device has unless it gives more rights.

import { exchangeToken, getAllItems, getJson, sendRequest, sessionPath } from '../../core/api_client.js';
import { deviceInSession, readItem, rememberDevice, roleInSession,
  saveDeviceOwner, writeItem } from '../../core/device_storage.js';
import { currentSession } from '../../core/session_store.js';
import { isolateName, listNames, loadAllSentences, t } from '../../core/translator.js';
import { isSameName } from '../../ui/player_tokens.js';

const ROLES_BY_RANK = ['viewer', 'scorer', 'host'];
const roleRank = (token) => ROLES_BY_RANK.findIndex((role) => token.startsWith(role));

/**
 * Whether this device keeps its present access to a session, or to the group at `path`: the link's token
 * gives no more, and it is not revoked.
 */
export const keepsOwnAccess = async (id, token, path = sessionPath(id)) =>
  roleRank(token) <= ROLES_BY_RANK.indexOf(roleInSession(id))
  && getJson(path).then(() => true, () => false);

/** Makes `token` this device's own. The last argument is the device as the server represents it. */
export async function useDeviceToken(id, token, { id: deviceId, role, player }) {
  await exchangeToken(id, token);
  rememberDevice(id, deviceId, role);
  if (player) saveDeviceOwner(id, player);
  rememberOwnerAsked(id);
}

/** Does the same for a device that has only its token. The token begins with the device's id. */
export async function enterAsDevice(id, token) {
  const { body: device } = await sendRequest('GET', sessionPath(id, `/devices/${token.split('.')[0]}`),
    { headers: { Authorization: `Bearer ${token}` } });
  await useDeviceToken(id, token, device);
  // a device labelled with a player's name counts as that player's, on this device's screens only
  const { players } = await getJson(sessionPath(id));
  const namedPlayer = players.find(({ name }) => device.label !== null && isSameName(name, device.label));
  if (namedPlayer && !device.player) saveDeviceOwner(id, namedPlayer.id);
}

/** Stops asking whose device this is, for this session. */
export const rememberOwnerAsked = (id) => writeItem(`asked.${id}`, true);
export const mayAskForOwner = (id) => deviceInSession(id) === null && readItem(`asked.${id}`) === null;

export const fetchDevices = (id) => getAllItems(id, 'devices');

// Writers of deals, read from the session's events.
const EVENT_PAGE = 1_000; // events per request

let knownWriters = { id: null, events: new Map() };

/** Resolves to (deal) → a sentence that names its writers; '' in a session without registered devices. */
export async function fetchWriters(deals) {
  const { id } = currentSession();
  const [devices] = await Promise.all([fetchDevices(id), loadAllSentences()]);
  if (devices.length === 0 || deals.length === 0) return () => '';
  const firstVersion = Math.min(...deals.map(firstVersionOf));
  const lastVersion = Math.max(...deals.map(({ versions }) => versions[1]));
  const writersByDeal = readEvents(await eventsBetween(id, firstVersion, lastVersion));
  const labels = (ids) => listNames([...new Set([...ids].map((author) => writerLabel(author, devices)))]);
  return ({ number }) => {
    const { writers, correctors } = writersByDeal.get(number) ?? {};
    if (!writers) return '';
    const corrector = correctors.at(-1);
    const written = t('access.wrote', { who: labels(writers) });
    if (!corrector) return written;
    return [written, t('access.corrected', { who: writerLabel(corrector, devices) })].join(' · ');
  };
}

/** Fills `place` with the writers of one deal. */
export async function writerNote(place, deal) {
  place.textContent = (await fetchWriters([deal]))(deal);
  place.hidden = place.textContent === '';
}

/** Where to read events from: a rescored deal holds only its latest versions, and began somewhere earlier. */
const firstVersionOf = ({ before: earlierRecords, versions }) =>
  (earlierRecords?.length > 0 ? 1 : versions[0]);

async function eventsBetween(id, firstVersion, lastVersion) {
  if (knownWriters.id !== id) knownWriters = { id, events: new Map() };
  const { events } = knownWriters;
  for (let version = firstVersion; version <= lastVersion; version += 1) {
    if (events.has(version)) continue;
    const limit = Math.min(EVENT_PAGE, lastVersion - version + 1);
    const path = sessionPath(id, `/events?after=${version - 1}&limit=${limit}`);
    const { events: nextEvents } = await getJson(path);
    nextEvents.forEach(({ version: eventVersion, type, by: author, data }) =>
      events.set(eventVersion, { type, by: author, deal: data.number ?? data.deal }));
    if (nextEvents.length === 0) break;
  }
  return Array.from({ length: lastVersion - firstVersion + 1 },
    (_, place) => events.get(firstVersion + place)).filter(Boolean);
}

/** Deal number → {writers, correctors in order}. Workers and undos are not writers. */
function readEvents(events) {
  const writersByDeal = new Map();
  let openDeal = null;
  for (const { type, by: author, deal } of events) {
    if (type === 'deal_opened') {
      openDeal = { writers: new Set(), correctors: [] };
      writersByDeal.set(deal, openDeal);
    }
    if (type === 'deal_corrected') writersByDeal.get(deal)?.correctors.push(author);
    else if (type === 'correction_undone') writersByDeal.get(deal)?.correctors.pop();
    else if (openDeal !== null && WRITER_TYPES.test(author) && !OTHER_EVENTS.has(type))
      openDeal.writers.add(author);
  }
  return writersByDeal;
}

const WRITER_TYPES = /^(host|scorer|phone)/; // not the worker that settles payments
const OTHER_EVENTS = new Set([
  'payment_settled', 'transfer_recorded', 'cost_recorded', 'cost_voided', 'player_joined', 'reseated',
  'action_undone', 'correction_undone', 'deal_corrected', 'deal_voided', 'carried_forward',
  'pot_shared', 'bet_shared', 'bet_collected', 'bet_waived', 'evening_closed', 'session_reopened',
  'points_paid',
]);

function writerLabel(author, devices) {
  const device = devices.find(({ id }) => id === author);
  return device?.label ? isolateName(device.label) : t(`access.by.${WRITER_TYPES.exec(author)[1]}`);
}
