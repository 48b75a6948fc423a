// Who stays and with how many new cards, asked of everybody at once: a tap for each who stays. Whoever is
// left out passes.

import { h } from '../dom.js';
import { nameOf } from '../evening.js';
import { act } from '../page.js';
import { hueOf, person } from '../players.js';
import { t } from '../words.js';
import { allPass, onTable } from './bidding.js';
import { pad, upTo } from './counting.js';
import { forehandOf, from } from './row.js';

const MOST = 5; // cards in a hand

export const together = {
  open: ({ of, depth, cards, state: { deal } }) => depth === 'result' && !cards && of('stay').length > 0
    && !deal.staying?.length && !deal.passed?.length,
  draw: (context) => {
    const { state, game, of, hands, memo } = context;
    const { deal, options, seats } = state;
    const order = from(forehandOf(state), seats);
    const plan = memo.plan ?? {};
    const staying = order.filter((id) => plan[id] !== undefined);
    const talon = game.pack(state).length - MOST * seats.length - 1;
    const others = (id) => staying.reduce((sum, one) => sum + (one === id ? 0 : plan[one]), 0);
    const most = (id) => Math.min(MOST, options.reshuffle_discards ? talon : talon - others(id));
    const bound = (id) => Boolean(options.turn_up_commits && deal.exchanged?.[id]);
    const swaps = of('exchange').find((entry) => entry.fields.turn_up);
    const choose = (id, count) => {
      const { [id]: before, ...rest } = plan;
      hands.note({ plan: before === count ? rest : { ...plan, [id]: count } });
    };
    const line = (id) => h('li', { class: `exchange ${hueOf(state, id)}` },
      h('span', { class: 'who' }, person(state, id),
        h('span', { class: 'dim' }, plan[id] === undefined ? t(deal.exchanged?.[id] ? 'stay.swapped' : 'stay.out') : t('exchange.has', { count: plan[id] }))),
      pad(t('together.by', { name: nameOf(id) }), upTo(MOST), {
        chosen: plan[id] ?? null, said: `with-${id}`, may: (count) => count <= most(id), pick: (count) => choose(id, count),
      }));
    const whole = staying.length > 0 && order.every((id) => plan[id] !== undefined || !bound(id));
    return {
      question: t('together.question'), topic: 'knektpass_stay', under: t('together.under'),
      main: [
        onTable(state),
        h('ol', { class: 'exchanges' }, order.map(line)),
        swaps && h('button', { type: 'button', class: 'button quiet', 'data-key': 'swap-turn-up',
          onclick: () => hands.send(t('stay.swap', { name: nameOf(deal.dealer) }), { type: 'exchange', player: deal.dealer, turn_up: true }) },
        t('stay.swap', { name: nameOf(deal.dealer) })),
      ],
      bar: [
        staying.length === 0 && allPass(context),
        whole && act('together', t('together.on'), () => {
          hands.note({ exchanged: true });
          hands.send(t('together.on'), ...said(order, plan));
        }, { big: true }),
      ],
    };
  },
};

/** In turn: stays or passes; then, if anybody plays against anybody, who exchanges. */
function said(order, plan) {
  const words = order.map((player) => ({ type: plan[player] === undefined ? 'pass' : 'stay', player }));
  const staying = order.filter((player) => plan[player] !== undefined);
  const exchanges = staying.length < 2 ? [] : staying.filter((player) => plan[player] > 0);
  return [...words, ...exchanges.map((player) => ({ type: 'exchange', player, cards: plan[player] }))];
}
