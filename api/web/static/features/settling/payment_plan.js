// The plan of an evening: who pays whom, as the server counts it, and the way this phone wants it.

import { getJson, sessionPath } from '../../core/api_client.js';
import { readItem, writeItem } from '../../core/device_storage.js';
import { playerName } from '../../core/session_store.js';
import { t } from '../../core/translator.js';
import { h, icon } from '../../ui/elements.js';
import { coins } from '../../ui/felt.js';
import { fieldset, pillGroup } from '../../ui/fields.js';
import { playerLabel } from '../../ui/player_tokens.js';

/** What lies in pot and bets is nobody's yet: the plan pays it to the box, which no player can receipt. */
export const BOX_KEY = 'pot';
export const isBetween = ({ from: payer, to: payee }) => payer !== BOX_KEY && payee !== BOX_KEY;

/** Whom everything goes by way of; null: as few payments as there can be. */
export const chosenTreasurer = (id) => readItem(`through.${id}`);
export const saveTreasurer = (id, player) => writeItem(`through.${id}`, player);

export const fetchPlan = (id) => getJson(sessionPath(id, `/settlement${planQuery(id)}`));

/** How the evening would end: policy → plan. What cannot end now, or is not heard of, is not in it. */
export async function fetchClosingPlans(id, policies) {
  const plan =
    await Promise.all(policies.map((policy) =>
    getJson(sessionPath(id, `/settlement${planQuery(id, { leftover_policy: policy })}`)).catch(() => null)));
  return new Map(policies.map((policy, place) => [policy, plan[place]]).filter(([, plan]) => plan !== null));
}

/** The chosen way as a part of an address, with more of the same. */
export function planQuery(id, extra = {}) {
  const treasurer = chosenTreasurer(id);
  const query = new URLSearchParams({ ...extra, ...(treasurer && { through: treasurer }) });
  return query.size > 0 ? `?${query}` : '';
}

/** One line of a plan, or nothing when it is no longer in it. */
export const planLine = (plan, { from: payer, to: payee }) =>
  plan.transfers.find((transfer) => transfer.from === payer && transfer.to === payee);

// One payment as a row shows it: from whom, how much, to whom; and how many of them there are.
const partyLabel = (state, id, amount) => (id === BOX_KEY
  ? h('span', { class: 'person thing' }, coins(amount, state.options.stake),
    h('span', { class: 'name' }, t('settle.box')))
  : playerLabel(state, id));

export const paymentFlow = (state, money, { from: payer, to: payee, amount }) =>
  h('span', { class: 'flow' }, partyLabel(state, payer, amount),
  h('span', { class: 'way' }, h('b', {}, money.plain(amount)), icon('arrow'),
    h('span', { class: 'aside' }, t('money.to'))),
  partyLabel(state, payee, amount));

/** How many payments it takes; by way of somebody, also how many it could be. */
export function paymentCount({ transfers: { length: count }, through: treasurer, fewest }) {
  if (!treasurer) return t('settle.count', { count });
  return [t('settle.by_way', { count, name: playerName(treasurer) }),
    count > fewest && t('settle.could', { count: fewest })].filter(Boolean).join(' ');
}

// As few payments as there can be, or all of them by way of whoever keeps the box.

/** `go(player)`: by way of whom from now on, null for the fewest. */
export const treasurerChoice = ({ state, plan, go }) => h('div', {},
  fieldset(t('settle.way'), null,
    pillGroup('way', [['fewest', t('settle.fewest')], ['through', t('settle.through')]],
    plan.through ? 'through' : 'fewest',
    (chosen) => go(chosen === 'fewest' ? null : largestCreditor(state)))),
  plan.through && fieldset(t('settle.treasurer'), null,
    pillGroup('treasurer', state.players.map(({ id }) => [id, playerLabel(state, id)]), plan.through, go)));

/** Until somebody is named: whoever is to get most keeps it, since most of it ends there anyway. */
const largestCreditor = ({ balances, players }) => players.map(({ id }) => id)
  .reduce((best, id) => (balances[id] > balances[best] ? id : best));
