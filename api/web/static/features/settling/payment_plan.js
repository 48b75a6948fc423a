// The payment plan: who pays whom at the end of a session. The server calculates it, with the fewest
// transfers or all of them through a treasurer, whom this device remembers.

import { getJson, sessionPath } from '../../core/api_client.js';
import { readItem, writeItem } from '../../core/device_storage.js';
import { playerName } from '../../core/session_store.js';
import { t } from '../../core/translator.js';
import { h, icon } from '../../ui/elements.js';
import { fieldset, pillGroup } from '../../ui/fields.js';
import { playerLabel } from '../../ui/player_tokens.js';
import { coins } from '../../ui/table_view.js';

/** Money in pot and bets belongs to no player: the plan pays it to the box, and records no such transfer. */
export const BOX_KEY = 'pot';
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
  const query = new URLSearchParams({ ...extra, ...(treasurer && { through: treasurer }) });
  return query.size > 0 ? `?${query}` : '';
}

/** The plan's transfer between these two players, or undefined if there is none any more. */
export const planLine = (plan, { from: payer, to: payee }) =>
  plan.transfers.find((transfer) => transfer.from === payer && transfer.to === payee);

const partyLabel = (state, id, amount) => (id === BOX_KEY
  ? h('span', { class: 'person thing' }, coins(amount, state.options.stake),
    h('span', { class: 'name' }, t('settle.box')))
  : playerLabel(state, id));

export const paymentFlow = (state, money, { from: payer, to: payee, amount }) =>
  h('span', { class: 'flow' }, partyLabel(state, payer, amount),
    h('span', { class: 'way' }, h('b', {}, money.plain(amount)), icon('arrow'),
      h('span', { class: 'aside' }, t('money.to'))),
    partyLabel(state, payee, amount));

/** The number of payments and, if a treasurer makes them more, the fewest possible. */
export function paymentCount({ transfers: { length: count }, through: treasurer, fewest }) {
  if (!treasurer) return t('settle.count', { count });
  return [t('settle.by_way', { count, name: playerName(treasurer) }),
    count > fewest && t('settle.could', { count: fewest })].filter(Boolean).join(' ');
}

/** The choice between the fewest payments, `go(null)`, and a treasurer, `go(player)`. */
export const treasurerChoice = ({ state, plan, go }) => h('div', {},
  fieldset(t('settle.way'), null,
    pillGroup('way', [['fewest', t('settle.fewest')], ['through', t('settle.through')]],
      plan.through ? 'through' : 'fewest',
      (chosen) => go(chosen === 'fewest' ? null : largestCreditor(state)))),
  plan.through && fieldset(t('settle.treasurer'), null,
    pillGroup('treasurer', state.players.map(({ id }) => [id, playerLabel(state, id)]), plan.through, go)));

/** The first suggestion for a treasurer, since most of the money ends with this player anyway. */
const largestCreditor = ({ balances, players }) => players.map(({ id }) => id)
  .reduce((best, id) => (balances[id] > balances[best] ? id : best));
