// The games that this form can record. Each has a file for its screen, one for its forecast and one for its
// words: games/<key>.js, forecast/<key>.js and translations/games/<key>.json.

/** The keys of the games, in the order in which they are shown. */
export const GAMES = ['polskt_pass', 'polskpas', 'spader', 'knektpass'];

const loadedGames = new Map();

/** Keeps what a game's own module exports, for the modules below it. */
export const keepGame = (game) => { loadedGames.set(game.key, game); };

/** What the game's module exports (games/registry.js), once that is loaded; else undefined. */
export const loadedGame = (key) => loadedGames.get(key);

/** How the games of five tricks differ; undefined for other games. */
export const termsOf = (state) => loadedGame(state.game)?.terms?.(state);
