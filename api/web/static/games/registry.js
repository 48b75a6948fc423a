// The games that the form can record. Other modules use what a game exports and never compare its key.
// A game's module is loaded when it is first needed, and exports what it draws itself:
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

const LOADERS = {
  polskt_pass: () => import('./polskt_pass.js').then((file) => file.polsktPassGame),
  polskpas: () => import('./polskpas.js').then((file) => file.polskpasGame),
  spader: () => import('./spader.js').then((file) => file.spaderGame),
  knektpass: () => import('./knektpass.js').then((file) => file.knektpassGame),
};

/** Loads the game's own module. */
export const loadGame = (key) => LOADERS[key]();
