// The payment plan, which the server calculates with the fewest transfers or with all of them through a
// treasurer, whom this device remembers; and the plan as a text to pass on.

import { getJson, sessionPath } from '../../core/api_client.js';
import { knownSession, readItem, writeItem } from '../../core/device_storage.js';
import { playerName } from '../../core/session_store.js';
import { formatDay, gameName, t } from '../../core/translator.js';
import { loadedGame } from '../../domain/games.js';
import { h } from '../../ui/elements.js';
import { fieldset, pillGroup } from '../../ui/fields.js';
import { actionButton, openSheet } from '../../ui/page.js';
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
