// The games that this form can record: their names, which stakes have help, and who are partners. What a game
// draws lies in games/; games/registry.js loads it when it is first needed.

export const GAMES = {
  polskt_pass: { name: 'Polskt pass', help: { stake: 'stake', bet_multiplier: 'bet' } },
  polskpas: { name: 'Polskpas', help: { stake: 'polskpas_pot' } },
  spader: { name: 'Spader', help: { target: 'spader_end' }, pairs: [[0, 2], [1, 3]] },
  knektpass: { name: 'Knektpass', help: { start: 'knektpass_end' } },
};

export const gameName = (key) => GAMES[key]?.name ?? '';

const TERMS = {
  polskt_pass: ({ seats }) => ({
    call: 'la_vola', soloist: false, playOn: false, pair: true, split: seats.length === 5,
    ended: (player, won) => ({ type: 'result', la_vola: { player, won } }),
  }),
  polskpas: ({ options }) => ({
    call: 'vole', soloist: true, playOn: !options.vole_stop_at_loss, pair: false, split: false,
    ended: (player, won, winner) => ({ type: 'result', winner, vole: { player, won } }),
  }),
};

/** How the two games of five tricks differ; undefined for other games. */
export const termsOf = (state) => TERMS[state.game]?.(state);
