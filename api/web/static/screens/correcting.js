// A deal was played differently, or should not count: the recorded actions are changed row by row, or
// recorded again from the beginning, and sent once with a reason. Until then the changes stay on this device.

import { getAllItems } from '../core/api_client.js';
import { correctionBasis, correctionDraftKey, readItem, saveTaps,
  writeItem } from '../core/device_storage.js';
import { Problem } from '../core/request_errors.js';
import { currentSession, sessionState } from '../core/session_store.js';
import { fetchDeal, refreshSession, writeToSession } from '../core/session_sync.js';
import { t } from '../core/translator.js';
import { isPointGame } from '../domain/amounts.js';
import { playedActions } from '../domain/deal.js';
import { actionRows, withAnotherTrick } from '../features/correcting/action_rows.js';
import { askAboutLaterDeals, confirmReplacement, confirmVoid,
  reasonField } from '../features/correcting/deal_changes.js';
import { syncStatus, tableLink, unsentNote } from '../features/sync_status.js';
import { h } from '../ui/elements.js';
import { actionButton, actionLink, announce, leaveForm, showScreen, showWarning } from '../ui/page.js';
import { mayCorrect } from './result.js';

export async function correctingScreen({ game, home, argument, isCurrent }) {
  const number = Number.parseInt(argument, 10);
  const { id } = currentSession();
  const address = `${home}/correct/${number}`;
  const dealAddress = `${home}/deal/${number}`;
  let record = await fetchDeal(number);
  // Fetched with the page, so that it can be shown without a network later.
  const deals = await getAllItems(id, 'deals');
  if (!isCurrent()) return null;
  if (!mayCorrect(currentSession(), record)) { location.replace(dealAddress); return null; }

  const draftKey = correctionDraftKey(id);
  let basis = correctionBasis(record);
  const stored = readItem(draftKey);
  const view = { sending: false, wrong: null, actions: playedActions(record), reason: '' };
  if (stored?.number === number && stored.before === basis)
    Object.assign(view, { actions: stored.actions, reason: stored.reason });
  const keep = () =>
    saveTaps(draftKey, { number, before: basis, actions: view.actions, reason: view.reason });
  const state = () => stateBefore(currentSession(), game, record, deals);

  if (location.hash.endsWith('/anew')) {
    return game.recordAgain({ state: state(), game, backHref: address,
      onComplete: (actions) => { view.actions = actions; keep(); location.replace(address); } });
  }

  const draw = (fresh = false) => {
    const changed = JSON.stringify(view.actions) !== JSON.stringify(playedActions(record));
    const lengthened = withAnotherTrick(view.actions, game);
    const hasUnsentWrites = view.sending || sessionState().waiting.length > 0;
    showScreen({
      title: t('correct.title', { number }), backHref: dealAddress, headerEnd: syncStatus(),
      kind: 'correct', fresh,
      main: hasUnsentWrites ? [unsentNote(view.sending)] : [
        h('p', { class: 'sentence' }, record.outcome?.text ?? ''),
        h('p', { class: 'muted' }, t('correct.how')),
        actionLink('anew', t('correct.anew'), `${address}/anew`, { secondary: true, mark: 'pen' }),
        actionRows({ state: state(), game, actions: view.actions, change, wrong: view.wrong }),
        lengthened && actionButton('one-more', t('correct.one_more'), () => change(lengthened),
          { secondary: true, mark: 'plus' }),
        reasonField({ suggested: [t('correct.tapped'), t('correct.trick'), t('correct.remembered')],
          text: view.reason, changed: (text) => { view.reason = text; keep(); } }),
        actionButton('never', t('void.label'), () => voidDeal(''), { secondary: true, mark: 'cross' }),
      ],
      bar: hasUnsentWrites ? [tableLink(home, view.sending)] : [
        changed && actionButton('as-it-was', t('correct.as_it_was'), () => change(playedActions(record)),
          { mark: 'undo', narrow: true }),
        actionButton('correct', t('correct.send'), correct,
          { primary: true, disabled: !changed || view.actions.length === 0 }),
      ],
    });
  };

  function change(actions) {
    Object.assign(view, { actions, wrong: null });
    keep();
    draw();
  }

  const sendReplacement = (version, laterDeals) => send('PUT', `/deals/${number}`,
    { actions: view.actions, ...reasonAndLater(view.reason, laterDeals) }, version, correct,
    (newVersion) => sendReplacement(newVersion, 'void'));
  const sendVoid = (reason, version, laterDeals) =>
    send('DELETE', `/deals/${number}?${new URLSearchParams(reasonAndLater(reason, laterDeals))}`, undefined,
      version, () => voidDeal(reason), (newVersion) => sendVoid(reason, newVersion, 'void'));

  /** Shows what the correction changes before it is sent. */
  function correct() {
    confirmReplacement({ number, actions: view.actions, onConfirm: sendReplacement,
      onRefused: (error) => showCorrectionRefusal(error, view.actions,
        (newVersion) => sendReplacement(newVersion, 'void')) });
  }

  function voidDeal(text) {
    confirmVoid({ number, text, onConfirm: sendVoid,
      onRefused: (error, reason) => showCorrectionRefusal(error, null, (newVersion) =>
        sendVoid(reason, newVersion, 'void')) });
  }

  function showCorrectionRefusal(error, actions, voidLaterDeals) {
    if (!isCurrent()) return;
    if (!(error instanceof Problem)) throw error;
    const faultIndex = error.body.action;
    view.wrong = actions && Number.isInteger(faultIndex) && faultIndex >= 0
      ? { place: faultIndex, text: error.message } : null;
    draw();
    if (error.code === 'later_deals_break')
      askAboutLaterDeals({ number, actions, brokenDeals: error.body.deals, deals, voidLaterDeals,
      onRefused: (nextError) => showWarning(nextError.message) });
    else if (view.wrong === null) showWarning(error.message);
    else document.querySelector('.wrong')?.scrollIntoView({ block: 'center' });
  }

  /** Another device may have recorded a deal in between; while this one is unchanged, `retry` asks again. */
  async function send(method, rest, body, version, retry, voidLaterDeals) {
    view.sending = true;
    draw();
    try {
      await writeToSession(rest, body,
        { method, note: { correct: number, what: t('correct.title', { number }) },
        ...(version && { ifMatch: version }) });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await refreshSession();
      const newRecord = await fetchDeal(number).catch(() => record);
      if (!isCurrent()) return;
      view.sending = false;
      if (error.status === 412 && correctionBasis(newRecord) === basis) {
        draw();
        retry();
        return;
      }
      showCorrectionRefusal(error, body?.actions ?? null, voidLaterDeals);
      return;
    }
    writeItem(draftKey, null);
    if (!isCurrent()) return;
    announce(t('correct.done', { number }));
    leaveForm(dealAddress);
  }

  draw(true);
  return {
    async update() {
      if (view.sending) { draw(); return; }
      const newRecord = await fetchDeal(number).catch(() => record);
      if (!isCurrent() || view.sending || correctionBasis(newRecord) === basis) return;
      if (!mayCorrect(currentSession(), newRecord)) { location.replace(dealAddress); return; }
      record = newRecord;
      basis = correctionBasis(newRecord);
      Object.assign(view, { actions: playedActions(newRecord), wrong: null });
      writeItem(draftKey, null);
      showWarning(t('record.moved_on'));
      draw();
    },
  };
}

/** What is sent beside the actions; the server refuses an empty reason. */
const reasonAndLater = (reason, laterDeals) =>
  ({ ...(reason.trim() && { reason: reason.trim() }), ...(laterDeals && { later: laterDeals }) });

/**
 * The table when the deal was dealt: seats, dealer, the amount played for, and the scores after the deals
 * before it.
 */
function stateBefore(state, game, record, deals) {
  const { number, dealer, seats } = record;
  return {
    ...state, seats, winner: null, overtricks: null, amount_played_for: record.amount_played_for,
    scores: isPointGame(state) ? scoresBefore(state, game, deals, number) : state.scores,
    deal: { number, dealer, phase: 'waiting' }, legal_actions: [],
  };
}

function scoresBefore(state, game, deals, number) {
  const scores = Object.fromEntries(Object.keys(state.scores)
    .map((contestant) => [contestant, game.course(state).start]));
  for (const deal of deals) {
    if (deal.number >= number || deal.status !== 'closed') continue;
    const changes = Object.entries(deal.outcome?.points ?? {});
    for (const [contestant, points] of changes) scores[contestant] += points;
  }
  return scores;
}
