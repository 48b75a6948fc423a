// Score kept on paper: sheets to print, and late entry, where an evening is typed line by line. Each line is
// read and forecast while it is typed, and recorded through the sync queue like any other deal. The sums on
// the paper are compared with those here.

import { sessionPath } from '../core/api_client.js';
import { roleInSession } from '../core/device_storage.js';
import { Problem } from '../core/request_errors.js';
import { forecastInWords } from '../core/session_forecast.js';
import { currentSession, loadForecast, playerName, sessionState } from '../core/session_store.js';
import { recordActions } from '../core/session_sync.js';
import { language, sessionMoneyWriter, t } from '../core/translator.js';
import { contestantOf, formatSignedPoints, isPointGame, parseSum, sessionResults,
  signClass } from '../domain/amounts.js';
import { dealOfWrite } from '../domain/deal.js';
import { dealerAfterMisdeal, recordMisdeal } from '../features/misdeal.js';
import { redrawSyncStatus, syncStatus } from '../features/sync_status.js';
import { openNextDeal } from '../forecast/forecast.js';
import { playerMarks } from '../games/late_entry.js';
import { buildElement, h, rowLink } from '../ui/elements.js';
import { fieldError } from '../ui/fields.js';
import { actionLink, announce, refillPart, showScreen, showWarning } from '../ui/page.js';
import { playerLabel, sideLabel, sideNames } from '../ui/player_tokens.js';

const PAPERS = ['a4', 'a5'];

export function paperScreen({ id, home }) {
  const mayEnter = currentSession().status === 'open' && roleInSession(id) !== 'viewer';
  const row = (...link) => h('li', { class: 'row download-row' }, rowLink(...link));
  showScreen({ title: t('menu.paper'), backHref: home, headerEnd: syncStatus(), fresh: true, main: [
    h('section', {}, h('h2', {}, t('paper.print')), h('ul', { class: 'rows' }, PAPERS.map((paper) =>
      row(sessionPath(id, `/score-sheet?paper=${paper}&lang=${language()}`), `sheet-${paper}`,
        t('paper.sheet', { paper: paper.toUpperCase() }),
        { note: t('paper.sheet.for'), target: '_blank', rel: 'noopener' })))),
    mayEnter && h('section', {}, h('h2', {}, t('paper.enter')), h('ul', { class: 'rows' },
      row(`${home}/late`, 'late', t('late.title'), { note: t('late.title.for') }))),
  ] });
  return { update: redrawSyncStatus };
}

// A misdeal as a line, the same in every game: the deal is opened and voided, with its stake, and who deals
// next is agreed (§7, A-PP-16).
const MISDEAL = '!';

// By session: what is typed while the page is open, with its elements, since the screen may be left while
// lines wait.
const lateEntries = new Map();

export async function lateEntryScreen({ id, game, home, isCurrent }) {
  const [readLine] = await Promise.all([game.lateLine(), loadForecast()]);
  if (!isCurrent()) return null;
  if (currentSession().status !== 'open') {
    location.replace(home);
    return null;
  }
  if (!lateEntries.has(id)) lateEntries.set(id, createLateEntry({ id, game, home, readLine }));
  return lateEntries.get(id)(isCurrent);
}

/** Returns the opener of the screen: `open(isCurrent)`, to call at each visit. */
function createLateEntry({ id, game, home, readLine }) {
  let isCurrent = null;
  let lines = []; // { number, line, outcome }
  let unqueuedNumber = null; // the number of the deal that the queue does not hold yet
  const linesAhead = []; // completed while the deal before them had no forecast yet
  let isUnread = false; // the text in the field is not read yet, for the same reason

  const label = buildElement(h('span', {}));
  const input = buildElement(h('input', {
    type: 'text', class: 'late-line', autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false',
    enterkeyhint: 'done', 'data-key': 'line', 'data-pointer': '/line', 'aria-describedby': 'late-reading',
    oninput: () => { fieldError(form); showReading(); },
  }));
  const reading = buildElement(h('p', { class: 'late-reading', id: 'late-reading' }));
  const button = buildElement(
    h('button', { type: 'submit', class: 'button primary', 'data-key': 'enter-line' }));
  const form = buildElement(h('form', { class: 'stacked-form', novalidate: true,
    onsubmit: (event) => { event.preventDefault(); enterLine(); } },
  h('label', { class: 'field' }, label, input), reading, button));
  const blocked = buildElement(h('div', {}));
  const list = buildElement(h('div', {}));
  const sums = sumFields({});

  /** Reads a line: returns `record(number)` and the forecast `deal`, or the `reason` why it is unreadable. */
  function readTyped(line) {
    const state = currentSession();
    if (openNextDeal(state) === null) return { reason: t('late.unread.cannot_open') };
    if (line.trim() === MISDEAL) {
      const text = t('late.misdeal', { name: playerName(dealerAfterMisdeal(state)) });
      return { record: (number) => recordMisdeal(id, openingOf(number)), deal: { outcome: { text }, state } };
    }
    const { actions, code, values } = readLine(line, state);
    if (actions === null) return { reason: t(`late.unread.${code}`, values) };
    const deal = forecastInWords(state, [{ type: 'open_deal', number: state.deal.number }, ...actions]);
    if (deal === null) return { reason: t('late.unread.against_rules') };
    return { record: (number) => recordDeal(number, actions), deal };
  }

  const openingOf = (number) => ({ type: 'open_deal', number, late_entry: true });
  const recordDeal = (number, actions) =>
    recordActions([openingOf(number), ...actions], { number, base: 0, taps: actions });

  function showReading() {
    isUnread = mustWait();
    if (isUnread || input.value.trim() === '') { refillPart(reading); return; }
    const { reason, deal } = readTyped(input.value);
    refillPart(reading, deal ? [deal.outcome.text, ' ', changesOf(currentSession(), deal.state, game)]
      : h('span', { class: 'muted' }, reason));
  }

  function enterLine() {
    const line = input.value.trim();
    if (line === '') return;
    input.value = '';
    fieldError(form);
    refillPart(reading);
    if (mustWait()) linesAhead.push(line);
    else recordLine(line);
  }

  /** Whether the state before the next deal is not known yet. */
  const mustWait = () => unqueuedNumber !== null || !sessionState().isForecastComplete;

  async function recordLine(line) {
    const { reason, record, deal } = readTyped(line);
    if (!deal) {
      input.value = [line, ...linesAhead.splice(0), input.value].filter(Boolean).join(' ');
      fieldError(form, '/line', reason);
      return;
    }
    const { number } = currentSession().deal;
    const entry = { number, line, outcome: deal.outcome.text };
    unqueuedNumber = number;
    lines.push(entry);
    announce(deal.outcome.text);
    try {
      await record(number);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      lines = lines.filter((listed) => listed !== entry);
      input.value = [line, ...linesAhead.splice(0), input.value].filter(Boolean).join(' ');
      showWarning(error.message);
    }
    if (unqueuedNumber === number) unqueuedNumber = null;
    if (isCurrent()) show();
  }

  function show() {
    const state = currentSession();
    if (unqueuedNumber !== null && state.deal.number !== unqueuedNumber) unqueuedNumber = null;
    if (!mustWait()) lines = lines.filter(({ number }) => number < state.deal.number); // not taken back
    const isBlocked = (state.deal.phase !== 'waiting' && unqueuedNumber === null) || state.winner !== null;
    form.hidden = isBlocked;
    refillPart(blocked, (isBlocked || !sessionState().isForecastComplete) && h('p', { class: 'banner' },
      state.winner ? t('late.won') : t('late.open_deal', { number: state.deal.number })));
    refillPart(label, t('late.line', { number: state.deal.number, name: playerName(state.deal.dealer) }));
    refillPart(list, lines.length > 0 && [h('h2', {}, t('late.lines')),
      h('ol', { class: 'rows', reversed: true }, lines.toReversed().map((entry) => lineRow(entry, home)))]);
    sums.show(state);
    redrawSyncStatus();
    if (mustWait() || isBlocked) return;
    if (linesAhead.length > 0) recordLine(linesAhead.shift());
    else if (isUnread) showReading();
  }

  return (isScreenCurrent) => {
    isCurrent = isScreenCurrent;
    const { session: { deal }, waiting } = sessionState();
    // what was to be recorded under it may have been taken back
    if (deal.phase === 'waiting' && !waiting.some((write) => dealOfWrite(write) === unqueuedNumber))
      unqueuedNumber = null;
    refillPart(button, t('late.enter'));
    showScreen({ title: t('late.title'), backHref: `${home}/paper`, headerEnd: syncStatus(), fresh: true,
      main: [keyLegend(currentSession()), blocked, form,
        h('ul', { class: 'late-how' }, t(`late.how.${game.key}`, exampleMarks()).split('\n')
          .map((rule) => h('li', {}, rule))), list, sums.node,
        h('p', { class: 'muted' }, t('late.limits'))],
      bar: [actionLink('table', t('record.to_table'), home)] });
    show();
    showReading();
    if (!form.hidden) input.focus({ preventScroll: true });
    return { update: () => { if (isScreenCurrent()) show(); } };
  };
}

/** The marks of four seats, for examples of a line; the last one again where fewer sit. */
const exampleMarks = () => {
  const marks = [...playerMarks(currentSession()).values()];
  return Object.fromEntries([...'abcd'].map((letter, place) => [letter, marks[place] ?? marks.at(-1)]));
};

/** The mark of each player, as on the printed sheet. */
const keyLegend = (state) => {
  const marks = playerMarks(state);
  return h('ul', { class: 'late-keys', 'aria-label': t('late.keys') }, state.seats.map((player) =>
    h('li', {}, h('kbd', {}, marks.get(player)), ' ', playerLabel(state, player))));
};

const lineRow = ({ number, line, outcome }, home) => h('li', { class: 'row' },
  h('span', { class: 'row-name' }, t('result.title', { number }), h('code', {}, line),
    h('span', { class: 'muted row-note' }, outcome)),
  h('a', { class: 'button', href: `${home}/correct/${number}`, 'data-key': `fix-${number}`,
    'aria-label': [t('late.correct'), number].join(': ') }, t('late.correct')));

/** The change that a deal makes for each player or side, in money or points. */
function changesOf(before, after, game) {
  const contestants = contestantsOf(before);
  const { start, goal } = isPointGame(before) ? game.course(before) : {};
  const money = sessionMoneyWriter(before);
  return h('span', { class: 'late-changes' }, contestants.map((contestant) => {
    const change = contestantSum(after, contestant) - contestantSum(before, contestant);
    return h('span', { class: signClass(goal < start ? -change : change) }, sideNames(contestant), ' ',
      isPointGame(before) ? formatSignedPoints(change) : money.bare(change) || '0');
  }));
}

/** The ids that have a sum: players, or sides of partners. */
const contestantsOf = (state) => Object.keys(isPointGame(state) ? state.scores : sessionResults(state));

const contestantSum = (state, contestant) => (isPointGame(state)
  ? state.scores[contestantOf(state, contestant.split('+')[0])]
  : sessionResults(state)[contestant]);

/** A field for each sum on the paper, compared with the sum here. `typed`: the texts, by player or side. */
function sumFields(typed) {
  const node = buildElement(h('section', {}));
  const row = (state, contestant) => h('li', { class: 'row' },
    h('label', { class: 'late-sum' }, sideLabel(state, contestant),
      h('input', { type: 'text', inputmode: 'text', autocomplete: 'off', 'data-key': `sum-${contestant}`,
        value: typed[contestant] ?? '',
        oninput: (event) => { typed[contestant] = event.target.value; show(state); } })),
    h('span', { class: 'late-compared', role: 'status', 'data-sum': contestant },
      comparison(state, contestant)));

  function comparison(state, contestant) {
    if (!typed[contestant]?.trim()) return '';
    const onPaper = parseSum(typed[contestant], isPointGame(state) ? 'chips' : state.currency);
    if (onPaper === null) return t('late.sum_unread');
    const difference = contestantSum(state, contestant) - onPaper;
    const money = sessionMoneyWriter(state, [difference]);
    const write = isPointGame(state) ? formatSignedPoints : money.signed;
    return difference === 0 ? t('late.sum_equal')
      : h('b', { class: 'minus' }, t('late.sum_differs',
        { here: write(contestantSum(state, contestant)), difference: write(difference) }));
  }

  function show(state) {
    refillPart(node, h('h2', {}, t('late.sums')), h('p', { class: 'muted' }, t('late.sums.what')),
      h('ul', { class: 'rows' }, contestantsOf(state).map((contestant) => row(state, contestant))));
  }
  return { node, show };
}
