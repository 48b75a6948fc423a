// The table: seats and standings, the pot, the stack of bets, and the next deal.

import { dealDraft, roleInSession } from '../core/device_storage.js';
import { currentSession, sessionState } from '../core/session_store.js';
import { refusedWrite } from '../core/sync_queue.js';
import { sessionMoneyWriter, t } from '../core/translator.js';
import { isPointGame } from '../domain/amounts.js';
import { termsOf } from '../domain/games.js';
import { syncStatus } from '../features/sync_status.js';
import { sessionUndoButton } from '../features/undo.js';
import { buildElement, h } from '../ui/elements.js';
import { actionButton, actionLink, hint, onceLoaded, showScreen } from '../ui/page.js';
import { scoreboard } from '../ui/player_tokens.js';
import { absentPlayers, arePaymentsSettled, betStack, keepLatestDeal, paymentList,
  tableRound } from '../ui/table_view.js';

export async function tableScreen({ id, game, home, isCurrent }) {
  const latest = keepLatestDeal();
  const figures = buildElement(h('div', { hidden: true }));
  // Notes about access, filled in later.
  const accessNotes = buildElement(h('div', { hidden: true }));
  const sumsCard = buildElement(h('div', { hidden: true }));

  const draw = (state, fresh = false) => {
    const money = sessionMoneyWriter(state);
    showScreen({
      title: state.title || t('start.untitled'),
      backHref: '#/',
      headerEnd: syncStatus(),
      kind: 'table',
      fresh,
      main: [
        tableRound(state, game, money),
        absentPlayers(state, money),
        state.status === 'closed' && h('p', { class: 'banner' }, t('table.closed'),
          state.carried_to && [' ', t('table.carried')]),
        state.status === 'closed' && sumsCard,
        unsentBanner(),
        figures,
        (state.status === 'open' || roleInSession(id) === 'host') && accessNotes,
        lastDealLine(state, latest.deal, home),
        !arePaymentsSettled(state) && paymentList(state, money),
        game.hasBetStack && betStack(state, money),
        arePaymentsSettled(state) && h('details', { class: 'disclosure' },
          h('summary', { 'data-key': 'booked' }, t(`vola.settled.${termsOf(state).call}`)),
          paymentList(state, money)),
        isPointGame(state) && pointsSection(state, game, latest.deal),
      ],
      bar: tableBar(state, home),
    });
    showOpenPayments(figures, state, { home, isCurrent });
    if (state.status === 'closed') import('../features/proofs/confirmation_card.js').then((file) =>
      file.drawConfirmation(sumsCard, { id, isCurrent })).catch(() => null);
  };

  await latest.fetch(currentSession());
  if (!isCurrent()) return null;
  draw(currentSession(), true);
  import('../features/access/devices.js').then((file) =>
    file.fillAccessNotes(accessNotes, { id, home, isCurrent })).catch(() => null);
  return {
    update: async (state) => {
      draw(state);
      if (latest.isOf(state)) return;
      const shownDeal = latest.deal;
      await latest.fetch(state);
      if (!isCurrent()) return;
      draw(currentSession());
      import('../features/speech.js').then((file) => file.speakResult(latest.deal, shownDeal?.number))
        .catch(() => null);
    },
  };
}

/** Whether something is still to pay, so that results and balances differ. */
const hasOpenPayments = ({ status, results, balances }) => status === 'closed'
  || Object.keys(results ?? {}).some((id) => results[id] !== balances[id]);

/** Shows what is still to pay where that differs from the results. `options`: as of `fillBalances`. */
export function showOpenPayments(node, state, options) {
  node.hidden = !hasOpenPayments(state);
  if (!node.hidden) import('../features/settling/balances.js').then((file) =>
    file.fillBalances(node, options)).catch(() => null);
}

function unsentBanner() {
  const { id, waiting } = sessionState();
  const isAsked = refusedWrite(id) !== null;
  return waiting.length > 0 && h('p', { class: 'banner' },
    t(isAsked ? 'queue.asks' : 'queue.kept', { count: waiting.length }));
}

function lastDealLine(state, lastDeal, home) {
  const points = isPointGame(state);
  if (lastDeal === null) return state.deal.number < 2 && state.status === 'open'
    && h('p', { class: 'last-deal muted' }, t(points ? 'table.first_of_points' : 'table.first'));
  const text = lastDeal.outcome?.text ?? t('table.open_deal', { number: lastDeal.number });
  return h('a', { class: 'last-deal', href: `${home}/deal/${lastDeal.number}`, 'data-key': 'last' },
    h('span', { class: 'overline' }, t('table.last', { number: lastDeal.number })),
    h('span', { class: 'sentence' }, text));
}

/** The score sheet with the points of the last deal. */
function pointsSection(state, game, lastDeal) {
  return h('section', {}, h('h2', {}, t('points.sheet'), hint(game.hints.score)),
    scoreboard(state, game, state.deal.phase === 'waiting' ? lastDeal?.outcome?.points : {}));
}

function tableBar(state, home) {
  const openMenu = () => onceLoaded(import('./menu.js'), (file) => file.openMenu(state, home));
  return [state.status !== 'closed' && sessionUndoButton(state, home),
    h('div', { class: 'bar-group' }, nextStepLink(state, home),
      actionButton('menu', '', openMenu, { mark: 'menu', name: t('menu.title') }))];
}

/** Recording the next deal, or what remains to be done; false where this device may not record. */
function nextStepLink(state, home) {
  if (state.status === 'closed') return state.balances === null
    ? actionLink('deals', t('menu.history'), `${home}/deals`, { primary: true })
    : actionLink('settle', t('menu.settle'), `${home}/settlement`, { primary: true });
  if (state.winner) return actionLink('winner', t('points.winner'), `${home}/winner`, { primary: true });
  const isBegun = state.deal.phase !== 'waiting' || dealDraft(state.id)?.number === state.deal.number;
  return sessionState().isForecastComplete && roleInSession(state.id) !== 'viewer' && actionLink('record',
    t(isBegun ? 'table.go_on' : 'table.record', { number: state.deal.number }), `${home}/record`,
    { primary: true });
}
