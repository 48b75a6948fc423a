// The evening on a tablet that lies on the table: everybody large in their place, what is played for, what just
// happened. It follows the phones by itself and asks for nothing; there is nothing on it to press by mistake.

import { h } from '../ui/elements.js';
import { dressed } from '../core/stylesheets.js';
import { evening, nameOf } from '../core/session_store.js';
import { felt } from '../ui/felt.js';
import { writerOf } from '../core/money_format.js';
import { show } from '../ui/page.js';
import { hueOf, markerOf } from '../ui/player_tokens.js';
import { forPoints, namesOf, sign, worth } from '../domain/points.js';
import { changes } from '../ui/posting_lines.js';
import { scoreboard } from '../ui/scoreboard.js';
import { sync } from '../features/sync_status.js';
import { t, together } from '../core/translator.js';
import { absent, apart, dealerButton, dues, latest, stack, stage } from './table.js';

const LONG = 9; // signs; a longer sum is written smaller
const FEW = 5;  // lines of a sheet

export async function board({ game, home, still }) {
  await dressed('board');
  let known = null;
  let last = null;
  let news = false;
  const figures = h('div', { hidden: true });

  const look = async (state) => {
    known = stage(state);
    last = await latest(state).catch(() => last);
  };

  const draw = (state, fresh = false) => {
    const money = writerOf(state);
    show({
      title: state.title || t('start.untitled'), back: home, aside: sync(), kind: 'board', fresh,
      main: [
        around(state, game, money, last),
        h('div', { class: 'beside' },
          turn(state),
          happened(state, last, news),
          h('div', { class: 'standing' }, forPoints(state) ? sheet(state, game, last) : game.stack && stack(state, money), dues(state, money), figures, absent(state, money))),
      ],
    });
    news = false;
    figures.hidden = !apart(state);
    if (!figures.hidden) import('../features/settling/balances_summary.js').then((file) => file.fill(figures, { home, still, quiet: true })).catch(() => null);
  };

  await look(evening());
  if (!still()) return null;
  draw(evening(), true);
  return {
    update: async (state) => {
      if (stage(state) !== known) {
        const before = last?.number;
        await look(state);
        news = last?.number !== before;
      }
      if (still()) draw(evening());
    },
  };
}

/** What the last deal gave stands beside every sum until the next one is on the table. */
function around(state, game, money, last) {
  const moved = last === null || forPoints(state) ? new Map() : changes(last.postings);
  const seat = (id) => {
    const { text, sign: way } = worth(state, id, money);
    const gained = moved.get(`player:${id}`) ?? 0;
    return h('div', { class: `seat ${hueOf(state, id)}` },
      markerOf(state, id),
      h('bdi', { class: 'name' }, nameOf(id)),
      h('b', { class: `sum ${way}${text.length > LONG ? ' long' : ''}` }, text),
      gained !== 0 && h('span', { class: `moved ${sign(gained)}` }, money.signed(gained)),
      state.deal.dealer === id && dealerButton());
  };
  return felt({ seats: state.seats, seat, centre: game.centre(state, money), label: t('table.round') });
}

/** How far everybody is from the goal; of more than fit here the points stand at the seats. */
const sheet = (state, game, last) => Object.keys(state.scores).length <= FEW
  && scoreboard(state, game, state.deal.phase === 'waiting' ? last?.outcome?.points : {});

/** Whose turn it is to deal, or that it is over. */
function turn(state) {
  if (state.winner) return h('p', { class: 'turn motto' }, t('points.has_won', { names: together(state.winner.map(namesOf)) }));
  if (state.status === 'closed') return h('p', { class: 'turn motto' }, t('table.closed'));
  const { number, dealer, phase } = state.deal;
  const waits = phase === 'waiting';
  return h('p', { class: 'turn' },
    h('span', { class: 'over' }, t(waits ? 'board.next' : 'board.now', { number })),
    h('span', { class: `dealing ${hueOf(state, dealer)}` }, markerOf(state, dealer), h('span', {}, t('board.deals', { name: nameOf(dealer) }))));
}

function happened(state, last, news) {
  if (last === null || last.status === 'open') return null;
  return h('p', { class: news ? 'told arriving' : 'told', 'aria-live': 'polite' },
    h('span', { class: 'over' }, t('table.last', { number: last.number })), h('span', { class: 'said' }, last.outcome?.text ?? ''));
}
