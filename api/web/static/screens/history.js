// The deals of a session, latest first, with what happened in between as sentences; and the table as it stood
// after any of them.

import { getJson, sessionPath } from '../core/api_client.js';
import { roleInSession } from '../core/device_storage.js';
import { currentSession, keepLatest, playerName, sessionState } from '../core/session_store.js';
import { formatMoment, sessionMoneyWriter, t } from '../core/translator.js';
import { formatSignedPoints, isPointGame } from '../domain/amounts.js';
import { lastDealNumber } from '../domain/deal.js';
import { fetchWriters } from '../features/access/access_rights.js';
import { carriedForwardNote, fetchCarriedForward } from '../features/groups/carry_forward.js';
import { fetchDeals, listedDeals } from '../features/listed_deals.js';
import { isDenied } from '../features/proofs/sum_confirmation.js';
import { syncStatus } from '../features/sync_status.js';
import { buildElement, h, icon } from '../ui/elements.js';
import { eventSentence } from '../ui/event_sentences.js';
import { actionButton, announce, iconButton, refillPart, showScreen, showWarning } from '../ui/page.js';
import { scoreboard, sideTokens, tokenOfPlayer } from '../ui/player_tokens.js';
import { absentPlayers, betStack, changeLines, tableRound } from '../ui/table_view.js';
import { correctionTag, mayCorrect } from './result.js';
import { showOpenPayments } from './table.js';

export async function historyScreen({ id, game, home, isCurrent }) {
  const loadDeals = keepLatest(fetchDeals);
  const carriedFrom = currentSession().carried_from ?? null;
  let [deals, carriedForward] = [null, null];
  const load = async () => {
    [deals, carriedForward] = await Promise.all([loadDeals(),
      carriedForward ?? (carriedFrom && fetchCarriedForward(id))]);
  };
  await load().catch(async (error) => { deals = await listedDeals(error); });
  if (!isCurrent()) return null;
  let writersOf = () => '';
  const showWriters = () => fetchWriters(deals).then((newWriters) => {
    writersOf = newWriters;
    if (isCurrent()) fill();
  }, () => null);
  const list = buildElement(h('div', {}));
  const timelinePart = timeline({ id, game, isCurrent, onMove: (isPast) => { list.hidden = isPast; } });
  const fill = () => {
    const state = currentSession();
    const shownDeals = withForecast(deals);
    refillPart(list, shownDeals.length < lastDealNumber(state) && !sessionState().isReached
      && h('p', { class: 'banner', 'data-key': 'known-deals' }, t('history.known')),
      shownDeals.length === 0 && (sessionState().isReached || lastDealNumber(state) === 0)
        && h('p', { class: 'empty' }, t('history.empty')),
      (shownDeals.length > 0 || carriedForward) && h('ol', { class: 'rows', reversed: true },
        shownDeals.toReversed().map((deal) => dealLine(state, game, deal, home, writersOf(deal))),
        carriedForward && carriedForwardNote(state, carriedForward)));
  };
  const draw = (fresh) => {
    fill();
    showScreen({ title: t('menu.history'), backHref: home, headerEnd: syncStatus(), fresh,
      main: [currentSession().status === 'closed' && isDenied(id) && deniedNote(id),
        deals.length > 0 && sessionState().isReached && timelinePart.node, list] });
  };
  draw(true);
  showWriters();
  return {
    update: async (state) => {
      timelinePart.grow(state.version);
      const earlierDeals = deals;
      await load().catch(() => null);
      if (!isCurrent()) return;
      if (deals !== earlierDeals) showWriters();
      if (timelinePart.isPast()) fill(); // redrawing the page would take the slider out of the hand
      else draw(false);
    },
  };
}

/** The deals, with those that wait on this device, oldest first. */
function withForecast(deals) {
  const { forecastDeals } = sessionState();
  return [...deals.filter(({ number }) => !forecastDeals.has(number)), ...forecastDeals.values()]
    .toSorted((deal, nextDeal) => deal.number - nextDeal.number);
}

/** What to do about sums that the holder of this device has called wrong. */
function deniedNote(id) {
  const isHost = roleInSession(id) === 'host';
  return h('p', { class: 'banner', 'data-key': 'sums-denied' },
    t(isHost ? 'sums.denied_host' : 'sums.denied'));
}

/** The player who won and how: the token, and the sum or the points. */
function wonBy(state, game, { outcome, postings }) {
  const changes = Object.entries(outcome?.points ?? {});
  if (changes.length > 0) {
    const { start, goal } = game.course(state);
    const direction = goal > start ? 1 : -1;
    const [contestant, points] =
      changes.reduce((best, entry) => (direction * entry[1] > direction * best[1] ? entry : best));
    return h('span', { class: 'trick-takers' }, sideTokens(state, contestant),
      h('b', { class: 'amount' }, formatSignedPoints(points)));
  }
  if (!outcome?.winner) return null;
  const sum = changeLines(postings).get(`player:${outcome.winner}`) ?? 0;
  return h('span', { class: 'trick-takers' }, tokenOfPlayer(state, outcome.winner),
    h('b', { class: 'amount' }, sessionMoneyWriter(state, [sum]).signed(sum)));
}

function dealLine(state, game, deal, home, writers) {
  return h('li', { class: 'row' },
    h('a', { class: 'row-link deal-link', href: `${home}/deal/${deal.number}`,
      'data-key': `deal-${deal.number}` },
      h('span', { class: 'deal-number' }, deal.number),
      h('span', { class: 'row-name' },
        h('span', { class: 'sentence' }, deal.outcome?.text ?? t('table.open_deal', { number: deal.number })),
        h('span', { class: 'muted row-note' },
          [t('result.dealer', { name: playerName(deal.dealer) }), writers].filter(Boolean).join(' · '), ' ',
          correctionTag(deal), deal.provisional && h('span', { class: 'tag' }, t('offline.waits')),
          deal.actions?.[0]?.late_entry && h('span', { class: 'tag' }, t('late.tag')))),
      wonBy(state, game, deal)),
    mayCorrect(state, deal)
      && h('a', { class: 'icon-button', href: `${home}/correct/${deal.number}`,
        'data-key': `correct-${deal.number}`,
      'aria-label': t('correct.title', { number: deal.number }) }, icon('pen')));
}

// Back in time: the table after any event of the session, and what happened in that event. It only shows;
// leaving it returns to the present.
const TIMELINE_PAGE = 1_000; // events in one request

/** Calls `onMove(isPast)` when it leaves the present or comes back to it. */
function timeline({ id, game, isCurrent, onMove }) {
  let lastVersion = currentSession().version;
  let shownVersion = lastVersion;
  let drawnVersion = null; // the version whose table is drawn; null for the present
  let events = [];
  const tables = new Map();

  const slider = buildElement(h('input', {
    type: 'range', min: 1, max: lastVersion, value: lastVersion, class: 'slider', 'data-key': 'slider',
    'aria-label': t('timeline.slider'), oninput: () => go(Number(slider.value)),
  }));
  slider.value = lastVersion; // set after `max`, or the browser would limit it
  const earlierButton = buildElement(iconButton('earlier', 'minus', t('timeline.earlier'),
    () => go(shownVersion - 1)));
  const laterButton = buildElement(iconButton('later', 'plus', t('timeline.later'),
    () => go(shownVersion + 1)));
  const timeLine = buildElement(h('p', { class: 'muted' }));
  const sentence = buildElement(h('p', { class: 'sentence past-outcome' }));
  const tableView = buildElement(h('div', { class: 'past-state', hidden: true }));
  const node = buildElement(h('section', { class: 'timeline' }, h('h2', {}, t('timeline.title')),
    h('div', { class: 'steps' }, earlierButton, slider, laterButton), timeLine, sentence, tableView));

  const placeText = () => t('timeline.place', { place: shownVersion, all: lastVersion });

  async function go(version) {
    const previousVersion = shownVersion;
    shownVersion = Math.min(lastVersion, Math.max(1, version));
    slider.value = shownVersion;
    slider.setAttribute('aria-valuetext', placeText());
    const isPast = shownVersion !== lastVersion;
    if ((previousVersion !== lastVersion) !== isPast) onMove(isPast);
    if (!isPast) { showPresent(); return; }
    const requestedVersion = shownVersion;
    const [, pastState] = await Promise.all([describeVersion(requestedVersion), tableAt(requestedVersion)])
      .catch(() => []);
    if (!isCurrent() || requestedVersion !== shownVersion) return;
    if (pastState) draw(pastState);
    else {
      showWarning(t('queue.offline'));
      go(drawnVersion ?? lastVersion); // back to what is on the screen, which needs no request
    }
  }

  /** All sentences so far, fetched on the first step back. */
  async function describeVersion(version) {
    while (events.length < version) {
      const { events: nextEvents } =
        await getJson(sessionPath(id, `/events?after=${events.length}&limit=${TIMELINE_PAGE}`));
      if (nextEvents.length === 0) return;
      // Versions have no holes, but two steps in a row may both have asked.
      events = [...events, ...nextEvents.filter((event) => event.version > events.length)];
    }
  }

  async function tableAt(version) {
    if (!tables.has(version)) tables.set(version, await getJson(sessionPath(id, `?at=${version}`)));
    return tables.get(version);
  }

  function draw(pastState) {
    drawnVersion = shownVersion;
    const event = events[shownVersion - 1];
    const money = sessionMoneyWriter(pastState);
    const words = event ? eventSentence(event, money, pastState.deal.tricks?.length) : '';
    timeLine.textContent = [event && formatMoment(event.at), pastState.deal.phase !== 'waiting'
      && t('result.title', { number: pastState.deal.number }),
      placeText()].filter(Boolean).join(' · ');
    sentence.textContent = words;
    announce(words);
    const figures = buildElement(h('div', {})); // filled in later
    showOpenPayments(figures, pastState,
      { isCurrent, offersReopening: false, stateToShow: () => pastState });
    tableView.hidden = false;
    refillPart(tableView,
      h('p', { class: 'banner' }, t('timeline.stood')),
      tableRound(pastState, game, money), absentPlayers(pastState, money), figures,
      game.hasBetStack && betStack(pastState, money), isPointGame(pastState) && scoreboard(pastState, game),
      actionButton('now', t('timeline.now'), () => { go(lastVersion); slider.focus(); },
        { primary: true }));
    disableEnds(shownVersion <= 1, false);
  }

  /** Disables the button that leads nowhere; a button that loses its use gives the focus to the slider. */
  function disableEnds(isFirst, isPresent) {
    if ((isFirst && earlierButton === document.activeElement)
      || (isPresent && laterButton === document.activeElement))
      slider.focus();
    [earlierButton.disabled, laterButton.disabled] = [isFirst, isPresent];
  }

  function showPresent() {
    drawnVersion = null;
    tableView.hidden = true;
    refillPart(tableView);
    timeLine.textContent = t('timeline.is_now');
    sentence.textContent = '';
    slider.setAttribute('aria-valuetext', t('timeline.is_now'));
    disableEnds(shownVersion <= 1, true);
  }

  showPresent();
  return {
    node,
    isPast: () => shownVersion !== lastVersion,
    /** The session went on: the end of the line moves, the version that is shown stays. */
    grow(version) {
      const isPresent = shownVersion === lastVersion;
      lastVersion = version;
      slider.max = version;
      if (isPresent) { shownVersion = lastVersion; slider.value = lastVersion; }
    },
  };
}
