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
export async function recordTransfer(id, transfer, money, isAsked = true) {
  const { from: payer, to: payee, amount, method } = transfer;
  // should a no come when nobody waits for it here any more
  const label = `${playerName(payer)} → ${playerName(payee)}, ${money.plain(amount)}`;
  try {
    await writeToSession('/transfers', { from: payer, to: payee, amount, ...(method && { method }) },
      { note: { transfer: true, what: label } });
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    await refreshSession();
    // The evening went on meanwhile. As long as the plan still has this line, it was about something else.
    if (trouble.status === 412 && isAsked && (planLine(await fetchPlan(id), transfer)?.amount ?? 0) >= amount)
      return recordTransfer(id, transfer, money, false);
    throw trouble;
  }
  latestTransfer =
    { id, words: t('settle.noted', { from: playerName(payer), to: playerName(payee),
    amount: money.plain(amount) }) };
  announce(latestTransfer.words);
  return latestTransfer.words;
}

/** What was just written down in this evening, said once. */
export function recentTransferMessage(id) {
  const words = latestTransfer?.id === id ? latestTransfer.words : null;
  latestTransfer = null;
  return words;
}

// What has been paid, as it was written down: read from the events themselves, from the end backwards.
const EVENT_PAGE = 300; // events looked through at a time

/** Transfers of one evening as they become known; `list()` has the latest first. */
export function transferHistory(id) {
  let transfers = [];
  let firstVersion = null; // everything from behind this version on has been read …
  let lastVersion = 0;     // … up to this one

  const read = async (afterVersion, limit) => {
    const { events } = await getJson(sessionPath(id, `/events?after=${afterVersion}&limit=${limit}`));
    return { upto: events.at(-1)?.version ?? afterVersion,
      paid: events.filter(({ type }) => type === 'transfer_recorded').map(transferOf) };
  };

  return {
    list: () => markCancelled(transfers.toReversed()),
    more: () => firstVersion > 0,
    /** Reads what has been added; what was read before is not asked for again. */
    async upTo(version) {
      if (firstVersion === null) firstVersion = lastVersion = Math.max(0, version - EVENT_PAGE);
      while (lastVersion < version) {
        const { upto, paid } = await read(lastVersion, 1_000);
        if (upto === lastVersion) return;
        lastVersion = upto;
        transfers = [...transfers, ...paid.filter((transfer) =>
          !transfers.some((knownTransfer) => knownTransfer.version === transfer.version))];
      }
    },
    async earlier() {
      const begin = Math.max(0, firstVersion - EVENT_PAGE);
      const { paid } = await read(begin, firstVersion - begin);
      firstVersion = begin;
      transfers = [...paid, ...transfers];
    },
  };
}

const transferOf = ({ version, at: recordedAt, data: { payer, payee, amount, method } }) =>
  ({ version, at: recordedAt, from: payer, to: payee, amount, method });

/**
 * Marks pairs of the same amount that go both ways, the nearest to each other first: nothing is left of them.
 */
function markCancelled(latestFirst) {
  const cancelled = new Set();
  latestFirst.forEach((laterTransfer, place) => {
    if (cancelled.has(laterTransfer)) return;
    const earlier = latestFirst.slice(place + 1).find((candidate) => !cancelled.has(candidate)
      && candidate.from === laterTransfer.to && candidate.to === laterTransfer.from
        && candidate.amount === laterTransfer.amount);
    if (earlier) cancelled.add(laterTransfer).add(earlier);
  });
  return latestFirst.map((transfer) => ({ ...transfer, even: cancelled.has(transfer) }));
}
