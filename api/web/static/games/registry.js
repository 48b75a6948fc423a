// Loads the games. Other modules use what a game exports and never compare its key. A game's module is loaded
// when it is first needed, and exports `game`:
//   key                    as in domain/games.js
//   picture()              the drawing beside its name (ui/playing_cards.js)
//   help                   by option, the help text shown when a session is opened
//   pairs                  the places that are partners, if any are
//   terms(state)           how the games of five tricks differ
//   forecast(state, actions) the forecast of one deal (forecast/forecast.js)
//   centre(state, money)   the middle of the table
//   hints, topics          the help texts and where they stand
//   sections               the rules that each topic explains
//   record(context)        the recording screen
//   recordAgain(context)   the same for a correction, from the beginning of the deal
//   lateLine()             loads what reads a deal that is typed from paper (late_entry.js)
//   usualDepth             the recording depth offered first
//   pack(state)            the cards of its pack
//   firstActions(state)    what may be recorded as soon as a deal is open
//   questions              the questions of the recording screen; the first that is open is asked
//   tricks                 the number of tricks
//   tally(state)           the bids and the counts of tricks so far, if the game has bids
//   readTaps(state, taps)  the deal as read from its taps: state, legal actions, whether it is over
//   hasBetStack            whether there is a stack of bets
//   course(state)          where the scores start and end, in point games
//   warning(state, contestant) the warning beside a score, if any; a contestant is a player or a side
//   countGroups(state, counts, keys) how the counts of tricks are grouped on the screen, if they are
//   mark(state, player)    what stands beside a player's name while tricks are counted, if anything

import { keepGame } from '../domain/games.js';

/** Loads the game's own module; afterwards `loadedGame` returns it as well. */
export async function loadGame(key) {
  const { game } = await import(`./${key}.js`);
  keepGame(game);
  return game;
}
