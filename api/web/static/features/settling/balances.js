// The results of a session beside the balances that are still unpaid, and the button that reopens a closed
// session.

import { roleInSession } from '../../core/device_storage.js';
import { currentSession, sessionState } from '../../core/session_store.js';
import { writeToSession } from '../../core/session_sync.js';
import { loadAllSentences, sessionMoneyWriter, t } from '../../core/translator.js';
import { signClass } from '../../domain/amounts.js';
import { h } from '../../ui/elements.js';
import { actionButton, announce, refillPart, showRefusal } from '../../ui/page.js';
import { playerLabel } from '../../ui/player_tokens.js';

/** Player id → balance still to be settled. Payments that the server is settling count as made. */
function unpaidAmounts({ players, balances, payments = [] }) {
  const unpaid = { ...balances };
  for (const { from: payer, to: payee, amount } of payments.filter(({ status }) => status === 'due')) {
    unpaid[payer] -= amount;
    unpaid[payee] += amount;
  }
  return Object.fromEntries(players.map(({ id }) => [id, unpaid[id]]));
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
    h('span', { class: 'result-and-debt' },
      h('b', { class: `amount ${signClass(result)}`, 'data-result': result }, money.signed(result)),
      differs && h('small', { class: 'muted', 'data-left': unpaid[id] }, owesSentence(unpaid[id], money))));
  return h('section', { class: 'figures' }, h('h2', {}, t('figures.result')),
    h('ul', { class: 'rows' }, state.players.map(({ id }) => figureRow(id, figures.results[id]))));
}

const owesSentence = (amount, money) => (amount === 0 ? t('figures.even')
  : t(amount > 0 ? 'figures.gets' : 'figures.pays', { amount: money.plain(Math.abs(amount)) }));

/**
 * Fills `node` with the figures once results and unpaid balances differ, and with the button that reopens the
 * session if `offersReopening`. `stateToShow()` returns the state that they are of.
 */
export async function fillBalances(node,
  { home, isCurrent, offersReopening = true, stateToShow = currentSession }) {
  await loadAllSentences();
  const state = stateToShow();
  if (!isCurrent() || !state) return;
  const parts = [
    state.results && hasDifference(state, state.results, unpaidAmounts(state))
      && balanceFigures(state, state, sessionMoneyWriter(state)),
    offersReopening && mayReopen(state) && reopenButton(home, isCurrent),
  ].filter(Boolean);
  refillPart(node, parts);
  node.hidden = parts.length === 0;
}

/** Only the host's device, and only until a payment is made or the money is carried forward. */
export const mayReopen = (state) => state.closure?.reopenable === true && roleInSession(state.id) === 'host'
  && sessionState().waiting.length === 0;

/** A question with a button that reopens the session and then shows the table. */
export function reopenButton(home, isCurrent) {
  const { balances } = currentSession();
  return h('section', { class: 'callout reopening' },
    h('p', {}, t(balances === null ? 'reopen.ask_points' : 'reopen.ask')),
    actionButton('reopen', t('reopen.back'), (event) => reopenSession(home, isCurrent, event)));
}

async function reopenSession(home, isCurrent, event) {
  event.currentTarget.disabled = true;
  try {
    await writeToSession('/closure', undefined,
      { method: 'DELETE', ifMatch: currentSession().version, note: { what: t('reopen.back') } });
    announce(t('reopen.done'));
    if (isCurrent()) location.hash = home;
  } catch (error) {
    await showRefusal(error);
  }
}
