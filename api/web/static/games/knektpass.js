// Knektpass: stay or pass, exchange cards, and count down to nought.

import { h } from '../ui/elements.js';
import { nameOf } from '../core/session_store.js';
import { stays } from '../domain/knektpass_turns.js';
import { hint } from '../ui/help.js';
import { packFrom } from '../domain/cards.js';
import { act } from '../ui/page.js';
import { hueOf, person } from '../ui/player_tokens.js';
import { figure } from '../domain/points.js';
import { allPass, onTable, turningUp, twain, values } from './recorder/bidding.js';
import { playing, showHand, showing } from './recorder/card_questions.js';
import { byCount, byTrick, pad, upTo } from './recorder/counting.js';
import { forehandOf, from, row } from '../domain/seats.js';
import { live } from './recorder/questions.js';
import { together } from './recorder/exchanging.js';
import { t } from '../core/translator.js';

const FEW = 3; // players who have enough with 36 cards

const pack = ({ seats }) => packFrom(seats.length > FEW ? '2' : '6');

/** What somebody has said or done so far in this deal. */
function said({ staying: stayed, passed, exchanged }, id) {
  if (stayed?.includes(id)) return t('stay.in');
  if (passed?.includes(id)) return t('stay.out');
  return exchanged?.[id] ? t('exchange.has', { count: exchanged[id] }) : null;
}

/** Stay or pass, in turn. */
const staying = {
  open: ({ of }) => of('stay').length > 0,
  draw: (context) => {
    const { state, of, hands } = context;
    const { deal } = state;
    const [player] = values(of('stay')[0], 'player');
    const order = from(forehandOf(state), state.seats);
    const bound = (id) => state.options.turn_up_commits && deal.exchanged?.[id];
    const rest = order.slice(order.indexOf(player)).filter((id) => !bound(id));
    const mayPass = of('pass').length > 0;
    const swaps = of('exchange').find((entry) => entry.fields.turn_up);
    const name = nameOf(player);
    const say = (type, who) => ({ type, player: who });
    return {
      question: t('stay.question', { name }), topic: 'knektpass_stay',
      main: [
        onTable(state),
        swaps && h('button', { type: 'button', class: 'button quiet', 'data-key': 'swap-turn-up',
          onclick: () => hands.send(t('stay.swap', { name: nameOf(deal.dealer) }), { type: 'exchange', player: deal.dealer, turn_up: true }) },
        t('stay.swap', { name: nameOf(deal.dealer) })),
        row(state, order, {
          turn: player,
          marked: (id) => deal.staying?.includes(id),
          under: (id) => said(deal, id) ?? figure(state.scores[id]),
        }),
        allPass(context) || (mayPass && rest.length > 1 && act('rest-pass', t('stay.rest_pass'),
          () => hands.send(t('stay.rest_pass'), ...rest.map((who) => say('pass', who))))),
      ],
      bar: twain(['pass', t('stay.pass'), mayPass && (() => hands.send(t('stay.said_out', { name }), say('pass', player)))],
        ['stay', t('stay.stay'), () => hands.send(t('stay.said_in', { name }), say('stay', player))]),
    };
  },
};

/** Everybody who stays, and how many cards each throws away in this round. */
const exchanging = {
  open: ({ of, memo }) => of('exchange').some(({ fields }) => fields.cards) && !memo.exchanged && !memo.hand && !memo.count,
  draw: (context) => {
    const { state, of, hands, cards } = context;
    const { staying: order, exchanged, round, talon } = state.deal;
    const entries = new Map(of('exchange').map((entry) => [values(entry, 'player')[0], entry]));
    return {
      question: t('exchange.question'), topic: 'knektpass_exchange', under: t('exchange.round', { round, count: talon }),
      main: [
        h('ol', { class: 'exchanges' }, order.map((player) => {
          const may = entries.get(player)?.fields.cards.max ?? 0;
          return h('li', { class: `exchange ${hueOf(state, player)}` },
            h('span', { class: 'who' }, person(state, player), h('b', {}, exchanged[player] ?? 0)),
            pad(t('exchange.by', { name: nameOf(player) }), upTo(5, 1), {
              may: (number) => number <= may, said: `exchange-${player}`,
              pick: (number) => hands.send(t('exchange.said', { name: nameOf(player), count: number }), { type: 'exchange', player, cards: number }),
            }));
        })),
        cards && showHand(context),
      ],
      bar: [act('exchanged', t('exchange.done'), () => hands.note({ exchanged: true }), { big: true })],
    };
  },
};

/** Without the turned-up card nobody knows the trumps: then there are tricks, but no cards. */
const unseen = {
  ...turningUp,
  draw: (context) => {
    const asked = turningUp.draw(context);
    return { ...asked, bar: [...asked.bar, act('unseen', t('cards.without'), () => context.hands.note({ unseen: true }))] };
  },
};

function first(state) {
  const { dealer } = state.deal;
  const forehand = forehandOf(state);
  const word = (type) => ({ type, fields: { player: { values: [forehand] } } });
  return [
    { type: 'turn_up', fields: { card: { values: pack(state) } } },
    { type: 'exchange', fields: { player: { values: [dealer] }, turn_up: { values: [true] } } },
    word('stay'), word('pass'), { type: 'all_pass', fields: {} },
  ];
}

export const knektpass = {
  key: 'knektpass',
  usual: 'result',
  stack: false,
  hints: { turnUp: 'knektpass_turn_up', score: 'knektpass_score', play: 'knektpass_cards' },
  sections: { knektpass_aim: ['4.1'], knektpass_cards: ['4.1'], knektpass_stay: ['4.2'], knektpass_exchange: ['4.2'], knektpass_score: ['4.3'], knektpass_end: ['4.4', '5'] },
  topics: ['knektpass_aim', 'knektpass_cards', 'knektpass_turn_up', 'knektpass_stay', 'knektpass_exchange', 'knektpass_score', 'knektpass_end'],
  course: ({ options }) => ({ start: options.start, goal: 0 }),
  centre: () => [h('p', { class: 'over' }, t('points.down_to'), hint('knektpass_end')), h('p', { class: 'pot' }, 0)],
  record: live,
  pack,
  first,
  tricks: 5,
  retold: (state, taps) => stays(state, taps, pack(state)),
  asks: [unseen, together, staying, showing, exchanging, playing, byCount, byTrick],
  mark: ({ deal }, id) => t('exchange.has', { count: deal.exchanged?.[id] ?? 0 }),
};
