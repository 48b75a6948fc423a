// Opens the screen that the address names, and keeps the display on during play. The table is loaded with the
// page, the other screens when they are first opened. A link's token is exchanged for a cookie at once.

import { exchangeToken } from '../core/api_client.js';
import { knownSession, onDraftOfOtherTab, rememberRole, removeDraft, roleInSession,
  saveDraft } from '../core/device_storage.js';
import { untilPainted } from '../core/page_timing.js';
import { Problem, Unreached } from '../core/request_errors.js';
import { currentSession, subscribe } from '../core/session_store.js';
import { enterSession, leaveSession, refreshSession } from '../core/session_sync.js';
import { refusedWrite } from '../core/sync_queue.js';
import { loadAllSentences, t } from '../core/translator.js';
import { dealOfWrite } from '../domain/deal.js';
import { GAMES, loadedGame } from '../domain/games.js';
import { redrawSyncStatus } from '../features/sync_status.js';
import { loadGame } from '../games/registry.js';
import { lostScreen } from '../screens/lost.js';
import { resultScreen } from '../screens/result.js';
import { startScreen } from '../screens/start.js';
import { tableScreen } from '../screens/table.js';
import { clearWarning, closeSheets, redrawScreen, showWarning, withPageProgress } from '../ui/page.js';

const WRITING_SCREENS = new Set(['record', 'players', 'late']); // no link leads a viewer there

let routeNumber = 0;
let screen = null;
let isScreenBehind = false; // whether the session has changed while the screen was being opened
const watchPresence = (context) => import('../features/presence.js')
  .then((file) => file.watchRecorders(context)).catch(() => null);

/** Opens what the address names: `#/s/<session>/<screen>`, `#/c/<group>/<screen>`, or another screen. */
export function route() {
  const ownNumber = ++routeNumber;
  const isCurrent = () => ownNumber === routeNumber;
  return withPageProgress(openAddress(isCurrent),
    () => isCurrent() && document.body.dataset.at !== location.hash);
}

async function openAddress(isCurrent) {
  const [, place, id, lastPart = '', argument] = location.hash.split('/');
  const screenOrToken = /^[a-z]+\d+\.[\w-]{43}/.exec(lastPart)?.[0] ?? lastPart; // a chat may add to a link
  screen = null;
  isScreenBehind = false;
  clearWarning();
  closeSheets();
  try {
    if (place === 's' && id) {
      await openSession(id, screenOrToken, argument, isCurrent);
      return;
    }
    leaveSession();
    keepScreenOn(false);
    const openScreen = Object.hasOwn(OTHER_LOADERS, place) ? lazyScreen(place, OTHER_LOADERS) : startScreen;
    const context = { isCurrent, id, place: screenOrToken, backHref: '#/', again: id === 'again' };
    setScreen(await openScreen(context), isCurrent);
  } catch (error) {
    if (!isCurrent()) return;
    if (error.code === 'unknown_deal' && refusedWrite(id)) { location.replace(`#/s/${id}`); return; }
    lostScreen({ error, id, isCurrent, retry: route,
      backHref: place === 's' && screenOrToken !== '' ? `#/s/${id}` : '#/' });
  }
}

async function openSession(id, screenOrToken, argument, isCurrent) {
  const home = `#/s/${id}`;
  const hasToken = !Object.hasOwn(SESSION_SCREENS, screenOrToken);
  const screenName = hasToken ? '' : screenOrToken;
  const address = location.hash;
  if (hasToken) await acceptToken(id, screenOrToken);
  if (!isCurrent() || location.hash !== address) return; // another tap has led elsewhere
  if (WRITING_SCREENS.has(screenName) && roleInSession(id) === 'viewer') { location.replace(home); return; }
  const knownGame = knownSession(id)?.game;
  // Load the game while the session itself is requested.
  if (GAMES.includes(knownGame) && !loadedGame(knownGame)) loadGame(knownGame).catch(() => null);
  await enterSession(id, loadGame);
  if (!isCurrent() || location.hash !== address) return;
  // No screenshot shows the token. Not before: the answer to it was perhaps not the server's.
  if (hasToken) history.replaceState(null, '', home);
  const game = loadedGame(currentSession().game);
  const context = { id, game, home, backHref: home, argument, isCurrent };
  setScreen(await SESSION_SCREENS[screenName](context), isCurrent);
  await untilPainted(); // what follows would only delay the new screen
  if (!isCurrent()) return;
  askAboutRefusedDeal(id);
  if (['', 'record', 'board'].includes(screenName))
    watchPresence({ id: currentSession()?.id, recording: screenName === 'record', isCurrent });
  keepScreenOn(['', 'record', 'deal', 'winner', 'board'].includes(screenName)
    && currentSession()?.status === 'open');
}

/** Exchanges a link's token for a cookie, unless this device keeps the access that it has. */
async function acceptToken(id, token) {
  if (knownSession(id)
    && await (await import('../features/access/access_rights.js')).keepsOwnAccess(id, token)) return;
  try {
    await exchangeToken(id, token);
    rememberRole(id, token);
  } catch (error) { // the device may have access by another link
    if (error.code !== 'unknown_session' || !knownSession(id)) throw error;
  }
}

function setScreen(openedScreen, isCurrent) {
  if (!isCurrent()) return;
  screen = openedScreen ?? null;
  if (isScreenBehind) refreshScreen(); // the answers that it has waited for may be older than the change
}

/** A screen that cannot fetch what it shows stays, under the status, until the server is in reach again. */
async function refreshScreen() {
  isScreenBehind = screen === null;
  try {
    await screen?.update?.(currentSession());
  } catch (error) {
    if (!(error instanceof Unreached)) throw error;
    redrawSyncStatus();
  }
}

subscribe((session, news) => {
  if (news.accessLost) showLostAccess(session.id, news.accessLost);
  else if (session && news.unansweredSession === session.id) leaveUnansweredScreen(news);
  else {
    if (news.renamed) route();
    if (news.blockedSession)
      refreshSession().then(() => askAboutRefusedDeal(news.blockedSession));
    if (news.isOrphan) takeOverReply(news);
    if (!news.renamed) refreshScreen();
  }
});

// The tabs of a browser share one draft, so their recorders show the same taps.
onDraftOfOtherTab((id) => { if (currentSession()?.id === id) screen?.followDraft?.(); });

/**
 * Opens the screen again, without the recorder: the answer that it waits for no longer comes, since a person
 * is to decide about the write, or another tab has withdrawn it.
 */
async function leaveUnansweredScreen({ unansweredSession, blockedSession }) {
  const address = location.hash;
  if (blockedSession) await refreshSession(); // the question needs the newest state
  if (location.hash !== address) return;
  if (address.endsWith('/record')) history.replaceState(null, '', `#/s/${unansweredSession}`);
  route();
}

/** The device has just lost its access to the session. */
function showLostAccess(id, error) {
  const ownNumber = ++routeNumber;
  screen = null;
  closeSheets();
  lostScreen({ error, id, isCurrent: () => ownNumber === routeNumber, retry: route, backHref: '#/' });
}

/** Asks a person about a refused write that others wait behind. */
function askAboutRefusedDeal(id) {
  if (currentSession()?.id === id && refusedWrite(id)) import('../features/conflicts/waiting_writes.js')
    .then((file) => file.askAboutRefused(id), () => showWarning(t('queue.offline')));
}

/**
 * Takes over the answer to a write of an earlier visit, which nothing on this page waits for: an accepted
 * deal removes its draft, a refused one brings it back with the reason.
 */
function takeOverReply({ write, reply }) {
  const { session: id, note: { taps, base, heard: earlierActions = [], what } } = write;
  const number = dealOfWrite(write);
  if (!(reply instanceof Problem)) {
    if (taps) removeDraft(id, number);
  } else if (taps && reply.code === 'deal_taken' && currentSession()?.id === id) {
    // every game has loaded this module
    refreshSession().then(() => import('../features/conflicts/overtaken_draft.js')).then((file) =>
      currentSession()?.id === id && file.askAboutOvertakenDraft({ number,
        taps: [...earlierActions, ...taps], recordedDeal: reply.body.deal, home: `#/s/${id}` }));
  } else {
    if (taps) saveDraft(id, { number, base, heard: earlierActions, taps });
    const names = [knownSession(id)?.title || t('start.untitled'),
      what ?? (number && t('result.title', { number }))];
    showWarning(t('queue.refused', { title: names.filter(Boolean).join(', '), reason: reply.message }));
  }
}

addEventListener('hashchange', route);

// The browser announces a new address only after it has painted the page once more, so a tap on a link to
// another screen is followed here.
addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href^="#/"]');
  const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link || event.defaultPrevented || opensElsewhere || link.hash === location.hash) return;
  event.preventDefault();
  history.pushState({ openedFrom: location.hash }, '', link.hash);
  redrawScreen();
});

let wakeLock = null;
let isWakeLockWanted = false;
let isWakeLockRequested = false; // a second lock would never be released

/** `isWanted`: whether the screen should stay on. */
async function keepScreenOn(isWanted) {
  isWakeLockWanted = isWanted;
  if (!('wakeLock' in navigator) || isWakeLockRequested) return;
  if (!isWanted) {
    wakeLock?.release().catch(() => null);
    wakeLock = null;
  } else if (!document.hidden && (wakeLock === null || wakeLock.released)) {
    isWakeLockRequested = true;
    // the browser refuses while the device saves power
    wakeLock = await navigator.wakeLock.request('screen').catch(() => null);
    isWakeLockRequested = false;
    if (!isWakeLockWanted) keepScreenOn(false);
  }
}

document.addEventListener('visibilitychange',
  () => { if (!document.hidden && isWakeLockWanted) keepScreenOn(true); });

/** Screens outside a session, by the first part of their address. */
export const OTHER_LOADERS = {
  new: () => import('../screens/opening.js').then((file) => file.openingScreen),
  rules: () => import('../screens/rules.js').then((file) => file.rulesScreen),
  c: () => import('./group_router.js').then((file) => file.groupScreens),
  join: () => import('../screens/join.js').then((file) => file.joinScreen),
};

/** Screens of a session, by the part of the address after its id. */
export const SESSION_LOADERS = {
  deals: () => import('../screens/history.js').then((file) => file.historyScreen),
  correct: () => import('../screens/correcting.js').then((file) => file.correctingScreen),
  settlement: () => import('../screens/settlement.js').then((file) => file.settlementScreen),
  share: () => import('../screens/share.js').then((file) => file.shareScreen),
  players: () => import('../screens/seating.js').then((file) => file.seatingScreen),
  close: () => import('../screens/closing.js').then((file) => file.closingScreen),
  statement: () => import('../screens/statement.js').then((file) => file.statementScreen),
  rules: OTHER_LOADERS.rules,
  winner: () => import('../screens/winner.js').then((file) => file.winnerScreen),
  board: () => import('../screens/board.js').then((file) => file.boardScreen),
  costs: () => import('../screens/costs.js').then((file) => file.costsScreen),
  pictures: () => import('../screens/pictures.js').then((file) => file.picturesScreen),
  check: () => import('../screens/check.js').then((file) => file.checkScreen),
  paper: () => import('../screens/paper.js').then((file) => file.paperScreen),
  late: () => import('../screens/paper.js').then((file) => file.lateEntryScreen),
  group: () => import('../screens/groups/join_group.js').then((file) => file.joinGroupScreen),
};

/** The screens of a session, by the part of the address after its id. */
const SESSION_SCREENS = {
  '': tableScreen, record: (context) => context.game.record(context), deal: resultScreen,
  ...Object.fromEntries(Object.keys(SESSION_LOADERS)
    .map((name) => [name, lazyScreen(name, SESSION_LOADERS)])),
};

/** A screen with its module and, unless its sentences come with the page, the second catalog. */
function lazyScreen(name, loaders) {
  const hasFirstSentences = ['new', 'players', 'winner'].includes(name);
  return async (context) => {
    const [openScreen] = await Promise.all([loaders[name](), hasFirstSentences || loadAllSentences()]);
    return context.isCurrent() ? openScreen(context) : null;
  };
}
