// Polskpas: one soloist, who alone may announce the vole. Whole deals are recorded on the device; card by
// card, each action is sent.

import { packFrom } from '../domain/deal.js';
import { forecastPolskpas } from '../forecast/polskpas.js';
import { paintedCard, paintedCoin } from '../ui/playing_cards.js';
import { potOnCloth } from '../ui/table_view.js';
import { bidQuestion, discardQuestion, handQuestion, playQuestion,
  turnUpQuestion } from './recorder/card_questions.js';
import { fiveTricks } from './recorder/five_tricks.js';
import { trickQuestion } from './recorder/trick_questions.js';

const packOf = ({ seats, options }) => (seats.length === 3
  ? packFrom('10').filter((card) => card !== `10${options.removed_ten}`) : packFrom('9'));

const termsFor = ({ options }) => ({
  call: 'vole', soloist: true, playOn: !options.vole_stop_at_loss, twoMayDeclare: false, nobodyMayWin: false,
  resultOfCall: (player, won, winner) => ({ type: 'result', winner, vole: { player, won } }),
});

export const game = {
  ...fiveTricks,
  key: 'polskpas',
  picture: () => [paintedCard(-14, null, false), paintedCard(10, 'C'), paintedCoin(22, 54),
    paintedCoin(22, 49), paintedCoin(46, 56), paintedCoin(46, 51), paintedCoin(46, 46)],
  help: { stake: 'polskpas_pot' },
  terms: termsFor,
  forecast: forecastPolskpas,
  hasBetStack: false,
  hints: { declarer: 'polskpas_soloist', winner: 'polskpas_winner', play: 'polskpas_cards' },
  sections: { polskpas_aim: ['2.3'], polskpas_cards: ['2.1'], polskpas_pot: ['2.1', '2.3'],
    polskpas_soloist: ['2.2'], vole: ['2.3'], end: ['5'] },
  topics: ['polskpas_aim', 'polskpas_cards', 'polskpas_pot', 'polskpas_soloist', 'polskpas_winner', 'vole',
    'end'],
  centre: (state, money) => potOnCloth(state, money, 'polskpas_pot'),
  pack: packOf,
  firstActions: (state) => [{ type: 'turn_up', fields: { card: { values: packOf(state) } } }],
  questions: [handQuestion, turnUpQuestion, bidQuestion, discardQuestion, playQuestion, trickQuestion],
};
