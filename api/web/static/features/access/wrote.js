// Who wrote a deal: the label of the phone, as the evening's events have it. Silent where no phone has a name of its own.

import { dressed } from '../../core/stylesheets.js';
import { apart, evening } from '../../core/session_store.js';
import { get, session } from '../../core/api_client.js';
import { t, together } from '../../core/translator.js';

const PAGE = 1_000; // events asked for at once

let known = { id: null, events: new Map() };

/** A sentence for a deal, or nothing: (deal) → text. */
export async function writers(deals) {
  const { id } = evening();
  const [{ phones }] = await Promise.all([get(session(id, '/phones')), dressed('door')]);
  if (phones.length === 0 || deals.length === 0) return () => '';
  const events = await between(id, Math.min(...deals.map(begun)), Math.max(...deals.map(({ versions }) => versions[1])));
  const hands = read(events);
  const labels = (ids) => together([...new Set([...ids].map((by) => label(by, phones)))]);
  return ({ number }) => {
    const { by, corrected } = hands.get(number) ?? {};
    if (!by) return '';
    const other = corrected.at(-1);
    return other ? t('door.wrote_and_corrected', { who: labels(by), other: label(other, phones) }) : t('door.wrote', { who: labels(by) });
  };
}

/** The same for one deal, into its place on a page. */
export async function sign(place, deal) {
  place.textContent = (await writers([deal]))(deal);
  place.hidden = place.textContent === '';
}

/** A deal that was told anew may have been scored again with others: only the whole story says who wrote it first. */
const begun = ({ before, versions }) => (before?.length > 0 ? 1 : versions[0]);

async function between(id, first, last) {
  if (known.id !== id) known = { id, events: new Map() };
  const { events } = known;
  for (let version = first; version <= last; version += 1) {
    if (events.has(version)) continue;
    const limit = Math.min(PAGE, last - version + 1);
    const { events: more } = await get(session(id, `/events?after=${version - 1}&limit=${limit}`));
    more.forEach(({ version: at, type, by, data }) => events.set(at, { type, by, deal: data.number ?? data.deal }));
    if (more.length === 0) break;
  }
  return Array.from({ length: last - first + 1 }, (_, place) => events.get(first + place)).filter(Boolean);
}

/** Number → whose hands it has been through. What a worker or an undo did was not written by anybody. */
function read(events) {
  const hands = new Map();
  let open = null;
  for (const { type, by, deal } of events) {
    if (type === 'deal_opened') {
      open = { by: new Set(), corrected: [] };
      hands.set(deal, open);
    }
    if (type === 'deal_corrected') hands.get(deal)?.corrected.push(by);
    else if (type === 'correction_undone') hands.get(deal)?.corrected.pop();
    else if (open !== null && SOMEBODY.test(by) && !BESIDE.has(type)) open.by.add(by);
  }
  return hands;
}

const SOMEBODY = /^(host|scorer|phone)/; // a worker settles, and writes nothing down
const BESIDE = new Set(['payment_settled', 'transfer_recorded', 'player_joined', 'reseated', 'action_undone', 'correction_undone', 'deal_corrected', 'deal_voided', 'carried_forward',
  'pot_shared', 'bet_shared', 'bet_collected', 'bet_waived', 'evening_closed', 'session_reopened', 'points_paid']);

function label(by, phones) {
  const phone = phones.find(({ id }) => id === by);
  return phone?.label ? apart(phone.label) : t(`door.by.${SOMEBODY.exec(by)[1]}`);
}
