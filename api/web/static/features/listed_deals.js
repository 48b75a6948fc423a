// The recorded deals of a session; without a network, those that this device has listed before.

import { getAllItems } from '../core/api_client.js';
import { readDeals, saveDeals } from '../core/database.js';
import { Unreached } from '../core/request_errors.js';
import { currentSession, sessionState } from '../core/session_store.js';
import { fetchedDeals, loseReach } from '../core/session_sync.js';
import { lastDealNumber } from '../domain/deal.js';

/** Fetches all deals, oldest first, and keeps them for times without a network. */
export async function fetchDeals() {
  const { id, players } = currentSession();
  const deals = await getAllItems(id, 'deals');
  if (id === sessionState().id) saveDeals(id, { players, deals }); // not after the access is lost
  return deals;
}

/** The deals that this device has listed or shown before; throws `error` if the server has refused them. */
export async function listedDeals(error) {
  if (!(error instanceof Unreached)) throw error;
  const session = currentSession();
  const shownDeals = fetchedDeals();
  loseReach();
  const list = await readDeals(session.id); // the session may be left meanwhile
  const lastNumber = lastDealNumber(session); // a later one was taken back
  const knownDeals = [...shownDeals, ...list?.deals ?? []].filter(({ number }) => number <= lastNumber)
    .toSorted((deal, nextDeal) => lastVersion(deal) - lastVersion(nextDeal));
  return [...new Map(knownDeals.map((deal) => [deal.number, deal])).values()];
}

const lastVersion = ({ versions }) => versions?.[1] ?? 0;

/** The deal of this number among them; throws `error` without one. */
export async function listedDeal(number, error) {
  const listed = (await listedDeals(error)).find((deal) => deal.number === number);
  if (!listed) throw error;
  return listed;
}
