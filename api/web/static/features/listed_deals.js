// The recorded deals of a session; without a network, those that this device has listed before.

import { getAllItems, sessionPath } from '../core/api_client.js';
import { readDeals, saveDeals } from '../core/database.js';
import { Unreached } from '../core/request_errors.js';
import { currentSession, sessionState } from '../core/session_store.js';
import { loseReach } from '../core/session_sync.js';

/** Fetches all deals, oldest first, and keeps them for times without a network. */
export async function fetchDeals() {
  const { id, players } = currentSession();
  const deals = await getAllItems(sessionPath(id, '/deals'), 'deals');
  if (id === sessionState().id) saveDeals(id, { players, deals }); // not after the access is lost
  return deals;
}

/** The deals that this device has listed before; throws `error` if the server has refused the list. */
export async function listedDeals(error) {
  if (!(error instanceof Unreached)) throw error;
  loseReach();
  return (await readDeals(currentSession().id))?.deals ?? [];
}

/** The deal of this number among them; throws `error` without one. */
export async function listedDeal(number, error) {
  const listed = (await listedDeals(error)).find((deal) => deal.number === number);
  if (!listed) throw error;
  return listed;
}
