// The result of a deal: one sentence, the standings, and the reasons. Undo is one tap away.

import { roleInSession } from '../core/device_storage.js';
import { currentSession, playerName, sessionState } from '../core/session_store.js';
import { fetchDeal, recordActions } from '../core/session_sync.js';
import { sessionMoneyWriter, t } from '../core/translator.js';
import { isPointGame, sessionResults, signClass } from '../domain/amounts.js';
import { lastDealNumber } from '../domain/deal.js';
import { listedDeal } from '../features/listed_deals.js';
import { syncStatus } from '../features/sync_status.js';
import { sessionUndoButton, undoOnce } from '../features/undo.js';
import { buildElement, h, hiddenText } from '../ui/elements.js';
import { actionButton, actionLink, announce, refillPart, showRefusal, showScreen } from '../ui/page.js';
import { declarersSentence, playerLabel, scoreboard, sideNames } from '../ui/player_tokens.js';
import { changeLines, postingLines } from '../ui/table_view.js';

export async function resultScreen({ game, home, argument, isCurrent }) {
  const number = Number.parseInt(argument, 10);
  const isJustRecorded = location.hash.endsWith('/now');
  let record = await fetchDeal(number).catch((error) => listedDeal(number, error));
  if (!isCurrent()) return null;
  // a reload must not play the animation again
  if (isJustRecorded) history.replaceState(null, '', `${home}/deal/${number}`);
  let seenLines = isJustRecorded ? 0 : record.postings.length;
  const writersLine = buildElement(h('p', { class: 'muted', hidden: true }));
  const showWriters = () => import('../features/access/access_rights.js')
    .then((file) => file.writerNote(writersLine, record)).catch(() => null);
  const comparison = buildElement(h('div', {}));
  const showComparison = () => record.before?.length > 0
    && import('../features/correcting/deal_changes.js').then((file) => {
    refillPart(comparison, file.dealChanges(currentSession(), record,
      sessionMoneyWriter(currentSession())));
  }).catch(() => null);
  const draw = (fresh) => {
    drawResult(currentSession(), record,
      { game, home, fresh, isJustRecorded, seenLines, writersLine, comparison });
    seenLines = record.postings.length;
  };
  draw(true);
  if (record.outcome?.text) announce(record.outcome.text);
  if (isJustRecorded)
    import('../features/speech.js').then((file) => file.speakResult(record)).catch(() => null);
  if (!record.provisional) showWriters();
  showComparison();
  return {
    update: async () => {
      const newRecord = isTakenBack(record) ? null : await fetchDeal(number).catch((error) =>
        (error.code === 'unknown_deal' ? null : record));
      if (!isCurrent()) return;
      if (newRecord === null) { location.hash = home; return; } // undone on another device, or in another tab
      record = newRecord;
      draw(false);
      if (!record.provisional) showWriters();
      showComparison();
    },
  };
}

/** Whether this deal has waited, and neither waits any more nor is recorded. */
function isTakenBack({ number, provisional }) {
  const { session, isForecastComplete, forecastDeals } = sessionState();
  return provisional && isForecastComplete && !forecastDeals.has(number) && number > lastDealNumber(session);
}

function drawResult(state, record,
  { game, home, fresh, isJustRecorded, seenLines, writersLine, comparison }) {
  const points = isPointGame(state);
  const money = sessionMoneyWriter(state);
  const isLast = record.number === lastDealNumber(state);
  const mayRecord = isLast && sessionState().isForecastComplete && state.status === 'open'
    && roleInSession(state.id) !== 'viewer';
  showScreen({
    title: t('result.title', { number: record.number }),
    backHref: isJustRecorded ? home : `${home}/deals`,
    headerEnd: syncStatus(),
    kind: 'result',
    fresh,
    main: [
      h('p', { class: 'verdict' }, record.outcome?.text ?? t('table.open_deal', { number: record.number })),
      record.provisional && h('p', { class: 'banner' }, t('offline.provisional')),
      record.before?.length > 0 && h('p', {}, correctionTag(record)),
      mayRecord && mergeButtons(state),
      h('section', {}, h('h2', {}, t(isLast ? 'result.standing' : 'result.standing_now')),
        points ? scoreboard(state, game, isLast ? record.outcome?.points : {})
        : standingsTable(state, record, money, isLast)),
      record.postings.length > 0
        && h('section', {}, h('h2', {}, t(points ? 'result.points' : 'result.money')),
        postingLines(state, record, money, seenLines)),
      resultFacts(record),
      record.findings?.length > 0 && h('section', {}, h('h2', {}, t('result.findings')),
        h('ul', { class: 'rows' }, record.findings.map(({ text }) => h('li', { class: 'row' }, text)))),
      comparison,
      writersLine,
      mayCorrect(state, record) && actionLink('correct', t('correct.label'),
        `${home}/correct/${record.number}`, { secondary: true, mark: 'pen' }),
    ],
    bar: mayRecord ? [
      sessionUndoButton(state, home),
      actionLink('table', t('result.table'), home),
      state.winner ? actionLink('winner', t('points.winner'), `${home}/winner`, { primary: true })
        : actionLink('record', t('result.title', { number: state.deal.number }), `${home}/record`,
          { primary: true }),
    ] : [actionLink('deals', t('menu.history'), `${home}/deals`),
    actionLink('table', t('result.table'), home, { primary: true })],
  });
}

/**
 * Whether a deal can be corrected: only a closed deal of an open session that still counts, and only once all
 * writes have been sent.
 */
export const mayCorrect = (state, deal) => state.status === 'open' && deal.status === 'closed'
  && roleInSession(state.id) !== 'viewer' && sessionState().waiting.length === 0;

/** The tag beside a deal that was voided, corrected or rescored; null for any other. */
export function correctionTag({ number, status, before: earlierRecords }) {
  if (status === 'voided') return h('span', { class: 'tag' }, t('deal_status.voided'));
  const lastRecord = earlierRecords?.at(-1);
  if (!lastRecord) return null;
  return h('span', { class: 'tag first' }, t(lastRecord.corrected_deal === number ? 'deal_status.corrected'
    : 'deal_status.rescored'));
}

const MANY_LINES = 5;

/** The recorded facts, for players to compare with their memory. */
function resultFacts({ actions, dealer, outcome }) {
  const words = [t('result.dealer', { name: playerName(dealer) })];
  for (const action of actions) {
    if (action.type === 'declare') {
      words.push(declarersSentence(action.players));
      if (action.trump) words.push(t('result.trump', { suit: t(`suit.${action.trump}`) }));
    }
    if (action.type === 'la_vola' || action.type === 'vole')
      words.push(t(`vola.says.${action.type}`, { name: playerName(action.player) }));
  }
  const tricks = (outcome?.tricks ?? []).map(playerName);
  // Four counts are easier to read than thirteen names in a row.
  if (outcome?.taken && tricks.length > MANY_LINES) tricks.length = 0;
  const counts = tricks.length === 0 ? Object.entries(outcome?.taken ?? {}) : [];
  if (counts.length > 0)
    words.push(t('conflict.tricks', {
      names: counts.map(([contestant, count]) => `${sideNames(contestant)} ${count}`).join(', '),
    }));
  if (tricks.length > 0) words.push(t('conflict.tricks', { names: tricks.join(', ') }));
  return h('p', { class: 'muted outcome-facts' }, words.join(' · '));
}

function standingsTable(state, record, money, isLast) {
  const changes = changeLines(record.postings);
  return h('ul', { class: 'rows' }, state.players.map(({ id }) => {
    const change = changes.get(`player:${id}`) ?? 0;
    return h('li', { class: 'row', 'data-player': id },
      playerLabel(state, id),
      isLast && change !== 0 && hiddenText(t('result.title', { number: record.number })),
      isLast && h('span', { class: `score-change ${signClass(change) || 'muted'}` },
        change === 0 ? '' : money.signed(change)),
      h('b', { class: 'amount', 'data-balance': sessionResults(state)[id] },
        money.signed(sessionResults(state)[id])));
  }));
}

// After two losing declarers the table may merge their bets or keep them apart, until the next deal.
function mergeButtons(state) {
  const offer = state.legal_actions.find((action) => action.type === 'merge');
  if (!offer) return null;
  const allowed = offer.fields?.together?.values ?? [true];
  const mayMerge = allowed.includes(true);
  const choose = (isTogether) => undoOnce(async () => {
    try {
      const label = t(isTogether ? 'merge.put' : 'merge.kept');
      await recordActions([{ type: 'merge', together: isTogether }], { what: label });
      announce(label);
    } catch (error) {
      await showRefusal(error);
    }
  });
  return h('section', { class: 'callout' }, h('p', {}, t(mayMerge ? 'merge.ask' : 'merge.ask_apart')),
    h('div', { class: 'button-pair' }, allowed.map((isTogether) =>
      actionButton(`merge-${isTogether}`, t(isTogether ? 'merge.together' : 'merge.apart'),
        () => choose(isTogether)))));
}
