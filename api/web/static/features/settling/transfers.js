// Records a transfer exactly once, and reads those recorded before from the events.

import { getJson, sessionPath } from '../../core/api_client.js';
import { Problem } from '../../core/request_errors.js';
import { currentSession, playerName, sessionState } from '../../core/session_store.js';
import { refreshSession, writeToSession } from '../../core/session_sync.js';
import { t } from '../../core/translator.js';
import { announce } from '../../ui/page.js';
import { fetchPlan, planLine } from './payment_plan.js';

let latestMessage = null; // {id, words}: the message for the next screen

/** Whether the plan may be about to change, because a write is being sent or waits for the network. */
export const isTransferUnderway = () => sessionState().waiting.length > 0;

/**
 * `money` formats the amount; `version` is that which the screen shows; the session may be newer.
 * Throws the server's Problem if it refuses the transfer.
 */
export async function recordTransfer(id, transfer, money, version, isPlanned = true) {
  const { from: payer, to: payee, amount, method } = transfer;
  // the device may have left the session before the answer
  const values = { from: playerName(payer), to: playerName(payee), amount: money.plain(amount) };
  // names the write in the waiting list and in the dialog if the server refuses it later
  const label = `${values.from} → ${values.to}, ${values.amount}`;
  try {
    await writeToSession('/transfers', { from: payer, to: payee, amount, ...(method && { method }) },
      { ifMatch: version, note: { what: label } });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    await refreshSession();
    // The session has changed. Retries if the plan still holds this payment, unaffected by the change.
    const plan = error.status === 412 && isPlanned && await fetchPlan(id).catch(() => null);
    // Meanwhile the device may have left this session for another one.
    if (plan && currentSession()?.id === id && (planLine(plan, transfer)?.amount ?? 0) >= amount)
      return recordTransfer(id, transfer, money, plan.version, false);
    throw error;
  }
  latestMessage = { id, words: t('settle.noted', values) };
  announce(latestMessage.words);
  return latestMessage.words;
}

/** Returns the message about the transfer just recorded in this session, once; then null. */
export function recentTransferMessage(id) {
  const words = latestMessage?.id === id ? latestMessage.words : null;
  latestMessage = null;
  return words;
}

const EVENT_PAGE = 300; // events per request
const INITIAL_TRANSFERS = 10; // each tap redraws the list, and few people read further

/**
 * A session's transfers, read from its events from the latest backwards. `list()` has the latest first, only
 * a few until `readEarlier()`; `hasEarlier()` says whether there may be more, `version()` how far it is read.
 */
export function transferHistory(id) {
  let transfers = [];
  let shownCount = INITIAL_TRANSFERS;
  let firstVersion = null; // the events after this version have been read …
  let lastVersion = 0; // … up to and including this one

  const read = async (afterVersion, limit) => {
    const { events } = await getJson(sessionPath(id, `/events?after=${afterVersion}&limit=${limit}`));
    return { lastRead: events.at(-1)?.version ?? afterVersion,
      newTransfers: events.filter(({ type }) => type === 'transfer_recorded').map(transferOf) };
  };

  return {
    list: () => markCancelled(transfers).toReversed().slice(0, shownCount),
    hasEarlier: () => transfers.length > shownCount || firstVersion > 0,
    version: () => lastVersion,
    /** Reads the events up to this version that have not been read yet. */
    async readUpTo(version) {
      if (firstVersion === null) firstVersion = lastVersion = Math.max(0, version - EVENT_PAGE);
      while (lastVersion < version) {
        const { lastRead, newTransfers } = await read(lastVersion, 1_000);
        if (lastRead === lastVersion) return;
        lastVersion = lastRead;
        transfers = [...transfers, ...newTransfers.filter((transfer) =>
          !transfers.some((knownTransfer) => knownTransfer.version === transfer.version))];
      }
    },
    async readEarlier() {
      const wasComplete = transfers.length <= shownCount;
      shownCount = Infinity;
      if (!wasComplete) return;
      const end = firstVersion;
      const begin = Math.max(0, end - EVENT_PAGE);
      const { newTransfers } = await read(begin, end - begin);
      if (firstVersion !== end) return; // another tap has read them
      firstVersion = begin;
      transfers = [...newTransfers, ...transfers];
    },
  };
}

const transferOf = ({ version, at: recordedAt, data: { payer, payee, amount, method } }) =>
  ({ version, at: recordedAt, from: payer, to: payee, amount, method });

/**
 * Marks transfers that cancel each other as `even`: the same amount there and back. Each cancels the latest
 * one before it that stands, so a payment recorded once more stands.
 */
export function markCancelled(transfers) {
  const cancelled = new Set();
  transfers.forEach((transfer, place) => {
    const earlier = transfers.slice(0, place).findLast((candidate) => !cancelled.has(candidate)
      && candidate.from === transfer.to && candidate.to === transfer.from
      && candidate.amount === transfer.amount);
    if (earlier) cancelled.add(transfer).add(earlier);
  });
  return transfers.map((transfer) => ({ ...transfer, even: cancelled.has(transfer) }));
}
