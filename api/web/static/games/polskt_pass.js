// Polskt pass: a pot, a stack of bets, and la vola for whoever took the first two tricks.
// Whole deals are put together on the phone; card by card they are said one by one.

import { packFrom } from '../domain/cards.js';
import { potOnCloth } from '../ui/pot.js';
import { five } from './recorder/five_tricks.js';
import { bidding, choosing, cutting, turningUp } from './recorder/bidding.js';
import { discarding, playing, showing } from './recorder/card_questions.js';
import { byTrick } from './recorder/counting.js';

const pack = ({ seats }) => packFrom(seats.length === 5 ? '8' : '9');

export const polsktPass = {
  key: 'polskt_pass',
  usual: 'tricks',
  stack: true,
  hints: { declarer: 'declarer', winner: 'winner', play: 'cards' },
  sections: {
    aim: ['1.5'], cards: ['1.2'], stake: ['1.1', '1.6'], declarer: ['1.4'], winner: ['1.5'], bet: ['1.6', '1.8'], la_vola: ['1.7'], all_pass: ['1.4'], two_declarers: ['1.4'], end: ['5'],
  },
  topics: ['aim', 'cards', 'stake', 'declarer', 'winner', 'bet', 'la_vola', 'all_pass', 'two_declarers', 'end'],
  centre: (state, money) => potOnCloth(state, money, 'stake'),
  record: five,
  pack,
  tricks: 5,
  first: (state) => [{ type: 'cut', fields: { card: { values: pack(state) } } }],
  asks: [showing, cutting, turningUp, choosing, bidding, discarding, playing, byTrick],
};
