// Writing down that somebody paid somebody: once, whatever the network does and whoever else taps at the same
// time.

import { Problem, getJson, sessionPath } from '../../core/api_client.js';
import { playerName, refreshSession, writeToSession } from '../../core/session_store.js';
import { unsentWrites } from '../../core/sync_queue.js';
import { t } from '../../core/translator.js';
import { announce } from '../../ui/page.js';
import { fetchPlan, planLine } from './payment_plan.js';

let latestTransfer = null; // what was written down last, for the screen that comes next to say

/** On its way, or waiting for a network: until it is there, the plan may be about to change. */
export const isTransferUnderway = (id) => unsentWrites(id).length > 0;

/** `money` writes the amount. Throws the server's Problem when it was not taken. */
export async function recordTransfer(id, one, money, asked = true) {
  const { from, to, amount, method } = one;
  // should a no come when nobody waits for it here any more
  const what = `${playerName(from)} → ${playerName(to)}, ${money.plain(amount)}`;
  try {
    await writeToSession('/transfers', { from, to, amount, ...(method && { method }) },
      { note: { transfer: true, what } });
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    await refreshSession();
    // The evening went on meanwhile. As long as the plan still has this line, it was about something else.
    if (trouble.status === 412 && asked && (planLine(await fetchPlan(id), one)?.amount ?? 0) >= amount)
      return recordTransfer(id, one, money, false);
    throw trouble;
  }
  latestTransfer =
    { id, words: t('settle.noted', { from: playerName(from), to: playerName(to),
    amount: money.plain(amount) }) };
  announce(latestTransfer.words);
  return latestTransfer.words;
}

/** What was just written down in this evening, said once. */
export function wasJustRecorded(id) {
  const words = latestTransfer?.id === id ? latestTransfer.words : null;
  latestTransfer = null;
  return words;
}

// What has been paid, as it was written down: read from the events themselves, from the end backwards.
const EVENT_PAGE = 300; // events looked through at a time

/** Transfers of one evening as they become known; `list()` has the latest first. */
export function fetchTransfers(id) {
  let found = [];
  let first = null; // everything from behind this version on has been read …
  let last = 0;     // … up to this one

  const read = async (after, limit) => {
    const { events } = await getJson(sessionPath(id, `/events?after=${after}&limit=${limit}`));
    return { upto: events.at(-1)?.version ?? after,
      paid: events.filter(({ type }) => type === 'transfer_recorded').map(transferOf) };
  };

  return {
    list: () => cancelledTransfers(found.toReversed()),
    more: () => first > 0,
    /** Reads what has been added; what was read before is not asked for again. */
    async upTo(version) {
      if (first === null) first = last = Math.max(0, version - EVENT_PAGE);
      while (last < version) {
        const { upto, paid } = await read(last, 1_000);
        if (upto === last) return;
        last = upto;
        found = [...found, ...paid.filter((one) => !found.some((known) => known.version === one.version))];
      }
    },
    async earlier() {
      const begin = Math.max(0, first - EVENT_PAGE);
      const { paid } = await read(begin, first - begin);
      first = begin;
      found = [...paid, ...found];
    },
  };
}

const transferOf = ({ version, at, data: { payer, payee, amount, method } }) =>
  ({ version, at, from: payer, to: payee, amount, method });

/**
 * Marks pairs of the same amount that go both ways, the nearest to each other first: nothing is left of them.
 */
function cancelledTransfers(latestFirst) {
  const even = new Set();
  latestFirst.forEach((later, place) => {
    if (even.has(later)) return;
    const earlier = latestFirst.slice(place + 1).find((one) => !even.has(one)
      && one.from === later.to && one.to === later.from && one.amount === later.amount);
    if (earlier) even.add(later).add(earlier);
  });
  return latestFirst.map((one) => ({ ...one, even: even.has(one) }));
}
