// Who stays and how many cards each exchanges, asked for all players at once: a tap for each who stays; the
// others pass.

import { playerName } from '../../core/session_store.js';
import { t } from '../../core/translator.js';
import { forehandOf, seatsFrom } from '../../domain/seats.js';
import { h } from '../../ui/elements.js';
import { numberPad, numbersUpTo } from '../../ui/fields.js';
import { actionButton } from '../../ui/page.js';
import { hueOfPlayer, playerLabel } from '../../ui/player_tokens.js';
import { allPassButton, cardsOnTable } from './bidding.js';

const HAND_SIZE = 5;
const EXCHANGE_ROUNDS = 3;
const MORE_CARDS = 'more'; // more than a hand, over several rounds

export const stayersQuestion = {
  open: ({ of, depth, cards, state: { deal } }) => depth === 'result' && !cards && of('stay').length > 0
    && !deal.staying?.length && !deal.passed?.length,
  draw: (context) => {
    const { state, game, of, handlers, memo } = context;
    const { deal, options, seats } = state;
    const order = seatsFrom(forehandOf(state), seats);
    const plan = memo.plan ?? {};
    const staying = order.filter((id) => plan[id] !== undefined);
    const talon = game.pack(state).length - HAND_SIZE * seats.length - 1;
    const lastRound = options.exchange_quota === 'last_round'; // only that round counts (A-KP-2)
    const aRound = Math.min(HAND_SIZE, talon);
    const maxPerPlayer = (lastRound ? 1 : EXCHANGE_ROUNDS) * aRound;
    const plannedByOthers = (id) => staying.reduce((sum, player) =>
      sum + (player === id ? 0 : plan[player]), 0);
    const maxFor = (id) => (options.reshuffle_discards ? maxPerPlayer
      : Math.min(maxPerPlayer, talon - plannedByOthers(id)));
    const unlimited = memo.beyond ?? [];
    const shownMax = (id) => (unlimited.includes(id) ? maxPerPlayer : HAND_SIZE);
    const bound = (id) => Boolean(options.turn_up_commits && deal.exchanged?.[id]);
    const swaps = of('exchange').find((entry) => entry.fields.turn_up);
    const choose = (id, count) => {
      const { [id]: planned, ...rest } = plan;
      handlers.note({ plan: planned === count ? rest : { ...plan, [id]: count } });
    };
    const line = (id) => h('li', { class: `exchange ${hueOfPlayer(state, id)}` },
      h('span', { class: 'who' }, playerLabel(state, id),
        h('span', { class: 'dim' }, plan[id] === undefined ? t(deal.exchanged?.[id] ? 'stay.swapped'
          : 'stay.out') : t('exchange.has', { count: plan[id] }))),
      numberPad(t('together.by', { name: playerName(id) }),
        [...numbersUpTo(shownMax(id)), ...(maxPerPlayer <= HAND_SIZE || shownMax(id) > HAND_SIZE ? []
          : [MORE_CARDS])], {
        chosen: plan[id] ?? null, said: `with-${id}`,
        may: (count) => (count === MORE_CARDS ? maxFor(id) > HAND_SIZE : count <= maxFor(id)),
        pick: (count) => (count === MORE_CARDS ? handlers.note({ beyond: [...unlimited, id] })
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
        swaps && h('button', { type: 'button', class: 'button quiet', 'data-key': 'swap-turn-up',
          onclick: () => handlers.send(t('stay.swap', { name: playerName(deal.dealer) }),
            { type: 'exchange', player: deal.dealer, turn_up: true }) },
        t('stay.swap', { name: playerName(deal.dealer) })),
        staying.length === 0 && allPassButton(context),
      ],
      bar: [
        isWhole && actionButton('together', t('together.on'), () => {
          handlers.note({ exchanged: true });
          handlers.send(t('together.on'), ...stayActions(order, plan, aRound));
        }, { big: true }),
      ],
    };
  },
};

/** The actions in turn: stay or pass, then the exchanges if at least two stay. */
function stayActions(order, plan, aRound) {
  const words = order.map((player) => ({ type: plan[player] === undefined ? 'pass' : 'stay', player }));
  const staying = order.filter((player) => plan[player] !== undefined);
  return [...words, ...(staying.length < 2 ? [] : exchangeActions(staying, plan, aRound))];
}

/** The exchanges round by round, in turn, each with at most `maxFor` cards, until every count is reached. */
function exchangeActions(staying, plan, maxFor, exchangedSoFar = 0) {
  const round = staying.filter((player) => plan[player] > exchangedSoFar)
    .map((player) => ({ type: 'exchange', player, cards: Math.min(maxFor, plan[player] - exchangedSoFar) }));
  return round.length === 0 ? []
    : [...round, ...exchangeActions(staying, plan, maxFor, exchangedSoFar + maxFor)];
}
