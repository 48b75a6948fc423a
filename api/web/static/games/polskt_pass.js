// Polskt pass: a pot, a stack of bets, and la vola for the player who took the first two tricks. Whole deals
// are recorded on the device; card by card, each action is sent.

import { packFrom } from '../domain/deal.js';
import { forecastPolsktPass } from '../forecast/polskt_pass.js';
import { paintedCard } from '../ui/playing_cards.js';
import { potOnCloth } from '../ui/table_view.js';
import { bidQuestion, cutQuestion, discardQuestion, handQuestion, playQuestion, takeQuestion,
  turnUpQuestion } from './recorder/card_questions.js';
import { fiveTricks } from './recorder/five_tricks.js';
import { trickQuestion } from './recorder/trick_questions.js';

const packOf = ({ seats }) => packFrom(seats.length === 5 ? '8' : '9');

const termsFor = ({ seats }) => ({
  call: 'la_vola', soloist: false, playOn: false, twoMayDeclare: true, nobodyMayWin: seats.length === 5,
  resultOfCall: (player, won) => ({ type: 'result', la_vola: { player, won } }),
});

export const game = {
  ...fiveTricks,
  key: 'polskt_pass',
  picture: () => [paintedCard(-27, 'D'), paintedCard(-9, 'H'), paintedCard(9, 'S'), paintedCard(27, 'C')],
  help: { stake: 'stake', bet_multiplier: 'bet' },
  terms: termsFor,
  forecast: forecastPolsktPass,
  hasBetStack: true,
  hints: { declarer: 'declarer', winner: 'winner', play: 'cards' },
  sections: {
    aim: ['1.5'], cards: ['1.2'], stake: ['1.1', '1.6'], declarer: ['1.4'], winner: ['1.5'],
    bet: ['1.6', '1.8'], la_vola: ['1.7'], all_pass: ['1.4'], two_declarers: ['1.4'], end: ['5'],
  },
  topics: ['aim', 'cards', 'stake', 'declarer', 'winner', 'bet', 'la_vola', 'all_pass', 'two_declarers',
    'end'],
  centre: (state, money) => potOnCloth(state, money, 'stake'),
  pack: packOf,
  firstActions: (state) => [{ type: 'cut', fields: { card: { values: packOf(state) } } }],
  questions: [handQuestion, cutQuestion, turnUpQuestion, takeQuestion, bidQuestion, discardQuestion,
    playQuestion, trickQuestion],
};
