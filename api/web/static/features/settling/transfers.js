// Recording a transfer between two players exactly once, and reading recorded transfers from the events.

import { getJson, sessionPath } from '../../core/api_client.js';
import { Problem } from '../../core/request_errors.js';
import { playerName, sessionState } from '../../core/session_store.js';
import { refreshSession, writeToSession } from '../../core/session_sync.js';
import { t } from '../../core/translator.js';
import { announce } from '../../ui/page.js';
import { fetchPlan, planLine } from './payment_plan.js';

let latestTransfer = null; // {id, words}: the message for the next screen

/** Whether the plan may be about to change, because a write is being sent or waits for the network. */
export const isTransferUnderway = () => sessionState().waiting.length > 0;

/** `money` formats the amount. Throws the server's Problem if it refuses the transfer. */
export async function recordTransfer(id, transfer, money, isAsked = true) {
  const { from: payer, to: payee, amount, method } = transfer;
  // names the write in the waiting list and in the dialog if the server refuses it later
  const label = `${playerName(payer)} → ${playerName(payee)}, ${money.plain(amount)}`;
  try {
    await writeToSession('/transfers', { from: payer, to: payee, amount, ...(method && { method }) },
      { note: { transfer: true, what: label } });
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    await refreshSession();
    // The session has changed. Retries if the plan still holds this payment, unaffected by the change.
    if (trouble.status === 412 && isAsked && (planLine(await fetchPlan(id), transfer)?.amount ?? 0) >= amount)
      return recordTransfer(id, transfer, money, false);
    throw trouble;
  }
  const values = { from: playerName(payer), to: playerName(payee), amount: money.plain(amount) };
  latestTransfer = { id, words: t('settle.noted', values) };
  announce(latestTransfer.words);
  return latestTransfer.words;
}

/** Returns the message about the transfer just recorded in this session, once; then null. */
export function recentTransferMessage(id) {
  const words = latestTransfer?.id === id ? latestTransfer.words : null;
  latestTransfer = null;
  return words;
}

const EVENT_PAGE = 300; // events per request

/**
 * A session's transfers, read from its events from the latest backwards. `list()` has the latest first,
 * `more()` says whether earlier events are still unread.
 */
export function transferHistory(id) {
  let transfers = [];
  let firstVersion = null; // the events after this version have been read …
  let lastVersion = 0; // … up to and including this one

  const read = async (afterVersion, limit) => {
    const { events } = await getJson(sessionPath(id, `/events?after=${afterVersion}&limit=${limit}`));
    return { upto: events.at(-1)?.version ?? afterVersion,
      paid: events.filter(({ type }) => type === 'transfer_recorded').map(transferOf) };
  };

  return {
    list: () => markCancelled(transfers.toReversed()),
    more: () => firstVersion > 0,
    /** Reads the events up to this version that have not been read yet. */
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

/** Marks transfers that cancel each other as `even`: the same amount there and back, nearest pairs first. */
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
