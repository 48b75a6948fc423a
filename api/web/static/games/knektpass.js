// Knektpass: stay or pass, exchange cards, and count down to zero. Who stays and how many cards each
// exchanges is asked for all players at once.

import { playerName } from '../core/session_store.js';
import { t } from '../core/translator.js';
import { formatPoints, sumOf } from '../domain/amounts.js';
import { seatOrder } from '../domain/deal.js';
import { EXCHANGE_ROUNDS, HAND_SIZE, forecastKnektpass, packOf,
  readKnektpassTurns } from '../forecast/knektpass.js';
import { h, svg } from '../ui/elements.js';
import { numberPad, numbersUpTo } from '../ui/fields.js';
import { actionButton, hint } from '../ui/page.js';
import { hueOfPlayer, playerLabel, playerRow } from '../ui/player_tokens.js';
import { allPassButton, allowedValues, buttonPair, cardsOnTable, handButton, handQuestion, playQuestion,
  turnUpQuestion } from './recorder/card_questions.js';
import { recordDealAgain } from './recorder/offline_recorder.js';
import { recordByQuestions } from './recorder/online_recorder.js';
import { countQuestion, trickQuestion } from './recorder/trick_questions.js';

const MORE_CARDS = 'more'; // more than a hand, over several rounds

/** What a player has done so far in this deal. */
function stayOrPass({ staying: stayers, passed, exchanged }, id) {
  if (stayers?.includes(id)) return t('stay.in');
  if (passed?.includes(id)) return t('stay.out');
  return exchanged?.[id] ? t('exchange.has', { count: exchanged[id] }) : null;
}

/**
 * Who stays and how many cards each exchanges, asked for all players at once: a tap for each who stays; the
 * others pass.
 */
const stayersQuestion = {
  isOpen: ({ legalActionsOf, depth, cards, state: { deal } }) => depth === 'result' && !cards
    && legalActionsOf('stay').length > 0 && !deal.staying?.length && !deal.passed?.length,
  draw: (context) => {
    const { state, handlers, memo } = context;
    const { deal, options, seats } = state;
    const order = seatOrder(state);
    const plan = memo.plan ?? {};
    const staying = order.filter((id) => plan[id] !== undefined);
    const talon = packOf(state).length - HAND_SIZE * seats.length - 1;
    const lastRound = options.exchange_quota === 'last_round'; // only that round counts (A-KP-2)
    const maxPerRound = Math.min(HAND_SIZE, talon);
    const maxPerPlayer = (lastRound ? 1 : EXCHANGE_ROUNDS) * maxPerRound;
    const plannedByOthers = (id) => sumOf(staying.filter((player) => player !== id)
      .map((player) => plan[player]));
    const maxFor = (id) => (options.reshuffle_discards ? maxPerPlayer
      : Math.min(maxPerPlayer, talon - plannedByOthers(id)));
    const unlimited = memo.beyond ?? [];
    const shownMax = (id) => (unlimited.includes(id) ? maxPerPlayer : HAND_SIZE);
    const bound = (id) => Boolean(options.turn_up_commits && deal.exchanged?.[id]);
    const choose = (id, count) => {
      const { [id]: planned, ...rest } = plan;
      handlers.remember({ plan: planned === count ? rest : { ...plan, [id]: count } });
    };
    const line = (id) => h('li', { class: `exchange ${hueOfPlayer(state, id)}` },
      h('span', { class: 'player-line' }, playerLabel(state, id),
        h('span', { class: 'muted' }, plan[id] === undefined ? t(deal.exchanged?.[id] ? 'stay.swapped'
          : 'stay.out') : t('exchange.has', { count: plan[id] }))),
      numberPad(t('together.by', { name: playerName(id) }),
        [...numbersUpTo(shownMax(id)), ...(maxPerPlayer <= HAND_SIZE || shownMax(id) > HAND_SIZE ? []
          : [MORE_CARDS])], {
        chosen: plan[id] ?? null, keyPrefix: `with-${id}`,
        may: (count) => (count === MORE_CARDS ? maxFor(id) > HAND_SIZE : count <= maxFor(id)),
        pick: (count) => (count === MORE_CARDS ? handlers.remember({ beyond: [...unlimited, id] })
          : choose(id, count)),
        words: (count) => (count === MORE_CARDS ? t('together.more') : String(count)),
      }));
    const isWhole = staying.length > 0 && order.every((id) => plan[id] !== undefined || !bound(id));
    return {
      question: t('together.question'), topic: 'knektpass_stay',
      caption: t(lastRound ? 'together.last_round' : 'together.under'),
      main: [
        cardsOnTable(state),
        h('ol', { class: 'exchanges' }, order.map(line)),
        swapButton(context),
        staying.length === 0 && allPassButton(context),
      ],
      bar: [
        isWhole && actionButton('together', t('together.on'), () => {
          handlers.remember({ exchanged: true });
          handlers.send(t('together.on'), ...stayActions(order, plan, maxPerRound));
        }, { primary: true }),
      ],
    };
  },
};

/** The dealer may exchange a card for the turn-up before deciding whether to stay. */
function swapButton({ state: { deal: { dealer } }, legalActionsOf, handlers }) {
  const words = t('stay.swap', { name: playerName(dealer) });
  const maySwap = legalActionsOf('exchange').some(({ fields }) => fields.turn_up);
  return maySwap && actionButton('swap-turn-up', words,
    () => handlers.send(words, { type: 'exchange', player: dealer, turn_up: true }), { secondary: true });
}

/** The actions in turn: stay or pass, then the exchanges if at least two stay. */
function stayActions(order, plan, maxPerRound) {
  const calls = order.map((player) => ({ type: plan[player] === undefined ? 'pass' : 'stay', player }));
  const staying = order.filter((player) => plan[player] !== undefined);
  return [...calls, ...(staying.length < 2 ? [] : exchangeActions(staying, plan, maxPerRound))];
}

/** The exchanges round by round, in turn, until every count is reached. */
function exchangeActions(staying, plan, maxPerRound, exchangedSoFar = 0) {
  const round = staying.filter((player) => plan[player] > exchangedSoFar)
    .map((player) =>
      ({ type: 'exchange', player, cards: Math.min(maxPerRound, plan[player] - exchangedSoFar) }));
  return round.length === 0 ? []
    : [...round, ...exchangeActions(staying, plan, maxPerRound, exchangedSoFar + maxPerRound)];
}

/** Stay or pass, in turn. */
const stayQuestion = {
  isOpen: ({ legalActionsOf }) => legalActionsOf('stay').length > 0,
  draw: (context) => {
    const { state, legalActionsOf, handlers } = context;
    const { deal } = state;
    const [player] = allowedValues(legalActionsOf('stay')[0], 'player');
    const order = seatOrder(state);
    const bound = (id) => state.options.turn_up_commits && deal.exchanged?.[id];
    const callers = [...deal.staying ?? [], ...deal.passed ?? []];
    const rest = order.filter((id) => !callers.includes(id) && !bound(id));
    const mayPass = legalActionsOf('pass').length > 0;
    const name = playerName(player);
    return {
      question: t('stay.question', { name }), topic: 'knektpass_stay',
      main: [
        cardsOnTable(state),
        swapButton(context),
        playerRow(state, order, {
          turn: player,
          marked: (id) => deal.staying?.includes(id),
          caption: (id) => stayOrPass(deal, id) ?? formatPoints(state.scores[id]),
        }),
        allPassButton(context) || (mayPass && rest.length > 1
          && actionButton('rest-pass', t('stay.rest_pass'),
          () => handlers.send(t('stay.rest_pass'), ...rest.map((id) => ({ type: 'pass', player: id }))))),
      ],
      bar: buttonPair(['pass', t('stay.pass'),
        mayPass && (() => handlers.send(t('stay.said_out', { name }), { type: 'pass', player }))],
        ['stay', t('stay.stay'), () => handlers.send(t('stay.said_in', { name }), { type: 'stay', player })]),
    };
  },
};

/** The players who stay, and how many cards each exchanges in this round. */
const exchangeQuestion = {
  isOpen: ({ legalActionsOf, memo }) => legalActionsOf('exchange').some(({ fields }) => fields.cards)
    && !memo.exchanged && !memo.hand && !memo.count,
  draw: (context) => {
    const { state, legalActionsOf, handlers, cards } = context;
    const { staying: order, exchanged, round, talon } = state.deal;
    const exchanges = new Map(legalActionsOf('exchange').map((exchange) =>
      [allowedValues(exchange, 'player')[0], exchange]));
    return {
      question: t('exchange.question'), topic: 'knektpass_exchange',
      caption: t('exchange.round', { round, count: talon }),
      main: [
        h('ol', { class: 'exchanges' }, order.map((player) => {
          const may = exchanges.get(player)?.fields.cards.max ?? 0;
          return h('li', { class: `exchange ${hueOfPlayer(state, player)}` },
            h('span', { class: 'player-line' },
              playerLabel(state, player), h('b', {}, exchanged[player] ?? 0)),
            numberPad(t('exchange.by', { name: playerName(player) }), numbersUpTo(HAND_SIZE, 1), {
              may: (number) => number <= may, keyPrefix: `exchange-${player}`,
              pick: (number) => handlers.send(t('exchange.said', { name: playerName(player), count: number }),
                { type: 'exchange', player, cards: number }),
            }));
        })),
        cards && handButton(context),
      ],
      bar: [actionButton('exchanged', t('exchange.done'), () => handlers.remember({ exchanged: true }),
        { primary: true })],
    };
  },
};

/** Without the turned-up card the trump is unknown: then tricks can be recorded, but no cards. */
const unseenTricks = {
  ...turnUpQuestion,
  draw: (context) => {
    const turnUp = turnUpQuestion.draw(context);
    return { ...turnUp,
      bar: [...turnUp.bar, actionButton('unseen', t('cards.without'),
      () => context.handlers.remember({ unseen: true }))] };
  },
};

const firstActions = (state) => [{ type: 'turn_up', fields: { card: { values: packOf(state) } } },
  ...readKnektpassTurns(state, []).legalActions];

export const game = {
  key: 'knektpass',
  picture: () => [['12', 10, 20], ['7', 30, 30], ['3', 48, 40], ['0', 66, 54]].map(([number, x, y]) =>
    svg('text', { class: number === '0' ? 'count goal' : 'count', x, y, 'text-anchor': 'middle' }, number)),
  help: { start: 'knektpass_end' },
  forecast: forecastKnektpass,
  usualDepth: 'result',
  hasBetStack: false,
  hints: { turnUp: 'knektpass_turn_up', score: 'knektpass_score', play: 'knektpass_cards' },
  sections: { knektpass_aim: ['4.1'], knektpass_cards: ['4.1'], knektpass_stay: ['4.2'],
    knektpass_exchange: ['4.2'], knektpass_score: ['4.3'], knektpass_end: ['4.4', '5'] },
  topics: ['knektpass_aim', 'knektpass_cards', 'knektpass_turn_up', 'knektpass_stay', 'knektpass_exchange',
    'knektpass_score', 'knektpass_end'],
  course: ({ options }) => ({ start: options.start, goal: 0 }),
  centre: () => [h('p', { class: 'overline' }, t('points.down_to'), hint('knektpass_end')),
    h('p', { class: 'pot' }, 0)],
  record: recordByQuestions,
  recordAgain: recordDealAgain,
  lateLine: () => import('./late_entry.js').then((file) => file.readExchangesLine),
  pack: packOf,
  firstActions,
  tricks: HAND_SIZE,
  readTaps: readKnektpassTurns,
  questions: [unseenTricks, stayersQuestion, stayQuestion, handQuestion, exchangeQuestion, playQuestion,
    countQuestion, trickQuestion],
  mark: ({ deal }, id) => t('exchange.has', { count: deal.exchanged?.[id] ?? 0 }),
};
