// The games this phone can record: an entry each. Everything else asks the game, never which one it is.
// A game's module is fetched when first wanted, and exports what is its own to draw:
//   centre(state, money)  what lies on the cloth          hints, topics  which help stands where
//   sections              the rules that each topic explains
//   record(context)       the recording screen            usual          how closely a deal is written down
// at first
//   pack, first, asks     its cards, what may be said as soon as a deal is open, its questions in order
//   tricks, retold        how many tricks; a deal told again from its taps: how it looks, what may be said
// next
//   stack                 whether there is a stack of bets; or course(state): where the sheet starts and ends

const LOADERS = {
  polskt_pass: () => import('./polskt_pass.js').then((file) => file.polsktPassGame),
  polskpas: () => import('./polskpas.js').then((file) => file.polskpasGame),
  spader: () => import('./spader.js').then((file) => file.spaderGame),
  knektpass: () => import('./knektpass.js').then((file) => file.knektpassGame),
};

/** Loads the game's own module. */
export const loadGame = (key) => LOADERS[key]();
