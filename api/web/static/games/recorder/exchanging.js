// Who stays and with how many new cards, asked of everybody at once: a tap for each who stays. Whoever is
// left out passes.

import { playerName } from '../../core/session_store.js';
import { t } from '../../core/translator.js';
import { forehandOf, seatsFrom } from '../../domain/seats.js';
import { h } from '../../ui/elements.js';
import { numberPad, numbersUpTo } from '../../ui/number_pad.js';
import { actionButton } from '../../ui/page.js';
import { hueOfPlayer, playerLabel } from '../../ui/player_tokens.js';
import { allPassButton, cardsOnTable } from './bidding.js';

const HAND_SIZE = 5; // cards
const EXCHANGE_ROUNDS = 3;
const MORE_CARDS = 'more'; // than a hand, over several rounds

export const stayersQuestion = {
  open: ({ of, depth, cards, state: { deal } }) => depth === 'result' && !cards && of('stay').length > 0
    && !deal.staying?.length && !deal.passed?.length,
  draw: (context) => {
    const { state, game, of, hands, memo } = context;
    const { deal, options, seats } = state;
    const order = seatsFrom(forehandOf(state), seats);
    const plan = memo.plan ?? {};
    const staying = order.filter((id) => plan[id] !== undefined);
    const talon = game.pack(state).length - HAND_SIZE * seats.length - 1;
    const lastRound = options.exchange_quota === 'last_round'; // then nothing else counts (A-KP-2)
    const aRound = Math.min(HAND_SIZE, talon);
    const inAll = (lastRound ? 1 : EXCHANGE_ROUNDS) * aRound; // for one player
    const others = (id) => staying.reduce((sum, one) => sum + (one === id ? 0 : plan[one]), 0);
    const most = (id) => (options.reshuffle_discards ? inAll : Math.min(inAll, talon - others(id)));
    const beyond = memo.beyond ?? [];
    const shown = (id) => (beyond.includes(id) ? inAll : HAND_SIZE);
    const bound = (id) => Boolean(options.turn_up_commits && deal.exchanged?.[id]);
    const swaps = of('exchange').find((entry) => entry.fields.turn_up);
    const choose = (id, count) => {
      const { [id]: before, ...rest } = plan;
      hands.note({ plan: before === count ? rest : { ...plan, [id]: count } });
    };
    const line = (id) => h('li', { class: `exchange ${hueOfPlayer(state, id)}` },
      h('span', { class: 'who' }, playerLabel(state, id),
        h('span', { class: 'dim' }, plan[id] === undefined ? t(deal.exchanged?.[id] ? 'stay.swapped'
          : 'stay.out') : t('exchange.has', { count: plan[id] }))),
      numberPad(t('together.by', { name: playerName(id) }),
        [...numbersUpTo(shown(id)), ...(inAll <= HAND_SIZE || shown(id) > HAND_SIZE ? [] : [MORE_CARDS])], {
        chosen: plan[id] ?? null, said: `with-${id}`,
        may: (count) => (count === MORE_CARDS ? most(id) > HAND_SIZE : count <= most(id)),
        pick: (count) => (count === MORE_CARDS ? hands.note({ beyond: [...beyond, id] }) : choose(id, count)),
        words: (count) => (count === MORE_CARDS ? t('together.more') : String(count)),
      }));
    const whole = staying.length > 0 && order.every((id) => plan[id] !== undefined || !bound(id));
    return {
      question: t('together.question'), topic: 'knektpass_stay',
      under: t(lastRound ? 'together.last_round' : 'together.under'),
      main: [
        cardsOnTable(state),
        h('ol', { class: 'exchanges' }, order.map(line)),
        swaps && h('button', { type: 'button', class: 'button quiet', 'data-key': 'swap-turn-up',
          onclick: () => hands.send(t('stay.swap', { name: playerName(deal.dealer) }),
            { type: 'exchange', player: deal.dealer, turn_up: true }) },
        t('stay.swap', { name: playerName(deal.dealer) })),
        staying.length === 0 && allPassButton(context),
      ],
      bar: [
        whole && actionButton('together', t('together.on'), () => {
          hands.note({ exchanged: true });
          hands.send(t('together.on'), ...stayActions(order, plan, aRound));
        }, { big: true }),
      ],
    };
  },
};

/** In turn: stays or passes; then, if anybody plays against anybody, who exchanges. */
function stayActions(order, plan, aRound) {
  const words = order.map((player) => ({ type: plan[player] === undefined ? 'pass' : 'stay', player }));
  const staying = order.filter((player) => plan[player] !== undefined);
  return [...words, ...(staying.length < 2 ? [] : exchangeActions(staying, plan, aRound))];
}

/**
 * A round after the other, each in turn and with so many cards at most, until everybody's count is reached.
 */
function exchangeActions(staying, plan, most, done = 0) {
  const round = staying.filter((player) => plan[player] > done)
    .map((player) => ({ type: 'exchange', player, cards: Math.min(most, plan[player] - done) }));
  return round.length === 0 ? [] : [...round, ...exchangeActions(staying, plan, most, done + most)];
}
