// The two figures of an evening for money, kept apart: what it brought everybody, and what is still to pay.

import { getJson, sendRequest, sessionPath } from '../../core/api_client.js';
import { knownSessions, roleInSession } from '../../core/device_storage.js';
import { sessionMoneyWriter } from '../../core/money_format.js';
import { currentSession, playerName, writeToSession } from '../../core/session_store.js';
import { unsentWrites } from '../../core/sync_queue.js';
import { formatDay, loadAllSentences, t } from '../../core/translator.js';
import { gameName } from '../../domain/games.js';
import { signClass } from '../../domain/points.js';
import { copyButton } from '../../ui/copy_button.js';
import { h } from '../../ui/elements.js';
import { actionButton, announce, openSheet } from '../../ui/page.js';
import { playerLabel } from '../../ui/player_tokens.js';
import { showRefusal } from '../refusal.js';
import { isBetween } from './payment_plan.js';

/** What is still to pay, a la vola that is being settled counted as paid. */
function unpaidAmounts({ players, balances, payments = [] }) {
  const owed = { ...balances };
  payments.filter(({ status }) =>
    status === 'due').forEach(({ from: payer, to: payee,
      amount }) => { owed[payer] -= amount; owed[payee] += amount; });
  return Object.fromEntries(players.map(({ id }) => [id, owed[id]]));
}

const hasDifference = (state, results, unpaid) =>
  state.players.some(({ id }) => results[id] !== unpaid[id]);

/**
 * `told`: a state or a plan, with `results` and `balances`. Says what is still to pay only where it is
 * something else.
 */
export function balanceFigures(state, figures, money) {
  if (!figures.results) return null;
  const unpaid = unpaidAmounts({ ...figures, players: state.players });
  const differs = hasDifference(state, figures.results, unpaid);
  return h('section', { class: 'figures' }, h('h2', {}, t('figures.result')),
    h('ul', { class: 'rows' }, state.players.map(({ id }) => h('li', { class: 'row' },
    playerLabel(state, id),
    h('span', { class: 'both' },
      h('b', { class: `amount ${signClass(figures.results[id])}`, 'data-result': figures.results[id] },
      money.signed(figures.results[id])),
      differs && h('small', { class: 'dim', 'data-left': unpaid[id] },
        owesSentence(unpaid[id], money)))))));
}

const owesSentence = (amount, money) => (amount === 0 ? t('figures.even')
  : t(amount > 0 ? 'figures.gets' : 'figures.pays', { amount: money.plain(Math.abs(amount)) }));

/**
 * Fills a place on the table: both figures as soon as they differ, and the way back from a closing. `quiet`:
 * nothing to press.
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
  node.replaceChildren(...parts);
  node.hidden = parts.length === 0;
}

// Payments of a la vola that the server cannot settle: seldom, but then a person has to know, and may have it
// tried again.

/** Since when and how often it was tried; null when nothing is stuck. */
export const fetchFailures = async (id) => (await getJson(sessionPath(id, '/payments'))).stuck ?? null;

export const retrySettlement = (id) => sendRequest('DELETE', sessionPath(id, '/payments/stuck'));

// The closing is taken back, as long as nobody has acted on it: the evening goes on where it stood.
export const mayReopen = (state) => state.closure?.reopenable === true && roleInSession(state.id) === 'host'
  && unsentWrites(state.id).length === 0;

/** What it is and a button that does it; then the table is shown again. */
export const reopenButton = (home, isCurrent) =>
  h('section', { class: 'offer reopening' }, h('p', {}, t('reopen.ask')),
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

// How it ended, as a few lines to send to everybody who was there: how all stand, and who pays whom.

/**
 * A button that shows the text and hands it to another app: by the phone's own way of sharing, else by
 * copying.
 */
export const resultMessage = (state, plan, money) => actionButton('pass-on', t('pass.on'), () => {
  const text = messageText(state, plan, money);
  openSheet(t('pass.on'), [
    h('p', { class: 'dim' }, t('pass.what')),
    copyButton(text, { what: t('pass.text'), key: 'pass-copy', rows: text.split('\n').length }),
    // closed again is no failure
    navigator.share && actionButton('pass-send', t('pass.send'),
      () => navigator.share({ text }).catch(() => null), { big: true }),
  ]);
});

function messageText(state, plan, money) {
  const title = [state.title || t('start.untitled'), gameName(state.game),
    formatDay(knownSessions().find(({ id }) => id === state.id)?.date
    ?? new Date().toISOString())].filter(Boolean).join(' · ');
  const pays = plan.transfers.filter(isBetween);
  return [
    title,
    ...state.players
      .map(({ id }) => `${playerName(id)} ${money.signed((plan.results ?? state.balances)[id])}`),
    '',
    ...(pays.length > 0 ? pays.map(({ from: payer, to: payee, amount }) =>
      t('pass.pays', { from: playerName(payer), to: playerName(payee),
      amount: money.plain(amount) })) : [t('settle.even')]),
  ].join('\n');
}
