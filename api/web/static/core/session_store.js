// The evening on this phone: the latest state known, kept fresh by asking while somebody looks.

import { Problem, getJson, sendRequest, sessionPath } from './api_client.js';
import { closeFeed, isFeedOpen, openFeed } from './change_feed.js';
import { readSnapshot, removeSnapshot, saveSnapshot } from './database.js';
import { forgetPlayerName, rememberSession } from './device_storage.js';
import { AFTER_PREVIOUS, enqueueWrite, isOutOfReach, onQueue, stopWaiting, unlockSession,
  unsentWrites } from './sync_queue.js';
import { isolateName, language, loadAllSentences } from './translator.js';

const POLL_MS = 900;     // ms between questions: another phone's deal shows within a second
const SETTLING_POLL_MS = 300;    // … while a la vola is being settled
// … while the server says itself what has changed: in case the line has died without a word
const FEED_POLL_MS = 10_000;

let confirmedSession = null;      // the evening as the server told it last
let shownSession = null;     // … and as it will be when what waits on this phone has reached it
let forecastModule = null;     // the forecast, once it was needed
let confirmedEtag = null;
let sessionLanguage = null;   // … in this language
let sessionId = null;
let pollTimer = null;
let isReached = true;
let openDealSoFar = null;     // what was said so far of the deal that is open: {number, version, actions}
const sessionListeners = new Set();
const dealCache = new Map();

export const currentSession = () => shownSession?.state ?? null;

/** The evening without what is only foreseen. */
export const confirmedState = () => confirmedSession;
export const isServerInReach = () => isReached;
export const onSession = (listener) => { sessionListeners.add(listener); return () =>
  sessionListeners.delete(listener); };

/** Whether everything that waits here is reckoned in: then the next deal can be written down. */
export const isForecastComplete = () => unsentWrites(sessionId).length === 0 || shownSession?.whole === true;

/**
 * The deal that what waits here ended or opened again last: {number, state, told}, open and with all that was
 * said; or null.
 */
export const lastForecastDeal = () => shownSession?.last ?? null;

/** What has been said of the open deal and waits here to be told to the server. */
export const pendingActions = () => shownSession?.half ?? [];

/**
 * Opens an evening as it is, or without a network as it was last seen; Problem when this phone may not see
 * it.
 */
export async function enterSession(id) {
  if (sessionId === id && shownSession !== null) {
    if (sessionLanguage !== language()) refreshSession(); // who has no name any more has a number in words
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

/** Hears of what is written while somebody looks. */
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

/** Takes over a state from an answer; an older one never overwrites a newer. */
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
 * With the highest number that a deal has used up, as far as this phone has seen: one that was undone is not
 * given again.
 */
const withUsedNumbers = (previous, current) =>
  ({ ...current, used: Math.max(previous?.used ?? current.used ?? 0,
  current.deal.phase === 'waiting' ? current.deal.number - 1 : 0) });

/** What waits on this phone, reckoned ahead. */
function updateForecast() {
  const waiting = confirmedSession === null ? [] : unsentWrites(sessionId);
  shownSession = waiting.length > 0 && forecastModule
    ? forecastModule(confirmedSession, waiting, mayContinueOpenDeal() ? openDealSoFar.actions : null)
    : { state: confirmedSession, whole: waiting.length === 0, half: [], deals: null, last: null };
}

async function loadForecast() {
  forecastModule ??= await Promise.all([import('./session_forecast.js'), loadAllSentences()])
    .then(([file]) => file.forecastSession).catch(() => null); // without it nothing is
  updateForecast();
}

onQueue(() => {
  if (confirmedSession === null) return;
  updateForecast();
  if (forecastModule === null && unsentWrites(sessionId).length > 0)
    loadForecast().then(() => sessionListeners.forEach((listener) => listener(currentSession())));
});

/**
 * A name that was erased or put right is news without a version: every sentence told with it is asked for
 * anew.
 */
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
    const answer = await sendRequest('GET', sessionPath(id),
      { headers: confirmedEtag === null || sessionLanguage !== language() ? {}
      : { 'If-None-Match': confirmedEtag } });
    setReached(true);
    if (answer.status === 200 && id === sessionId) adoptState(answer.body);
  } catch (trouble) {
    if (!(trouble instanceof Problem)) {
      setReached(false);
      schedulePoll(); // what was told and not fetched is not told again
    } else if (trouble.code === 'unknown_session' && id === sessionId) loseAccess(trouble);
  }
}

/** Nothing more is asked or heard; what was known stays until another screen is drawn. */
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

/** Sends actions through the queue and takes over the state that comes back. */
export async function recordActions(actions, note = {}) {
  // A batch that opens a numbered deal says what it expects itself; everything else needs the version.
  const numbered = actions[0].type === 'open_deal' && 'number' in actions[0];
  const { number } = confirmedSession.deal;
  const earlierActions = numbered ? [] : mayContinueOpenDeal() ? openDealSoFar.actions : null;
  const ifMatch = numbered ? null : unsentWrites(sessionId).length > 0 ? AFTER_PREVIOUS
    : confirmedSession.version;
  const answer = await writeToSession('/actions', { actions }, { ifMatch, note });
  const newState = answer?.session;
  if (newState?.id === sessionId && earlierActions !== null && newState.deal.number === number
    && newState.version === confirmedSession.version) {
    const takesBack = actions.some(({ type }) => type === 'undo');
    openDealSoFar = takesBack ? null : { number, version: newState.version,
      actions: [...earlierActions, ...actions] };
    keepSessionSnapshot();
  }
  return answer;
}

export async function writeToSession(rest, body,
  { method = 'POST', ifMatch = confirmedSession.version, note = {} } = {}) {
  const { body: answer } =
    await enqueueWrite({ session: sessionId, path: sessionPath(sessionId, rest), body, method, ifMatch,
    note });
  if (answer?.session) adoptState(answer.session);
  else await refreshSession();
  schedulePoll();
  return answer;
}

// Deliveries that nobody on this page waits for any more (a reload came between).
onQueue(({ settled, entry }) => {
  if (settled?.body?.session && entry.session === sessionId) adoptState(settled.body.session);
});

/** One deal's record; asked again whenever the evening has moved on since. One on its way is foreseen. */
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

/** Without a network: the open deal as far as this phone has seen it. */
function openDealOffline(number, trouble) {
  if (trouble instanceof Problem || number !== openDealSoFar?.number || !mayContinueOpenDeal()) throw trouble;
  return { number, dealer: confirmedSession.deal.dealer, status: 'open', actions: openDealSoFar.actions,
    outcome: null, postings: [], before: [], findings: [] };
}

export const playerName = (id) => isolateName(shownSession.state.players
  .find((player) => player.id === id)?.name ?? id);

// When to go on without the server: it has been asked in vain, and what it will say is foreseen.

/**
 * Resolves as soon as there is no use in waiting for the answer to the write with this note; never, while it
 * may yet come.
 */
export const untilForeseen = (note) => new Promise((resolve) => {
  const look = () => {
    if (!isOutOfReach() || !isForecastComplete() || !stopWaiting(note)) return;
    stops.forEach((stop) => stop());
    resolve();
  };
  const stops = [onQueue(look), onSession(look)];
  look();
});
