// The right that this phone has to an evening: its own, which says who writes, is not given up for a link's.

import { exchangeToken, getJson, sendRequest, sessionPath } from '../../core/api_client.js';
import { deviceInSession, readItem, rememberDevice, roleInSession,
  writeItem } from '../../core/device_storage.js';
import { currentSession } from '../../core/session_store.js';
import { isolateName, listNames, loadAllSentences, t } from '../../core/translator.js';
import { isSameName } from '../../ui/player_tokens.js';

const ROLE_WIDTHS = ['viewer', 'scorer', 'host'];
const roleWidth = (token) => ROLE_WIDTHS.findIndex((role) => token.startsWith(role));

/**
 * Whether a phone that has been in before stays what it is: a link gives no more, and it has not been shut
 * out.
 */
export const keepsOwnAccess = async (id, token) => roleWidth(token) <= ROLE_WIDTHS.indexOf(roleInSession(id))
  && getJson(sessionPath(id)).then(() => true, () => false);

/** From now on this phone has a right of its own. `phone`: what the server tells of it. */
export async function fetchOwnDevice(id, token, { id: phone, role, player }) {
  await exchangeToken(id, token);
  rememberDevice(id, phone, role);
  if (player) writeItem(`holder.${id}`, player);
  wasOwnerAsked(id);
}

/** The same for a phone that knows no more than its token, which begins with the phone's number. */
export async function enterAsDevice(id, token) {
  const { body } = await sendRequest('GET', sessionPath(id, '/phones'),
    { headers: { Authorization: `Bearer ${token}` } });
  const phone = body.phones.find((one) => one.id === token.split('.')[0]);
  await fetchOwnDevice(id, token, phone);
  // who comes in under a player's very name is taken for that player, on this phone's own screen only
  const { players } = await getJson(sessionPath(id));
  const called = players.find(({ name }) => phone.label !== null && isSameName(name, phone.label));
  if (called && !phone.player) writeItem(`holder.${id}`, called.id);
}

/** Whose phone this is was asked, and is not asked again in this evening. */
export const wasOwnerAsked = (id) => writeItem(`asked.${id}`, true);
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
  const events = await eventsBetween(id, Math.min(...deals.map(openingEvent)),
    Math.max(...deals.map(({ versions }) => versions[1])));
  const handlers = readEvents(events);
  const labels = (ids) => listNames([...new Set([...ids].map((by) => writerLabel(by, phones)))]);
  return ({ number }) => {
    const { by, corrected } = handlers.get(number) ?? {};
    if (!by) return '';
    const other = corrected.at(-1);
    return other ? t('door.wrote_and_corrected', { who: labels(by), other: writerLabel(other, phones) })
      : t('door.wrote', { who: labels(by) });
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
const openingEvent = ({ before, versions }) => (before?.length > 0 ? 1 : versions[0]);

async function eventsBetween(id, first, last) {
  if (knownWriters.id !== id) knownWriters = { id, events: new Map() };
  const { events } = knownWriters;
  for (let version = first; version <= last; version += 1) {
    if (events.has(version)) continue;
    const limit = Math.min(EVENT_PAGE, last - version + 1);
    const { events: more } = await getJson(sessionPath(id, `/events?after=${version - 1}&limit=${limit}`));
    more.forEach(({ version: at, type, by, data }) =>
      events.set(at, { type, by, deal: data.number ?? data.deal }));
    if (more.length === 0) break;
  }
  return Array.from({ length: last - first + 1 }, (_, place) => events.get(first + place)).filter(Boolean);
}

/** Number → whose hands it has been through. What a worker or an undo did was not written by anybody. */
function readEvents(events) {
  const handlers = new Map();
  let open = null;
  for (const { type, by, deal } of events) {
    if (type === 'deal_opened') {
      open = { by: new Set(), corrected: [] };
      handlers.set(deal, open);
    }
    if (type === 'deal_corrected') handlers.get(deal)?.corrected.push(by);
    else if (type === 'correction_undone') handlers.get(deal)?.corrected.pop();
    else if (open !== null && WRITER_TYPES.test(by) && !OTHER_EVENTS.has(type)) open.by.add(by);
  }
  return handlers;
}

const WRITER_TYPES = /^(host|scorer|phone)/; // a worker settles, and writes nothing down
const OTHER_EVENTS =
  new Set(['payment_settled', 'transfer_recorded', 'player_joined', 'reseated', 'action_undone',
  'correction_undone', 'deal_corrected', 'deal_voided', 'carried_forward',
  'pot_shared', 'bet_shared', 'bet_collected', 'bet_waived', 'evening_closed', 'session_reopened',
  'points_paid']);

function writerLabel(by, phones) {
  const phone = phones.find(({ id }) => id === by);
  return phone?.label ? isolateName(phone.label) : t(`door.by.${WRITER_TYPES.exec(by)[1]}`);
}
