// Loads the games. Other modules use what a game exports and never compare its key. A game's module is loaded
// when it is first needed, and exports `game`:
//   key                    as in domain/games.js
//   picture()              the drawing beside its name (ui/game_pictures.js)
//   help                   the help text of an option that a new session is asked
//   pairs                  the places that are partners, if any are
//   terms(state)           how the games of five tricks differ
//   forecast(open, actions) the forecast of one deal (forecast/forecast.js)
//   centre(state, money)   the middle of the table
//   hints, topics          the help texts and where they stand
//   sections               the rules that each topic explains
//   record(context)        the recording screen
//   usual                  the depth of recording to begin with
//   pack, first, questions its cards, what may be recorded as soon as a deal is open, its questions in order
//   tricks                 the number of tricks
//   retold                 a deal read from its taps: its state, and what may be recorded next
//   stack                  whether there is a stack of bets
//   course(state)          where the scores start and end, in point games

import { keepGame } from '../domain/games.js';

/** Loads the game's own module; afterwards `loadedGame` returns it as well. */
export async function loadGame(key) {
  const { game } = await import(`./${key}.js`);
  keepGame(game);
  return game;
}
