// The right that this phone has to an evening: its own, which says who writes, is not given up for a link's.

import { exchangeToken, getJson, sendRequest, sessionPath } from '../../core/api_client.js';
import { deviceInSession, readItem, rememberDevice, roleInSession,
  writeItem } from '../../core/device_storage.js';
import { currentSession } from '../../core/session_store.js';
import { isolateName, listNames, loadAllSentences, t } from '../../core/translator.js';
import { isSameName } from '../../ui/player_tokens.js';

const ROLES_BY_RANK = ['viewer', 'scorer', 'host'];
const roleRank = (token) => ROLES_BY_RANK.findIndex((role) => token.startsWith(role));

/**
 * Whether a phone that has been in before stays what it is: a link gives no more, and it has not been shut
 * out.
 */
export const keepsOwnAccess = async (id, token) => roleRank(token) <= ROLES_BY_RANK.indexOf(roleInSession(id))
  && getJson(sessionPath(id)).then(() => true, () => false);

/** From now on this phone has a right of its own. `phone`: what the server tells of it. */
export async function useDeviceToken(id, token, { id: phone, role, player }) {
  await exchangeToken(id, token);
  rememberDevice(id, phone, role);
  if (player) writeItem(`holder.${id}`, player);
  rememberOwnerAsked(id);
}

/** The same for a phone that knows no more than its token, which begins with the phone's number. */
export async function enterAsDevice(id, token) {
  const { body } = await sendRequest('GET', sessionPath(id, '/phones'),
    { headers: { Authorization: `Bearer ${token}` } });
  const phone = body.phones.find((device) => device.id === token.split('.')[0]);
  await useDeviceToken(id, token, phone);
  // who comes in under a player's very name is taken for that player, on this phone's own screen only
  const { players } = await getJson(sessionPath(id));
  const namedPlayer = players.find(({ name }) => phone.label !== null && isSameName(name, phone.label));
  if (namedPlayer && !phone.player) writeItem(`holder.${id}`, namedPlayer.id);
}

/** Whose phone this is was asked, and is not asked again in this evening. */
export const rememberOwnerAsked = (id) => writeItem(`asked.${id}`, true);
export const mayAskForOwner = (id) => deviceInSession(id) === null && readItem(`asked.${id}`) === null;

// Who wrote a deal: the label of the phone, as the evening's events have it. Silent where no phone has a name
// of its own.
const EVENT_PAGE = 1_000; // events asked for at once

let knownWriters = { id: null, events: new Map() };

/** A sentence for a deal, or nothing: (deal) → text. */
export async function fetchWriters(deals) {
  const { id } = currentSession();
  const [{ phones }] = await Promise.all([getJson(sessionPath(id, '/phones')), loadAllSentences()]);
  if (phones.length === 0 || deals.length === 0) return () => '';
  const events = await eventsBetween(id, Math.min(...deals.map(firstVersionOf)),
    Math.max(...deals.map(({ versions }) => versions[1])));
  const writersByDeal = readEvents(events);
  const labels = (ids) => listNames([...new Set([...ids].map((author) => writerLabel(author, phones)))]);
  return ({ number }) => {
    const { by: authors, corrected } = writersByDeal.get(number) ?? {};
    if (!authors) return '';
    const corrector = corrected.at(-1);
    return corrector
      ? t('door.wrote_and_corrected', { who: labels(authors), other: writerLabel(corrector, phones) })
      : t('door.wrote', { who: labels(authors) });
  };
}

/** The same for one deal, into its place on a page. */
export async function writerNote(place, deal) {
  place.textContent = (await fetchWriters([deal]))(deal);
  place.hidden = place.textContent === '';
}

/**
 * A deal that was told anew may have been scored again with others: only the whole story says who wrote it
 * first.
 */
const firstVersionOf = ({ before: earlierRecords, versions }) =>
  (earlierRecords?.length > 0 ? 1 : versions[0]);

async function eventsBetween(id, firstVersion, lastVersion) {
  if (knownWriters.id !== id) knownWriters = { id, events: new Map() };
  const { events } = knownWriters;
  for (let version = firstVersion; version <= lastVersion; version += 1) {
    if (events.has(version)) continue;
    const limit = Math.min(EVENT_PAGE, lastVersion - version + 1);
    const { events: nextEvents } =
      await getJson(sessionPath(id, `/events?after=${version - 1}&limit=${limit}`));
    nextEvents.forEach(({ version: eventVersion, type, by: author, data }) =>
      events.set(eventVersion, { type, by: author, deal: data.number ?? data.deal }));
    if (nextEvents.length === 0) break;
  }
  return Array.from({ length: lastVersion - firstVersion + 1 },
    (_, place) => events.get(firstVersion + place)).filter(Boolean);
}

/** Number → whose hands it has been through. What a worker or an undo did was not written by anybody. */
function readEvents(events) {
  const writersByDeal = new Map();
  let open = null;
  for (const { type, by: author, deal } of events) {
    if (type === 'deal_opened') {
      open = { by: new Set(), corrected: [] };
      writersByDeal.set(deal, open);
    }
    if (type === 'deal_corrected') writersByDeal.get(deal)?.corrected.push(author);
    else if (type === 'correction_undone') writersByDeal.get(deal)?.corrected.pop();
    else if (open !== null && WRITER_TYPES.test(author) && !OTHER_EVENTS.has(type)) open.by.add(author);
  }
  return writersByDeal;
}

const WRITER_TYPES = /^(host|scorer|phone)/; // a worker settles, and writes nothing down
const OTHER_EVENTS =
  new Set(['payment_settled', 'transfer_recorded', 'player_joined', 'reseated', 'action_undone',
  'correction_undone', 'deal_corrected', 'deal_voided', 'carried_forward',
  'pot_shared', 'bet_shared', 'bet_collected', 'bet_waived', 'evening_closed', 'session_reopened',
  'points_paid']);

function writerLabel(author, phones) {
  const phone = phones.find(({ id }) => id === author);
  return phone?.label ? isolateName(phone.label) : t(`door.by.${WRITER_TYPES.exec(author)[1]}`);
}
