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
export const isBetween = ({ from, to }) => from !== BOX_KEY && to !== BOX_KEY;

/** Whom everything goes by way of; null: as few payments as there can be. */
export const chosenTreasurer = (id) => readItem(`through.${id}`);
export const saveTreasurer = (id, player) => writeItem(`through.${id}`, player);

export const fetchPlan = (id) => getJson(sessionPath(id, `/settlement${planQuery(id)}`));

/** How the evening would end: policy → plan. What cannot end now, or is not heard of, is not in it. */
export async function fetchClosingPlans(id, policies) {
  const found =
    await Promise.all(policies.map((policy) =>
    getJson(sessionPath(id, `/settlement${planQuery(id, { leftover_policy: policy })}`)).catch(() => null)));
  return new Map(policies.map((policy, place) => [policy, found[place]]).filter(([, plan]) => plan !== null));
}

/** The chosen way as a part of an address, with more of the same. */
export function planQuery(id, more = {}) {
  const through = chosenTreasurer(id);
  const asked = new URLSearchParams({ ...more, ...(through && { through }) });
  return asked.size > 0 ? `?${asked}` : '';
}

/** One line of a plan, or nothing when it is no longer in it. */
export const planLine = (plan, { from, to }) =>
  plan.transfers.find((one) => one.from === from && one.to === to);

// One payment as a row shows it: from whom, how much, to whom; and how many of them there are.
const pilePlace = (state, id, amount) => (id === BOX_KEY
  ? h('span', { class: 'person thing' }, coins(amount, state.options.stake),
    h('span', { class: 'name' }, t('settle.box')))
  : playerLabel(state, id));

export const paymentFlow = (state, money, { from, to, amount }) =>
  h('span', { class: 'flow' }, pilePlace(state, from, amount),
  h('span', { class: 'way' }, h('b', {}, money.plain(amount)), icon('arrow'),
    h('span', { class: 'aside' }, t('money.to'))),
  pilePlace(state, to, amount));

/** How many payments it takes; by way of somebody, also how many it could be. */
export function paymentCount({ transfers: { length: count }, through, fewest }) {
  if (!through) return t('settle.count', { count });
  return [t('settle.by_way', { count, name: playerName(through) }),
    count > fewest && t('settle.could', { count: fewest })].filter(Boolean).join(' ');
}

// As few payments as there can be, or all of them by way of whoever keeps the box.

/** `go(player)`: by way of whom from now on, null for the fewest. */
export const treasurerChoice = ({ state, plan, go }) => h('div', {},
  fieldset(t('settle.way'), null,
    pillGroup('way', [['fewest', t('settle.fewest')], ['through', t('settle.through')]],
    plan.through ? 'through' : 'fewest',
    (chosen) => go(chosen === 'fewest' ? null : richestPlayer(state)))),
  plan.through && fieldset(t('settle.treasurer'), null,
    pillGroup('treasurer', state.players.map(({ id }) => [id, playerLabel(state, id)]), plan.through, go)));

/** Until somebody is named: whoever is to get most keeps it, since most of it ends there anyway. */
const richestPlayer = ({ balances, players }) => players.map(({ id }) => id)
  .reduce((best, id) => (balances[id] > balances[best] ? id : best));
