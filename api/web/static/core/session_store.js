// The session store: the only place that knows what is confirmed, what waits and what is forecast.

import { Problem, getJson, sendRequest, sessionPath } from './api_client.js';
import { closeFeed, isFeedOpen, openFeed } from './change_feed.js';
import { readSnapshot, removeSnapshot, saveSnapshot } from './database.js';
import { forgetPlayerName, rememberSession } from './device_storage.js';
import { AFTER_PREVIOUS, enqueueWrite, isOutOfReach, onQueue, stopWaiting, unlockSession,
  unsentWrites } from './sync_queue.js';
import { isolateName, language, loadAllSentences } from './translator.js';

const POLL_MS = 900; // another device's deal shows within a second
const SETTLING_POLL_MS = 300; // while a la vola is being settled
const FEED_POLL_MS = 10_000; // while the change feed is open, in case it has died without an error

let confirmedSession = null; // as the server sent it last
let shownSession = null; // with the writes that wait applied to it
let forecastModule = null; // loaded when it is first needed
let confirmedEtag = null;
let sessionLanguage = null; // the language in which the session was requested
let sessionId = null;
let pollTimer = null;
let isReached = true;
let openDealSoFar = null; // the actions of the open deal so far: {number, version, actions}
const sessionListeners = new Set();
const dealCache = new Map();

export const currentSession = () => shownSession?.state ?? null;

/** The session without the forecast. */
export const confirmedState = () => confirmedSession;
export const isServerInReach = () => isReached;

/** Calls the listener on every change. Returns a function that removes it. */
export const onSession = (listener) => {
  sessionListeners.add(listener);
  return () => sessionListeners.delete(listener);
};

/** Whether the forecast covers all writes that wait; only then can the next deal be recorded. */
export const isForecastComplete = () => unsentWrites(sessionId).length === 0 || shownSession?.whole === true;

/**
 * The deal that the forecast closed or opened again last: `{ number, state, told }` with its state and its
 * actions, or null.
 */
export const lastForecastDeal = () => shownSession?.last ?? null;

/** The actions of the open deal that wait here. */
export const pendingActions = () => shownSession?.half ?? [];

/**
 * Opens a session, or without a network its last snapshot. Throws a Problem when this device has no access.
 */
export async function enterSession(id) {
  if (sessionId === id && shownSession !== null) {
    if (sessionLanguage !== language()) refreshSession(); // an erased name is a number in words
    return currentSession();
  }
  leaveSession();
  sessionId = id;
  sessionLanguage = language();
  confirmedSession = withUsedNumbers(null, await getJson(sessionPath(id))
    .catch((trouble) => rememberedSession(id, trouble)));
  confirmedEtag = `"${confirmedSession.version}"`;
  rememberSession(id, confirmedSession.title ?? '', confirmedSession.game);
  unlockSession(id);
  if (unsentWrites(id).length > 0) await loadForecast();
  updateForecast();
  keepSessionSnapshot();
  attendSession();
  return currentSession();
}

/** Follows the session while the page is visible. */
function attendSession() {
  schedulePoll();
  if (!document.hidden && sessionId !== null) openFeed(sessionId, refreshSession, schedulePoll);
}

async function rememberedSession(id, trouble) {
  if (trouble instanceof Problem && trouble.code === 'unknown_session') removeSnapshot(id);
  const snapshot = trouble instanceof Problem ? null : await readSnapshot(id);
  if (!snapshot) throw trouble;
  isReached = false;
  openDealSoFar = snapshot.begun;
  return snapshot.said;
}

const keepSessionSnapshot = () =>
  saveSnapshot(sessionId, { said: confirmedSession, begun: mayContinueOpenDeal() ? openDealSoFar : null });

const mayContinueOpenDeal = () => openDealSoFar?.number === confirmedSession.deal.number
  && openDealSoFar.version === confirmedSession.version;

export function leaveSession() {
  clearTimeout(pollTimer);
  closeFeed();
  sessionId = null;
  confirmedSession = null;
  shownSession = null;
  openDealSoFar = null;
  confirmedEtag = null;
  dealCache.clear();
}

/** Takes over a state from an answer; an older state never replaces a newer one. */
export function adoptState(news) {
  if (news?.id !== sessionId || (confirmedSession !== null && news.version < confirmedSession.version))
    return;
  const changed = confirmedSession === null || news.version !== confirmedSession.version;
  const renamed = confirmedSession !== null && forgetOldNames(confirmedSession.players, news.players);
  confirmedSession = withUsedNumbers(confirmedSession, news);
  sessionLanguage = language();
  confirmedEtag = `"${news.version}"`;
  updateForecast();
  if (changed || renamed) keepSessionSnapshot();
  if (changed || renamed) sessionListeners.forEach((listener) => listener(currentSession(), { renamed }));
}

/**
 * Adds the highest deal number that this device has seen used; the number of a deal that was undone is not
 * used again.
 */
function withUsedNumbers(previous, current) {
  const lastClosed = current.deal.phase === 'waiting' ? current.deal.number - 1 : 0;
  return { ...current, used: Math.max(previous?.used ?? current.used ?? 0, lastClosed) };
}

/** Applies the writes that wait. */
function updateForecast() {
  const waiting = confirmedSession === null ? [] : unsentWrites(sessionId);
  shownSession = waiting.length > 0 && forecastModule
    ? forecastModule(confirmedSession, waiting, mayContinueOpenDeal() ? openDealSoFar.actions : null)
    : { state: confirmedSession, whole: waiting.length === 0, half: [], deals: null, last: null };
}

async function loadForecast() {
  forecastModule ??= await Promise.all([import('./session_forecast.js'), loadAllSentences()])
    .then(([file]) => file.forecastSession).catch(() => null); // without the module there is no forecast
  updateForecast();
}

onQueue(() => {
  if (confirmedSession === null) return;
  updateForecast();
  if (forecastModule === null && unsentWrites(sessionId).length > 0)
    loadForecast().then(() => sessionListeners.forEach((listener) => listener(currentSession())));
});

/** A name that was erased or corrected changes no version, so every sentence with it is requested again. */
function forgetOldNames(oldPlayers, newPlayers) {
  const renamed = oldPlayers.filter(({ id, name }) => newPlayers
    .some((player) => player.id === id && player.name !== name));
  renamed.forEach(({ id, name }) => {
    const newName = newPlayers.find((player) => player.id === id).name;
    forgetPlayerName(sessionId, id, name, newName === `Spelare ${id.slice(1)}` ? '' : newName);
  });
  if (renamed.length > 0) dealCache.clear();
  return renamed.length > 0;
}

export async function refreshSession() {
  const id = sessionId;
  if (id === null) return;
  try {
    const mayBeUnchanged = confirmedEtag !== null && sessionLanguage === language();
    const headers = mayBeUnchanged ? { 'If-None-Match': confirmedEtag } : {};
    const answer = await sendRequest('GET', sessionPath(id), { headers });
    setReached(true);
    if (answer.status === 200 && id === sessionId) adoptState(answer.body);
  } catch (trouble) {
    if (!(trouble instanceof Problem)) {
      setReached(false);
      schedulePoll(); // the change feed does not announce the same change twice
    } else if (trouble.code === 'unknown_session' && id === sessionId) loseAccess(trouble);
  }
}

/** Stops following the session; the state stays until another screen is drawn. */
function loseAccess(trouble) {
  clearTimeout(pollTimer);
  closeFeed();
  removeSnapshot(sessionId);
  sessionId = null;
  sessionListeners.forEach((listener) => listener(currentSession(), { out: trouble }));
}

function setReached(isNowReached) {
  if (isReached === isNowReached) return;
  isReached = isNowReached;
  sessionListeners.forEach((listener) => listener(currentSession()));
}

function schedulePoll() {
  clearTimeout(pollTimer);
  if (document.hidden || sessionId === null) return;
  const due = (confirmedSession?.payments ?? []).some((payment) => payment.status === 'due');
  pollTimer = setTimeout(async () => {
    await refreshSession();
    schedulePoll();
  }, isFeedOpen() && isReached ? FEED_POLL_MS : due ? SETTLING_POLL_MS : POLL_MS);
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden || sessionId === null) {
    clearTimeout(pollTimer);
    closeFeed();
  } else refreshSession().then(attendSession);
});

/** Sends actions through the queue and takes over the state of the answer. */
export async function recordActions(actions, note = {}) {
  // A batch that opens a numbered deal names what it expects; everything else needs the version.
  const numbered = actions[0].type === 'open_deal' && 'number' in actions[0];
  const { number } = confirmedSession.deal;
  const earlierActions = numbered ? [] : mayContinueOpenDeal() ? openDealSoFar.actions : null;
  const ifMatch = numbered ? null : unsentWrites(sessionId).length > 0 ? AFTER_PREVIOUS
    : confirmedSession.version;
  const answer = await writeToSession('/actions', { actions }, { ifMatch, note });
  const newState = answer?.session;
  if (newState?.id === sessionId && earlierActions !== null && newState.deal.number === number
    && newState.version === confirmedSession.version) {
    const isUndo = actions.some(({ type }) => type === 'undo');
    openDealSoFar = isUndo ? null : { number, version: newState.version,
      actions: [...earlierActions, ...actions] };
    keepSessionSnapshot();
  }
  return answer;
}

export async function writeToSession(rest, body,
  { method = 'POST', ifMatch = confirmedSession.version, note = {} } = {}) {
  const write = { session: sessionId, path: sessionPath(sessionId, rest), body, method, ifMatch, note };
  const { body: answer } = await enqueueWrite(write);
  if (answer?.session) adoptState(answer.session);
  else await refreshSession();
  schedulePoll();
  return answer;
}

// Answers to writes that nothing on this page waits for, because the page was reloaded in between.
onQueue(({ settled, entry }) => {
  if (settled?.body?.session && entry.session === sessionId) adoptState(settled.body.session);
});

/**
 * The record of a deal, requested again when the session has a new version. A deal that waits is forecast.
 */
export async function fetchDeal(number) {
  const coming = shownSession?.deals?.get(number);
  if (coming) return coming;
  const cached = dealCache.get(number);
  const { version } = confirmedSession;
  const spoken = language();
  if (cached?.version === version && cached.spoken === spoken) return cached.deal;
  const record = await getJson(sessionPath(sessionId, `/deals/${number}`))
    .catch((trouble) => openDealOffline(number, trouble));
  dealCache.set(number, { version, spoken, deal: record });
  if (number === confirmedSession.deal.number) {
    openDealSoFar = { number, version, actions: record.actions ?? [] };
    keepSessionSnapshot();
  }
  return record;
}

/** The open deal as far as this device has seen it, for times without a network. */
function openDealOffline(number, trouble) {
  if (trouble instanceof Problem || number !== openDealSoFar?.number || !mayContinueOpenDeal()) throw trouble;
  return { number, dealer: confirmedSession.deal.dealer, status: 'open', actions: openDealSoFar.actions,
    outcome: null, postings: [], before: [], findings: [] };
}

export const playerName = (id) => isolateName(shownSession.state.players
  .find((player) => player.id === id)?.name ?? id);

/**
 * Resolves when the form can continue without the answer to the write with this note: the server cannot be
 * reached, and the forecast covers the write. Stays pending as long as the answer may come.
 */
export const untilForecastSuffices = (note) => new Promise((resolve) => {
  const check = () => {
    if (!isOutOfReach() || !isForecastComplete() || !stopWaiting(note)) return;
    stops.forEach((stop) => stop());
    resolve();
  };
  const stops = [onQueue(check), onSession(check)];
  check();
});
