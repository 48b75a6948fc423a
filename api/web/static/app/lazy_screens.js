// The screens: the table comes with the page, the others are loaded when they are first opened.

import { loadAllSentences } from '../core/translator.js';
import { GAMES } from '../domain/games.js';
import { loadGame } from '../games/registry.js';
import { resultScreen } from '../screens/result.js';
import { tableScreen } from '../screens/table.js';

const LAZY_SCREENS = {
  opening: () => import('../screens/opening.js').then((file) => file.openingScreen),
  deals: () => import('../screens/history.js').then((file) => file.historyScreen),
  correct: () => import('../screens/correcting.js').then((file) => file.correctingScreen),
  settlement: () => import('../screens/settlement.js').then((file) => file.settlementScreen),
  share: () => import('../screens/share.js').then((file) => file.shareScreen),
  players: () => import('../screens/seating.js').then((file) => file.seatingScreen),
  close: () => import('../screens/closing.js').then((file) => file.closingScreen),
  statement: () => import('../screens/statement.js').then((file) => file.statementScreen),
  rules: () => import('../screens/rules.js').then((file) => file.rulesScreen),
  winner: () => import('../screens/winner.js').then((file) => file.winnerScreen),
  board: () => import('../screens/board.js').then((file) => file.boardScreen),
  pictures: () => import('../screens/pictures.js').then((file) => file.picturesScreen),
  circles: () => import('./group_router.js').then((file) => file.groupScreens),
  joining: () => import('../screens/groups/join_group.js').then((file) => file.joinGroupScreen),
  door: () => import('../screens/join.js').then((file) => file.joinScreen),
};

// Modules that no address opens, but a tap does.
const LAZY_MODULES = [
  () => import('../features/session_setup.js').then((file) => file.fetchRulebook()),
  () => import('../core/session_forecast.js'),
  () => import('../features/conflicts/refused_write.js'),
  () => import('../games/recorder/offline_recorder.js'),
  () => import('../screens/menu.js'),
  () => import('../screens/start_rows.js'),
];
const PREFETCH_DELAY_MS = 3_000;

export const lazyScreen = (name) => async (context) => (await LAZY_SCREENS[name]())(context);

/**
 * Loads all modules in a quiet moment, so that no screen needs the network later. Does nothing if the device
 * saves data.
 */
export function prefetchModules() {
  if (navigator.connection?.saveData) return;
  const games = GAMES.map((key) => () => loadGame(key));
  const loaders = [...Object.values(LAZY_SCREENS), ...LAZY_MODULES, ...games, loadAllSentences];
  setTimeout(() => loaders.forEach((load) => load().catch(() => null)), PREFETCH_DELAY_MS);
}

/** The screens of a session, by the part of the address after its id. */
export const SESSION_SCREENS = {
  '': tableScreen, record: (context) => context.game.record(context), deal: resultScreen,
  deals: lazyScreen('deals'), correct: lazyScreen('correct'), settlement: lazyScreen('settlement'),
  share: lazyScreen('share'), players: lazyScreen('players'), close: lazyScreen('close'),
  statement: lazyScreen('statement'), rules: lazyScreen('rules'), winner: lazyScreen('winner'),
  board: lazyScreen('board'), pictures: lazyScreen('pictures'), circle: lazyScreen('joining'),
};
