// Keeps the session store in step with the server: enters a session, follows its changes, sends what is
// recorded here, and takes over the answers.

import { playedActions } from '../domain/deal.js';
import { closeFeed, getJson, isFeedOpen, openFeed, sendRequest, sessionPath } from './api_client.js';
import { readDeals, readSnapshot, removeDeals, removeSnapshot, saveSnapshot } from './database.js';
import { forgetPlayerName, rememberSession } from './device_storage.js';
import { Problem, Unreached } from './request_errors.js';
import { changeState, clearSession, currentSession, loadForecast, mayContinueOpenDeal, sessionState,
  subscribe } from './session_store.js';
import { AFTER_PREVIOUS, enqueueWrite, isAwaited, onQueue, stopWaiting, unlockSession,
  unsentWrites } from './sync_queue.js';
import { isNameErased, language } from './translator.js';

// Another device's deal shows within a second.
const POLL_MS = 900;
// While a la vola is being settled.
const SETTLING_POLL_MS = 300;
// While the change feed is open, in case it has died without an error.
const FEED_POLL_MS = 10_000;

let pollTimer = null;
// An erased name is a number in words, so a session is requested again in another language.
let requestLanguage = null;
const dealCache = new Map();

/**
 * Opens a session, or without a network its last snapshot. `loadGame(key)` loads the game, which the forecast
 * needs. Throws a Problem when this device has no access.
 */
export async function enterSession(id, loadGame) {
  if (sessionState().id === id && currentSession() !== null) {
    if (requestLanguage !== language()) refreshSession();
    return currentSession();
  }
  leaveSession();
  changeState({ id });
  requestLanguage = language();
  const { confirmed, ...more } = await getJson(sessionPath(id)).then((body) => {
    if (body.id !== id) throw new Unreached(id); // an answer of another server
    readDeals(id).then((list) => list && forgetOldNames(id, list.players, body.players));
    return { confirmed: body };
  }).catch((error) => storedSession(id, error));
  await loadGame(confirmed.game);
  rememberSession(id, confirmed.title ?? '', confirmed.game);
  unlockSession(id);
  // Another tap may have led elsewhere.
  if (sessionState().id !== id) return currentSession();
  changeState({ ...more, confirmed: withUsedNumbers(null, confirmed) });
  if (sessionState().waiting.length > 0) await loadForecast();
  keepSessionSnapshot();
  attendSession();
  return currentSession();
}

/** Follows the session while the page is visible. */
function attendSession() {
  schedulePoll();
  const { id } = sessionState();
  if (!document.hidden && id !== null) openFeed(id, refreshSession, schedulePoll);
}

async function storedSession(id, error) {
  if (error instanceof Problem && error.code === 'unknown_session') {
    if (!hasUnsentWrites(id)) removeSnapshot(id);
    else {
      const confirmed = (await readSnapshot(id))?.said ?? null; // its players are named in what waits
      if (id === sessionState().id) changeState({ id: null, confirmed });
    }
  }
  const snapshot = error instanceof Problem ? null : await readSnapshot(id);
  if (!snapshot) throw error;
  return { isReached: false, openDeal: snapshot.begun, confirmed: snapshot.said };
}

const hasUnsentWrites = (id) => unsentWrites(id).length > 0;

function keepSessionSnapshot() {
  const { id, confirmed, openDeal } = sessionState();
  // A subscriber may have left the session.
  if (id === null) return;
  saveSnapshot(id, { said: confirmed, begun: mayContinueOpenDeal() ? openDeal : null });
}

export function leaveSession() {
  clearTimeout(pollTimer);
  closeFeed();
  clearSession();
  dealCache.clear();
}

/**
 * Takes over a state from an answer. An older state replaces none, unless it was requested when this device
 * had the newer one, of `knownVersion`, already: the server has been restored from an older backup. Returns
 * whether it is taken over; the subscribers then learn of it together with `news`.
 */
function adoptState(received, { knownVersion = null, news = null } = {}) {
  const { id, confirmed } = sessionState();
  if (received.id !== id) return false;
  const isRestored = confirmed !== null && received.version < confirmed.version;
  if (isRestored && confirmed.version !== knownVersion) return false;
  if (isRestored) {
    dealCache.clear();
    removeDeals(id);
  }
  const isNewer = confirmed === null || received.version !== confirmed.version;
  const renamed = confirmed !== null && forgetOldNames(id, confirmed.players, received.players);
  requestLanguage = language();
  if (renamed) rememberSession(id, received.title ?? '', received.game); // the name was perhaps in the title
  const isChanged = isNewer || renamed;
  changeState({ confirmed: withUsedNumbers(isRestored ? null : confirmed, received) },
    isChanged || news ? { ...news, renamed } : null);
  if (isChanged) keepSessionSnapshot();
  return true;
}

/**
 * Adds the highest deal number that this device has seen used; the number of a deal that was undone is not
 * used again.
 */
function withUsedNumbers(previous, current) {
  const lastClosed = current.deal.phase === 'waiting' ? current.deal.number - 1 : 0;
  return { ...current, used: Math.max(previous?.used ?? current.used ?? 0, lastClosed) };
}

/** A name that was erased or corrected changes no version, so every sentence with it is requested again. */
function forgetOldNames(sessionId, oldPlayers, newPlayers) {
  const renamed = oldPlayers.filter(({ id, name }) => newPlayers
    .some((player) => player.id === id && player.name !== name));
  renamed.forEach(({ id, name }) => {
    const player = newPlayers.find((newPlayer) => newPlayer.id === id);
    forgetPlayerName(sessionId, id, name, isNameErased(player) ? '' : player.name);
  });
  if (renamed.length > 0) {
    dealCache.clear();
    removeDeals(sessionId);
  }
  return renamed.length > 0;
}

// `reply`: an answer for which possibly no promise waits, because the page was reloaded in between.
onQueue((event) => {
  const { reply, write } = event;
  const { id, confirmed } = sessionState();
  // before the session is entered, its game may not be loaded
  const received = write?.session === id && confirmed !== null ? reply?.body?.session : null;
  if (!received || !adoptState(received, { news: event })) changeState({}, event);
  if (sessionState().waiting.length > 0) loadForecast();
});

export async function refreshSession() {
  const { id, confirmed } = sessionState();
  if (id === null) return;
  try {
    const mayBeUnchanged = confirmed !== null && requestLanguage === language();
    const headers = mayBeUnchanged ? { 'If-None-Match': `"${confirmed.version}"` } : {};
    const answer = await sendRequest('GET', sessionPath(id), { headers });
    setReached(true);
    unlockSession(id); // another tab may have regained the access that a write has lost
    if (answer.status === 200) adoptState(answer.body, { knownVersion: confirmed?.version });
  } catch (error) {
    if (!(error instanceof Problem)) loseReach();
    else if (error.code === 'unknown_session' && id === sessionState().id) loseAccess(id, error);
  }
}

/** Stops following the session; the state stays until another screen is drawn. */
function loseAccess(id, error) {
  clearTimeout(pollTimer);
  closeFeed();
  if (!hasUnsentWrites(id)) removeSnapshot(id);
  changeState({ id: null }, { accessLost: error });
}

/** Asks for the session often until it answers: the change feed does not announce the same change twice. */
export function loseReach() {
  setReached(false);
  schedulePoll();
}

function setReached(isReached) {
  if (isReached !== sessionState().isReached) changeState({ isReached }, {});
}

function schedulePoll() {
  clearTimeout(pollTimer);
  const { id, confirmed, isReached } = sessionState();
  if (document.hidden || id === null) return;
  const due = (confirmed?.payments ?? []).some((payment) => payment.status === 'due');
  pollTimer = setTimeout(async () => {
    await refreshSession();
    schedulePoll();
  }, isFeedOpen() && isReached ? FEED_POLL_MS : due ? SETTLING_POLL_MS : POLL_MS);
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden || sessionState().id === null) {
    clearTimeout(pollTimer);
    closeFeed();
  } else refreshSession().then(attendSession);
});

/** Sends actions through the queue and takes over the state of the answer. */
export async function recordActions(actions, note = {}) {
  const { confirmed, openDeal, waiting } = sessionState();
  const { number } = confirmed.deal;
  // A batch that opens a numbered deal names what it expects; everything else needs the version.
  const numbered = actions[0].type === 'open_deal' && 'number' in actions[0];
  const earlierActions = numbered ? [] : mayContinueOpenDeal() ? openDeal.actions : null;
  const ifMatch = numbered ? null : waiting.length > 0 ? AFTER_PREVIOUS : confirmed.version;
  const answer = await writeToSession('/actions', { actions }, { ifMatch, note });
  const newState = answer?.session;
  const { id, confirmed: current } = sessionState();
  if (newState?.id === id && earlierActions !== null && newState.deal.number === number
    && newState.version === current.version) {
    const isUndo = actions.some(({ type }) => type === 'undo');
    changeState({ openDeal: isUndo ? null : { number, version: newState.version,
      actions: [...earlierActions, ...actions] } });
    keepSessionSnapshot();
  }
  return answer;
}

export async function writeToSession(rest, body, { session = sessionState().id, method = 'POST',
  ifMatch = sessionState().confirmed.version, note = {} } = {}) {
  const { body: answer } = await enqueueWrite({
    session, path: sessionPath(session, rest), body, method, ifMatch, note,
  });
  if (!answer?.session) await refreshSession(); // else the answer has been taken over
  schedulePoll();
  return answer;
}

/** The actions of the open deal so far, recorded on any device; none between deals. */
export async function recordedActions({ deal: { number, phase } }) {
  const { pendingActions } = sessionState();
  return pendingActions.length > 0 || phase === 'waiting' ? pendingActions
    : playedActions(await fetchDeal(number));
}

/**
 * The record of a deal, requested again when the session has a new version. A deal that waits is forecast.
 */
export async function fetchDeal(number) {
  const { id, confirmed, forecastDeals } = sessionState();
  if (forecastDeals.has(number)) return forecastDeals.get(number);
  const cached = dealCache.get(number);
  const { version } = confirmed;
  const shownLanguage = language();
  if (cached?.version === version && cached.shownLanguage === shownLanguage) return cached.deal;
  const record = await getJson(sessionPath(id, `/deals/${number}`))
    .catch((error) => {
      if (!(error instanceof Problem)) loseReach();
      return openDealOffline(number, error);
    });
  if (id !== sessionState().id) return record; // the number is another deal's in the session entered since
  dealCache.set(number, { version, shownLanguage, deal: record });
  if (number === sessionState().confirmed?.deal.number) {
    changeState({ openDeal: { number, version, actions: record.actions ?? [] } });
    keepSessionSnapshot();
  }
  return record;
}

/** The deals that this page has fetched one by one. */
export const fetchedDeals = () => [...dealCache.values()].map(({ deal }) => deal);

/** The open deal as far as this device has seen it, for times without a network. */
function openDealOffline(number, error) {
  const { confirmed, openDeal } = sessionState();
  if (error instanceof Problem || number !== openDeal?.number || !mayContinueOpenDeal()) throw error;
  return { number, dealer: confirmed.deal.dealer, status: 'open', actions: openDeal.actions,
    outcome: null, postings: [], before: [], findings: [] };
}

/**
 * Resolves with the answer to a write, or as soon as the form can continue without it: the server cannot be
 * reached, and the forecast covers the write. Stays pending as long as the answer may come.
 */
export const answerOrForecast = (answer, note) => Promise.race([answer, new Promise((resolve) => {
  const check = () => {
    const { isOutOfReach, isForecastComplete } = sessionState();
    const stored = isOutOfReach && isForecastComplete ? stopWaiting(note) : null;
    if (stored !== null) resolve(stored);
    if (!isAwaited(note)) stop(); // it is stored, answered, taken back or left to a person
  };
  const stop = subscribe(check);
  check();
})]);
