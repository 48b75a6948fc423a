// The transfers that settle a session: the payment plan, which the server calculates with the fewest of them
// or with all through a treasurer, whom this device remembers; the plan as a text to pass on; the recording
// of a transfer, exactly once; and those recorded before, read from the events.

import { getJson, sessionPath } from '../../core/api_client.js';
import { knownSession, readItem, writeItem } from '../../core/device_storage.js';
import { Problem } from '../../core/request_errors.js';
import { currentSession, playerName, sessionState } from '../../core/session_store.js';
import { refreshSession, writeToSession } from '../../core/session_sync.js';
import { formatDay, gameName, t } from '../../core/translator.js';
import { loadedGame } from '../../domain/games.js';
import { h } from '../../ui/elements.js';
import { fieldset, pillGroup } from '../../ui/fields.js';
import { actionButton, announce, openSheet } from '../../ui/page.js';
import { playerLabel } from '../../ui/player_tokens.js';
import { copyButton } from '../../ui/share_controls.js';
import { coins, paymentArrow } from '../../ui/table_view.js';

/** Money in pot and bets belongs to no player: the plan pays it to the box, and records no such transfer. */
const BOX_KEY = 'pot';
export const isBetweenPlayers = ({ from: payer, to: payee }) => payer !== BOX_KEY && payee !== BOX_KEY;

/** The player through whom all payments go; null for the fewest transfers. */
export const chosenTreasurer = (id) => readItem(`through.${id}`);
export const saveTreasurer = (id, player) => writeItem(`through.${id}`, player);

export const fetchPlan = (id) => getJson(sessionPath(id, `/settlement${planQuery(id)}`));

/** Resolves to leftover policy → plan. Leaves out policies that the server refuses now or fails to answer. */
export async function fetchClosingPlans(id, policies) {
  const plans = await Promise.all(policies.map((policy) =>
    getJson(sessionPath(id, `/settlement${planQuery(id, { leftover_policy: policy })}`)).catch(() => null)));
  return new Map(policies.map((policy, place) => [policy, plans[place]]).filter(([, plan]) => plan !== null));
}

/** The query string of a plan: the treasurer, if any, and `extra` parameters. */
export function planQuery(id, extra = {}) {
  const treasurer = chosenTreasurer(id);
  const query = String(new URLSearchParams({ ...extra, ...(treasurer && { through: treasurer }) }));
  return query && `?${query}`;
}

/** The plan's transfer between these two players, or undefined if there is none any more. */
export const planLine = (plan, { from: payer, to: payee }) =>
  plan.transfers.find((transfer) => transfer.from === payer && transfer.to === payee);

const partyLabel = (state, id, amount) => (id === BOX_KEY
  ? h('span', { class: 'person no-player' }, coins(amount, state.options.stake),
    h('span', { class: 'name' },
      loadedGame(state.game)?.hasBetStack === false ? t('table.pot') : t('settle.box')))
  : playerLabel(state, id));

export const paymentFlow = (state, money, { from: payer, to: payee, amount }) =>
  h('span', { class: 'flow' }, partyLabel(state, payer, amount),
    paymentArrow(money.plain(amount)), partyLabel(state, payee, amount));

/** The number of payments and, if a treasurer makes them more, the fewest possible. */
export function paymentCountSentence({ transfers: { length: count }, through: treasurer, fewest }) {
  if (!treasurer) return t('settle.count', { count });
  return [t('settle.by_way', { count, name: playerName(treasurer) }),
    count > fewest && t('settle.could', { count: fewest })].filter(Boolean).join(' ');
}

/** The choice between the fewest payments, `onChoose(null)`, and a treasurer, `onChoose(player)`. */
export const treasurerChoice = ({ state, plan, onChoose }) => h('div', {},
  fieldset(t('settle.way'), null,
    pillGroup('way', [['fewest', t('settle.fewest')], ['through', t('settle.through')]],
      plan.through ? 'through' : 'fewest',
      (chosen) => onChoose(chosen === 'fewest' ? null : largestCreditor(state)))),
  plan.through && fieldset(t('settle.treasurer'), null,
    pillGroup('treasurer', state.players.map(({ id }) => [id, playerLabel(state, id)]), plan.through,
      onChoose)));

/** The first suggestion for a treasurer, since most of the money ends with this player anyway. */
const largestCreditor = ({ balances, players }) => players.map(({ id }) => id)
  .reduce((best, id) => (balances[id] > balances[best] ? id : best));

/** A button that shows results and payments as text, to copy or, if the browser can, to share. */
export const resultMessage = (state, plan, money) => actionButton('pass-on', t('send.on'), () => {
  const text = messageText(state, plan, money);
  openSheet(t('send.on'), [
    h('p', { class: 'muted' }, t('send.what')),
    copyButton(text, { what: t('send.text'), key: 'pass-copy', rows: text.split('\n').length }),
    // share() also rejects when the user cancels it
    navigator.share && actionButton('pass-send', t('send.send'),
      () => navigator.share({ text }).catch(() => null), { primary: true }),
  ]);
});

function messageText(state, plan, money) {
  const date = knownSession(state.id)?.date ?? new Date().toISOString();
  const title = [state.title || t('start.untitled'), gameName(state.game), formatDay(date)]
    .filter(Boolean).join(' · ');
  const pays = plan.transfers.filter(isBetweenPlayers);
  return [
    title,
    ...state.players
      .map(({ id }) => `${playerName(id)} ${money.signed((plan.results ?? state.balances)[id])}`),
    '',
    ...(pays.length === 0 ? [t('settle.even')] : pays.map(({ from: payer, to: payee, amount }) =>
      t('send.pays', { from: playerName(payer), to: playerName(payee), amount: money.plain(amount) }))),
  ].join('\n');
}

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
