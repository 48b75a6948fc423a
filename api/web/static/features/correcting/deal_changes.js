// The changes of a deal: the effect of a correction, shown before it is made, with the dialogs that confirm
// it and the field for its reason; and each change that was made, before and after. The server calculates the
// effect; offline it is not known.

import { sendRequest, sessionPath } from '../../core/api_client.js';
import { Unreached } from '../../core/request_errors.js';
import { currentSession, playerName } from '../../core/session_store.js';
import { formatMoment, language, listNames, loadAllSentences, sessionMoneyWriter,
  t } from '../../core/translator.js';
import { formatSignedPoints } from '../../domain/amounts.js';
import { playedActions } from '../../domain/deal.js';
import { loadedGame } from '../../domain/games.js';
import { actionSentences, versionHalf, versionSentences } from '../../ui/action_sentences.js';
import { buildElement, h } from '../../ui/elements.js';
import { actionButton, openSheet, refillPart } from '../../ui/page.js';
import { playerLabel, sideLabel } from '../../ui/player_tokens.js';
import { postingLines } from '../../ui/table_view.js';

const QUOTATION_MARKS = { sv: '””', en: '“”', da: '»«', de: '„“' };
const FEW_ACTIONS = 8; // more sentences than this are folded

/** Text in the quotation marks of the user's language. */
export function quoteText(text) {
  const [openingMark, closingMark] = QUOTATION_MARKS[language()];
  return `${openingMark}${text}${closingMark}`;
}

/**
 * Every change of this deal, before and after side by side, the latest first; null for an unchanged deal. A
 * rescoring names the deal whose correction caused it.
 */
export function dealChanges(state, record, money) {
  const earlierRecords = record.before ?? [];
  if (earlierRecords.length === 0) return null;
  const steps = earlierRecords.map((earlierRecord, index) =>
    ({ earlierRecord, laterRecord: earlierRecords[index + 1] ?? record }));
  return h('section', { class: 'compare' }, h('h2', {}, t('compare.title')),
    steps.toReversed().map((step) => changeArticle(state, record, money, step)));
}

function changeArticle(state, record, money, { earlierRecord, laterRecord }) {
  const moment = formatMoment(earlierRecord.at);
  const isOwnCorrection = earlierRecord.corrected_deal === record.number;
  const isVoided = laterRecord === record && record.status === 'voided';
  const sentences = [earlierRecord, isVoided ? { actions: [] } : laterRecord]
    .map((version) => actionSentences(playedActions(version)));
  return h('article', { class: 'change' },
    h('p', { class: 'muted' }, isOwnCorrection
      ? t(isVoided ? 'compare.voided' : 'compare.corrected', { when: moment })
      : t('compare.rescored', { when: moment, number: earlierRecord.corrected_deal })),
    earlierRecord.reason && h('p', { class: 'sentence' }, quoteText(earlierRecord.reason)),
    h('div', { class: 'before-and-after' },
      changeHalf(state, money, earlierRecord, t('compare.before'), sentences[0], sentences[1]),
      changeHalf(state, money, laterRecord, t('compare.after'), sentences[1], sentences[0])));
}

function changeHalf(state, money, record, title, sentences, otherSentences) {
  const list = versionSentences(sentences, otherSentences);
  return versionHalf(title, h('p', { class: 'sentence' }, record.outcome?.text ?? ''),
    sentences.length > FEW_ACTIONS ? h('details', { class: 'disclosure' },
      h('summary', {}, t('compare.said', { count: sentences.length })), list) : list,
    record.postings.length > 0 ? postingLines(state, record, money, record.postings.length)
      : h('p', { class: 'muted' }, t('compare.nothing')));
}

/** `correction`: {actions, later}, without actions to void the deal. Resolves to null offline. */
async function fetchPreview(id, number, correction) {
  try {
    const path = sessionPath(id, `/deals/${number}/preview`);
    return (await sendRequest('POST', path, { body: correction })).body;
  } catch (error) {
    if (error instanceof Unreached) return null;
    throw error;
  }
}

/**
 * Fills `node` with what a correction would change. Resolves to the session version that the preview is
 * based on, or undefined offline, when `node` says so. Throws the server's Problem if the correction would
 * be refused.
 */
async function showEffect(node, state, number, correction) {
  await loadAllSentences();
  refillPart(node, h('p', { class: 'muted' }, t('effect.asking')));
  const preview = await fetchPreview(state.id, number, correction);
  refillPart(node,
    ...(preview ? effectChanges(state, preview) : [h('p', { class: 'banner' }, t('effect.unknown'))]));
  return preview?.version;
}

function effectChanges(state, preview) {
  const money = sessionMoneyWriter(state);
  const rows = preview.score_changes
    ? Object.entries(preview.score_changes).map(([contestant, points]) =>
      [sideLabel(state, contestant), formatSignedPoints(points), contestant])
    : Object.entries(preview.balance_changes).map(([id, amount]) =>
      [playerLabel(state, id), amount === 0 ? money.plain(0) : money.signed(amount), id]);
  const laterDeals = preview.rescored.filter((rescored) => rescored !== preview.deal);
  return [
    h('h3', {}, t('effect.title')),
    h('ul', { class: 'rows effect' }, rows.map(([label, change, key]) =>
      h('li', { class: 'row', 'data-changes': key }, label, h('b', { class: 'amount' }, change)))),
    preview.pot && preview.pot.before !== preview.pot.after && h('p', {},
      t('effect.pot', { before: money.plain(preview.pot.before), after: money.plain(preview.pot.after) })),
    preview.bets && loadedGame(state.game).hasBetStack && betsAfter(preview.bets, money),
    laterDeals.length > 0 && h('p', { class: 'muted' },
      t('effect.rescored', { count: laterDeals.length, numbers: listNames(laterDeals.map(String)) })),
  ];
}

function betsAfter({ before: stackBefore, after: stackAfter }, money) {
  const asText = (stack) =>
    JSON.stringify(stack.map(({ amount, by: owners, deal, paid }) => [amount, owners, deal, paid]));
  if (asText(stackBefore) === asText(stackAfter)) return h('p', { class: 'muted' }, t('effect.bets_same'));
  return h('div', { class: 'before-and-after' }, effectHalf(t('compare.before'), stackBefore, money),
    effectHalf(t('compare.after'), stackAfter, money));
}

const effectHalf = (title, stack, money) => versionHalf(title,
  stack.length === 0 ? h('p', { class: 'muted' }, t('table.no_bets'))
    : h('ol', { class: 'text-panel', 'aria-label': t('table.bets') }, stack.map(({ amount, by: owners }) => {
      const names = listNames(owners.map(playerName));
      return h('li', {}, t('effect.bet', { amount: money.plain(amount), names }));
    })));

const MAX_REASON_LENGTH = 200; // characters, as the server accepts them

/**
 * A text field for the reason of a change, with a button per suggested sentence. `changed(text)` runs at each
 * keystroke; `key` tells fields apart.
 */
export function reasonField({ suggested, text, changed, key = 'reason' }) {
  const fillIn = ({ currentTarget: button }, words) => {
    button.closest('fieldset').querySelector('input').value = words;
    changed(words);
  };
  return h('fieldset', { 'aria-label': t('correct.why') }, h('legend', {}, t('correct.why')),
    h('div', { class: 'chip-row reasons' }, suggested.map((words, index) => h('button', {
      type: 'button', class: 'chip', 'data-key': `${key}-${index}`,
      onclick: (event) => fillIn(event, words),
    }, words))),
    h('input', {
      type: 'text', value: text, maxlength: MAX_REASON_LENGTH, autocomplete: 'off', 'data-key': key,
      'aria-label': t('correct.reason'), placeholder: t('correct.reason'),
      oninput: (event) => changed(event.target.value),
    }));
}

/**
 * A sheet with the effect of a correction, which can be confirmed once the effect is shown. `above` and
 * `below` stand around it; `yes.onConfirm(version)` confirms; `onRefused(error)` runs if the server would
 * refuse the correction.
 */
function confirmCorrection(
  { title, number, correction, above = [], below = [], cancel, yes, onRefused }) {
  const effectNode = buildElement(h('div', { 'aria-live': 'polite' }));
  let version;
  const confirmButton = buildElement(actionButton(yes.key, yes.words,
    () => { dialog.close(); yes.onConfirm(version); }, { primary: true, disabled: true }));
  const dialog = openSheet(title, [
    ...above, effectNode, ...below,
    h('div', { class: 'button-pair' },
      actionButton(cancel.key, cancel.words, () => dialog.close()), confirmButton),
  ]);
  const allow = (newVersion) => { version = newVersion; confirmButton.disabled = false; };
  showEffect(effectNode, currentSession(), number, correction).then(allow, (error) => {
    if (!dialog.isConnected) return;
    dialog.close();
    onRefused(error);
  });
}

/** Confirms other actions for a deal. */
export const confirmReplacement = ({ number, actions, onConfirm, onRefused }) => confirmCorrection({
  title: t('correct.title', { number }), number, correction: { actions }, onRefused,
  cancel: { key: 'correct-back', words: t('page.back') },
  yes: { key: 'correct-sure', words: t('correct.send'), onConfirm },
});

/** Confirms that a deal never counted, and asks for the reason. */
export function confirmVoid({ number, text, onConfirm, onRefused }) {
  let reason = text;
  confirmCorrection({
    title: t('void.title', { number }), number, correction: {},
    onRefused: (error) => onRefused(error, reason),
    above: [h('p', {}, t('void.what'))],
    below: [reasonField({ suggested: [t('void.misdealt'), t('void.missing'), t('void.twice')], text,
      key: 'never-why', changed: (words) => { reason = words; } })],
    cancel: { key: 'never-back', words: t('void.back') },
    yes: { key: 'never-sure', words: t('void.send', { number }),
      onConfirm: (version) => onConfirm(reason, version) },
  });
}

/** Lists the later deals that a correction makes impossible, and asks whether to void them with it. */
export function askAboutLaterDeals({ number, actions, brokenDeals, deals, voidLaterDeals, onRefused }) {
  const count = brokenDeals.length;
  confirmCorrection({
    title: t('later_deals.title'), number, correction: { ...(actions && { actions }), later: 'void' },
    onRefused,
    above: [
      h('p', {}, t('later_deals.what', { count, number })),
      h('ol', { class: 'rows' },
        brokenDeals.map((brokenNumber) => h('li', { class: 'row' },
          h('span', { class: 'deal-number' }, brokenNumber),
          h('span', { class: 'row-name sentence' },
            deals.find((deal) => deal.number === brokenNumber)?.outcome?.text ?? '')))),
      h('p', { class: 'muted' }, t('later_deals.then', { count })),
    ],
    cancel: { key: 'later-back', words: t('page.back') },
    yes: { key: 'later-void', words: t('later_deals.let_go', { count }), onConfirm: voidLaterDeals },
  });
}
