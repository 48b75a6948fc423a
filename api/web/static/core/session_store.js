// The session store: the only place that knows what is confirmed, what waits and what is forecast. Screens
// are functions of `sessionState()` and learn of changes by `subscribe`. Only session_sync.js changes it.

import { isOutOfReach, unsentWrites } from './sync_queue.js';
import { isolateName, loadAllSentences } from './translator.js';

const NO_FORECAST = {
  session: null, isForecastComplete: true, pendingActions: [], forecastDeals: new Map(),
  lastForecastDeal: null,
};
const NO_SESSION = { id: null, confirmed: null, openDeal: null, waiting: [], ...NO_FORECAST };

let state = { ...NO_SESSION, isReached: true };
let forecastWrites = null;
const subscribers = new Set();

/**
 * What this device knows of the session:
 *   id                  of the session; null once this device has lost its access, while it is still shown
 *   confirmed           the session as the server sent it last
 *   openDeal            the actions of the open deal, if known: `{ number, version, actions }`
 *   waiting             the writes of the session that wait on this device, in order
 *   session             the confirmed session with the waiting writes applied
 *   isForecastComplete  whether all of them are applied; only then can the next deal be recorded
 *   pendingActions      the actions of the open deal that wait
 *   forecastDeals       the records of the deals that wait, by number
 *   lastForecastDeal    the deal that the forecast closed or opened again last, `{ number, state, actions }`
 *   isReached           whether the server has answered the last request for the session
 *   isOutOfReach        whether writes cannot be sent
 */
export const sessionState = () => ({ ...state, isOutOfReach: isOutOfReach() });

/** The session to show; null if there is none. */
export const currentSession = () => state.session;

/** Calls `listener(session, news)` on every change. Returns a function that removes it. */
export function subscribe(listener) {
  subscribers.add(listener);
  return () => subscribers.delete(listener);
}

/**
 * Changes fields of the state, and applies the writes that wait now. `news` is passed to the subscribers;
 * without it the change concerns no screen that is shown.
 */
export function changeState(change, news = null) {
  state = { ...state, ...change };
  state.waiting = unsentWrites(state.id);
  Object.assign(state, forecast(state));
  if (news !== null) subscribers.forEach((listener) => listener(state.session, news));
}

export const clearSession = () => changeState(NO_SESSION);

function forecast({ confirmed, waiting }) {
  if (waiting.length > 0 && confirmed !== null && forecastWrites !== null)
    return forecastWrites(confirmed, waiting, mayContinueOpenDeal() ? state.openDeal.actions : null);
  return { ...NO_FORECAST, session: confirmed, isForecastComplete: waiting.length === 0 };
}

/** Loads the module that applies the waiting writes. If the network is missing, there may be no forecast. */
export async function loadForecast() {
  if (forecastWrites !== null) return;
  forecastWrites = await Promise.all([import('./session_forecast.js'), loadAllSentences()])
    .then(([file]) => file.forecastSession).catch(() => null);
  changeState({}, {});
}

/**
 * Keeps what a screen shows of the session as new as the session. The result calls `fetchNow` once for each
 * version, or `again`, and resolves to the answer of its latest call that has one: an earlier answer that
 * comes late is dropped.
 */
export function keepLatest(fetchNow) {
  let request = { version: null, order: 0 };
  let latest = { order: 0, answer: null };
  return async ({ again = false } = {}) => {
    const version = state.session?.version;
    if (again || request.version !== version)
      request = { version, order: request.order + 1, promise: fetchNow() };
    const ownRequest = request;
    try {
      const answer = await ownRequest.promise;
      if (ownRequest.order > latest.order) latest = { order: ownRequest.order, answer };
    } catch (error) {
      ownRequest.version = null; // the next change asks again
      throw error;
    }
    return latest.answer;
  };
}

/** Whether the open deal is still as this device knows it. */
export const mayContinueOpenDeal = () => state.openDeal?.number === state.confirmed.deal.number
  && state.openDeal.version === state.confirmed.version;

export const playerName = (id) => isolateName(state.session.players
  .find((player) => player.id === id)?.name ?? id);
