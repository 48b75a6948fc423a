// Who stays and with how many new cards, asked of everybody at once: a tap for each who stays. Whoever is
// left out passes.

import { h } from '../../ui/elements.js';
import { nameOf } from '../../core/session_store.js';
import { act } from '../../ui/page.js';
import { hueOf, person } from '../../ui/player_tokens.js';
import { t } from '../../core/translator.js';
import { allPass, onTable } from './bidding.js';
import { pad, upTo } from './counting.js';
import { forehandOf, from } from '../../domain/seats.js';

const HAND = 5; // cards
const ROUNDS = 3;
const MORE = 'more'; // than a hand, over several rounds

export const together = {
  open: ({ of, depth, cards, state: { deal } }) => depth === 'result' && !cards && of('stay').length > 0
    && !deal.staying?.length && !deal.passed?.length,
  draw: (context) => {
    const { state, game, of, hands, memo } = context;
    const { deal, options, seats } = state;
    const order = from(forehandOf(state), seats);
    const plan = memo.plan ?? {};
    const staying = order.filter((id) => plan[id] !== undefined);
    const talon = game.pack(state).length - HAND * seats.length - 1;
    const lastRound = options.exchange_quota === 'last_round'; // then nothing else counts (A-KP-2)
    const aRound = Math.min(HAND, talon);
    const inAll = (lastRound ? 1 : ROUNDS) * aRound; // for one player
    const others = (id) => staying.reduce((sum, one) => sum + (one === id ? 0 : plan[one]), 0);
    const most = (id) => (options.reshuffle_discards ? inAll : Math.min(inAll, talon - others(id)));
    const beyond = memo.beyond ?? [];
    const shown = (id) => (beyond.includes(id) ? inAll : HAND);
    const bound = (id) => Boolean(options.turn_up_commits && deal.exchanged?.[id]);
    const swaps = of('exchange').find((entry) => entry.fields.turn_up);
    const choose = (id, count) => {
      const { [id]: before, ...rest } = plan;
      hands.note({ plan: before === count ? rest : { ...plan, [id]: count } });
    };
    const line = (id) => h('li', { class: `exchange ${hueOf(state, id)}` },
      h('span', { class: 'who' }, person(state, id),
        h('span', { class: 'dim' }, plan[id] === undefined ? t(deal.exchanged?.[id] ? 'stay.swapped' : 'stay.out') : t('exchange.has', { count: plan[id] }))),
      pad(t('together.by', { name: nameOf(id) }), [...upTo(shown(id)), ...(inAll <= HAND || shown(id) > HAND ? [] : [MORE])], {
        chosen: plan[id] ?? null, said: `with-${id}`, may: (count) => (count === MORE ? most(id) > HAND : count <= most(id)),
        pick: (count) => (count === MORE ? hands.note({ beyond: [...beyond, id] }) : choose(id, count)),
        words: (count) => (count === MORE ? t('together.more') : String(count)),
      }));
    const whole = staying.length > 0 && order.every((id) => plan[id] !== undefined || !bound(id));
    return {
      question: t('together.question'), topic: 'knektpass_stay', under: t(lastRound ? 'together.last_round' : 'together.under'),
      main: [
        onTable(state),
        h('ol', { class: 'exchanges' }, order.map(line)),
        swaps && h('button', { type: 'button', class: 'button quiet', 'data-key': 'swap-turn-up',
          onclick: () => hands.send(t('stay.swap', { name: nameOf(deal.dealer) }), { type: 'exchange', player: deal.dealer, turn_up: true }) },
        t('stay.swap', { name: nameOf(deal.dealer) })),
        staying.length === 0 && allPass(context),
      ],
      bar: [
        whole && act('together', t('together.on'), () => {
          hands.note({ exchanged: true });
          hands.send(t('together.on'), ...said(order, plan, aRound));
        }, { big: true }),
      ],
    };
  },
};

/** In turn: stays or passes; then, if anybody plays against anybody, who exchanges. */
function said(order, plan, aRound) {
  const words = order.map((player) => ({ type: plan[player] === undefined ? 'pass' : 'stay', player }));
  const staying = order.filter((player) => plan[player] !== undefined);
  return [...words, ...(staying.length < 2 ? [] : exchanges(staying, plan, aRound))];
}

/** A round after the other, each in turn and with so many cards at most, until everybody's count is reached. */
function exchanges(staying, plan, most, done = 0) {
  const round = staying.filter((player) => plan[player] > done).map((player) => ({ type: 'exchange', player, cards: Math.min(most, plan[player] - done) }));
  return round.length === 0 ? [] : [...round, ...exchanges(staying, plan, most, done + most)];
}
