// The session on a tablet that lies on the table: the seats, the amount played for and the last result, in
// large type. It follows the other devices by itself and has nothing that can be pressed by mistake.

import { currentSession, playerName } from '../core/session_store.js';
import { listNames, sessionMoneyWriter, t } from '../core/translator.js';
import { isPointGame, signClass } from '../domain/amounts.js';
import { syncStatus } from '../features/sync_status.js';
import { buildElement, h, hiddenText } from '../ui/elements.js';
import { showScreen } from '../ui/page.js';
import { hueOfPlayer, scoreboard, sideNames, tokenOfPlayer } from '../ui/player_tokens.js';
import { absentPlayers, betStack, changeLines, dealerMark, felt, keepLatestDeal, paymentList,
  seatSum } from '../ui/table_view.js';
import { showOpenPayments } from './table.js';

const FEW_SEATS = 5; // rows of scores

export async function boardScreen({ game, home, isCurrent }) {
  const latest = keepLatestDeal();
  let isNew = false;
  const figures = buildElement(h('div', { hidden: true }));

  const draw = (state, fresh = false) => {
    const money = sessionMoneyWriter(state);
    showScreen({
      title: state.title || t('start.untitled'), backHref: home, headerEnd: syncStatus(),
      kind: 'board', fresh,
      main: [
        boardSeats(state, game, money, latest.deal),
        h('div', { class: 'board-side' },
          dealerLine(state),
          lastResult(state, latest.deal, isNew),
          h('div', { class: 'standings' }, isPointGame(state) ? boardScores(state, game, latest.deal)
            : game.hasBetStack && betStack(state, money), paymentList(state, money), figures,
            absentPlayers(state, money))),
      ],
    });
    isNew = false;
    showOpenPayments(figures, state, { home, isCurrent, offersReopening: false });
  };

  await latest.fetch(currentSession());
  if (!isCurrent()) return null;
  draw(currentSession(), true);
  return {
    update: async (state) => {
      if (!latest.isOf(state)) {
        const shownDeal = latest.deal;
        await latest.fetch(state);
        isNew = latest.deal?.number !== shownDeal?.number;
        if (isCurrent()) import('../features/speech.js').then((file) =>
          file.speakResult(latest.deal, shownDeal?.number)).catch(() => null);
      }
      if (isCurrent()) draw(currentSession());
    },
  };
}

/** The last deal's result stands beside every sum until the next deal is opened. */
function boardSeats(state, game, money, lastDeal) {
  const changes = lastDeal === null || isPointGame(state) ? new Map() : changeLines(lastDeal.postings);
  const seat = (id) => {
    const change = changes.get(`player:${id}`) ?? 0;
    return h('div', { class: `seat ${hueOfPlayer(state, id)}` },
      tokenOfPlayer(state, id),
      h('bdi', { class: 'name' }, playerName(id)),
      seatSum(state, id, money),
      change !== 0 && hiddenText(t('result.title', { number: lastDeal.number })),
      change !== 0 && h('span', { class: `score-change ${signClass(change)}` }, money.signed(change)),
      state.deal.dealer === id && dealerMark());
  };
  return felt({ seats: state.seats, seat, centre: game.centre(state, money), label: t('table.round') });
}

/** How far everybody is from the goal. With more rows than fit, the points stand at the seats. */
const boardScores = (state, game, lastDeal) => Object.keys(state.scores).length <= FEW_SEATS
  && scoreboard(state, game, state.deal.phase === 'waiting' ? lastDeal?.outcome?.points : {});

/** Whose turn it is to deal, or that the session is over. */
function dealerLine(state) {
  if (state.winner)
    return h('p', { class: 'dealer-line headline' }, t('points.has_won',
    { names: listNames(state.winner.map(sideNames)) }));
  if (state.status === 'closed') return h('p', { class: 'dealer-line headline' }, t('table.closed'));
  const { number, dealer, phase } = state.deal;
  const waits = phase === 'waiting';
  return h('p', { class: 'dealer-line' },
    h('span', { class: 'overline' }, t(waits ? 'board.next' : 'board.now', { number })),
    h('span', { class: `next-dealer ${hueOfPlayer(state, dealer)}` }, tokenOfPlayer(state, dealer),
      h('span', {}, t('board.deals', { name: playerName(dealer) }))));
}

function lastResult(state, lastDeal, isNew) {
  if (lastDeal === null || lastDeal.status === 'open') return null;
  // The key makes the result of each deal a new element, so that its animation runs each time.
  return h('p', { class: isNew ? 'text-panel arriving' : 'text-panel', 'aria-live': 'polite',
    'data-key': `result-${lastDeal.number}` },
    h('span', { class: 'overline' }, t('table.last', { number: lastDeal.number })),
    h('span', { class: 'sentence' }, lastDeal.outcome?.text ?? ''));
}
