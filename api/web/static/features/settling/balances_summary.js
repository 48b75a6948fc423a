// A session's results and unpaid balances, failures to settle a payment, reopening a closed session, and the
// result as a message to share.

import { getJson, sendRequest, sessionPath } from '../../core/api_client.js';
import { knownSessions, roleInSession } from '../../core/device_storage.js';
import { currentSession, playerName, sessionState } from '../../core/session_store.js';
import { writeToSession } from '../../core/session_sync.js';
import { formatDay, gameName, loadAllSentences, sessionMoneyWriter, t } from '../../core/translator.js';
import { signClass } from '../../domain/amounts.js';
import { h } from '../../ui/elements.js';
import { actionButton, announce, openSheet, refillPart, showRefusal } from '../../ui/page.js';
import { playerLabel } from '../../ui/player_tokens.js';
import { copyButton } from '../../ui/share_controls.js';
import { isBetweenPlayers } from './transfers.js';

/** Player id → balance still to be settled. Payments that the server is settling count as made. */
function unpaidAmounts({ players, balances, payments = [] }) {
  const owed = { ...balances };
  for (const { from: payer, to: payee, amount } of payments.filter(({ status }) => status === 'due')) {
    owed[payer] -= amount;
    owed[payee] += amount;
  }
  return Object.fromEntries(players.map(({ id }) => [id, owed[id]]));
}

const hasDifference = (state, results, unpaid) =>
  state.players.some(({ id }) => results[id] !== unpaid[id]);

/**
 * Each player's result, and the unpaid balances if any differs from its result. `figures` is a state or a
 * plan, with `results` and `balances`.
 */
export function balanceFigures(state, figures, money) {
  if (!figures.results) return null;
  const unpaid = unpaidAmounts({ ...figures, players: state.players });
  const differs = hasDifference(state, figures.results, unpaid);
  const figureRow = (id, result) => h('li', { class: 'row' }, playerLabel(state, id),
    h('span', { class: 'both' },
      h('b', { class: `amount ${signClass(result)}`, 'data-result': result }, money.signed(result)),
      differs && h('small', { class: 'dim', 'data-left': unpaid[id] }, owesSentence(unpaid[id], money))));
  return h('section', { class: 'figures' }, h('h2', {}, t('figures.result')),
    h('ul', { class: 'rows' }, state.players.map(({ id }) => figureRow(id, figures.results[id]))));
}

const owesSentence = (amount, money) => (amount === 0 ? t('figures.even')
  : t(amount > 0 ? 'figures.gets' : 'figures.pays', { amount: money.plain(Math.abs(amount)) }));

/**
 * Fills `node` with the figures once results and unpaid balances differ, and with the button that reopens the
 * session unless `quiet`. `of()` returns the state to show.
 */
export async function fillBalances(node, { home, isCurrent, quiet = false, of = currentSession }) {
  await loadAllSentences();
  const state = of();
  if (!isCurrent() || !state?.results) return;
  const parts = [
    hasDifference(state, state.results, unpaidAmounts(state))
      && balanceFigures(state, state, sessionMoneyWriter(state)),
    !quiet && mayReopen(state) && reopenButton(home, isCurrent),
  ].filter(Boolean);
  refillPart(node, parts);
  node.hidden = parts.length === 0;
}

/** Resolves to the settlement failure of a la vola, with its time and number of attempts, or null. */
export const fetchFailures = async (id) => (await getJson(sessionPath(id, '/payments'))).failure ?? null;

export const retrySettlement = (id) => sendRequest('POST', sessionPath(id, '/payments/retries'));

/** Only the host's device, and only until a payment is made or the money is carried forward. */
export const mayReopen = (state) => state.closure?.reopenable === true && roleInSession(state.id) === 'host'
  && sessionState().waiting.length === 0;

/** A question with a button that reopens the session and then shows the table. */
export const reopenButton = (home, isCurrent) => h('section', { class: 'offer reopening' },
  h('p', {}, t('reopen.ask')),
  actionButton('reopen', t('reopen.back'), (event) => reopenSession(home, isCurrent, event)));

async function reopenSession(home, isCurrent, event) {
  event.currentTarget.disabled = true;
  try {
    await writeToSession('/closure', undefined,
      { method: 'DELETE', ifMatch: currentSession().version, note: { what: t('reopen.back') } });
    announce(t('reopen.done'));
    if (isCurrent()) location.hash = home;
  } catch (trouble) {
    await showRefusal(trouble);
  }
}

/** A button that shows results and payments as text, to copy or, if the browser can, to share. */
export const resultMessage = (state, plan, money) => actionButton('pass-on', t('pass.on'), () => {
  const text = messageText(state, plan, money);
  openSheet(t('pass.on'), [
    h('p', { class: 'dim' }, t('pass.what')),
    copyButton(text, { what: t('pass.text'), key: 'pass-copy', rows: text.split('\n').length }),
    // share() also rejects when the user cancels it
    navigator.share && actionButton('pass-send', t('pass.send'),
      () => navigator.share({ text }).catch(() => null), { big: true }),
  ]);
});

function messageText(state, plan, money) {
  const date = knownSessions().find(({ id }) => id === state.id)?.date ?? new Date().toISOString();
  const title = [state.title || t('start.untitled'), gameName(state.game), formatDay(date)]
    .filter(Boolean).join(' · ');
  const pays = plan.transfers.filter(isBetweenPlayers);
  return [
    title,
    ...state.players
      .map(({ id }) => `${playerName(id)} ${money.signed((plan.results ?? state.balances)[id])}`),
    '',
    ...(pays.length === 0 ? [t('settle.even')] : pays.map(({ from: payer, to: payee, amount }) =>
      t('pass.pays', { from: playerName(payer), to: playerName(payee), amount: money.plain(amount) }))),
  ].join('\n');
}
