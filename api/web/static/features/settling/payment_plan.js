// The plan of an evening: who pays whom, as the server counts it, and the way this phone wants it.

import { recall, remember } from '../../core/device_storage.js';
import { get, session } from '../../core/api_client.js';

/** What lies in pot and bets is nobody's yet: the plan pays it to the box, which no player can receipt. */
export const BOX = 'pot';
export const between = ({ from, to }) => from !== BOX && to !== BOX;

/** Whom everything goes by way of; null: as few payments as there can be. */
export const treasurer = (id) => recall(`through.${id}`);
export const keepTreasurer = (id, player) => remember(`through.${id}`, player);

export const planned = (id) => get(session(id, `/settlement${query(id)}`));

/** How the evening would end: policy → plan. What cannot end now, or is not heard of, is not in it. */
export async function endings(id, policies) {
  const found = await Promise.all(policies.map((policy) => get(session(id, `/settlement${query(id, { leftover_policy: policy })}`)).catch(() => null)));
  return new Map(policies.map((policy, place) => [policy, found[place]]).filter(([, plan]) => plan !== null));
}

/** The chosen way as a part of an address, with more of the same. */
export function query(id, more = {}) {
  const through = treasurer(id);
  const asked = new URLSearchParams({ ...more, ...(through && { through }) });
  return asked.size > 0 ? `?${asked}` : '';
}

/** One line of a plan, or nothing when it is no longer in it. */
export const lineOf = (plan, { from, to }) => plan.transfers.find((one) => one.from === from && one.to === to);
