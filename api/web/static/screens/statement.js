// Statements to download, of a session or of a group: for whom, for which period, in which file format; and
// how to verify them without Vola. A file is downloaded piece by piece, so that a long one shows its
// progress, can be stopped, and is known to be complete.

import { getJson, requestFile, sessionPath } from '../core/api_client.js';
import { Problem } from '../core/request_errors.js';
import { currentSession } from '../core/session_store.js';
import { language, t } from '../core/translator.js';
import { isPointGame } from '../domain/amounts.js';
import { groupPath } from '../features/groups/group_client.js';
import { chosenCurrency, timeZoneQuery, currencyChoice, dayFields, isBackwards, isWithin,
  usedCurrencies } from '../features/groups/period.js';
import { redrawSyncStatus, syncStatus } from '../features/sync_status.js';
import { buildElement, h, icon, rowLink } from '../ui/elements.js';
import { fieldError, fieldset, pillGroup } from '../ui/fields.js';
import { announce, iconButton, refillPart, showScreen, showWarning } from '../ui/page.js';
import { memberLabel, playerLabel } from '../ui/player_tokens.js';
import { saveFile } from '../ui/share_controls.js';

/** The formats, the most used first; `html` opens as a page. */
const FORMATS = ['html', 'pdf', 'xlsx', 'excel', 'csv', 'hledger', 'json'];
const LINE_FORMATS = new Set(['csv', 'excel', 'hledger']);
const STATEMENT_FIELDS = { excel: { format: 'csv', profile: 'excel' } };

const defaultChoice = () => ({ whose: null, from: '', to: '' });

/**
 * Edits `choice`: {whose, from, to}, with an id or null for everyone, and dates or ''. `people()` lists
 * [id, label] of each person. `extraFields(changed)` returns further fields, again for every period, and
 * `extraQuery()` their query parameters. `addressOf(rest)` makes an address, `fileNameOf(ending)` a file name
 * in case the server gives none, `checks()` the content of the last section.
 */
function statementForm(choice,
  { everyoneLabel, people, extraFields, extraQuery, addressOf, fileNameOf, checks }) {
  const formatList = buildElement(h('ul', { class: 'rows' }));
  const extraPart = buildElement(h('div', {}));
  const node = buildElement(h('div', { class: 'statement-choices' }));

  const address = (format) => addressOf(`/statement?${new URLSearchParams({
    format, ...STATEMENT_FIELDS[format], lang: language(), ...timeZoneQuery(), ...extraQuery(),
    ...(choice.from && { from: choice.from }), ...(choice.to && { to: choice.to }),
  })}`);
  const line = (format) => (format === 'html' ? previewRow : downloadRow)({
    key: format, title: t(`format.${format}`), what: t(`format.${format}.for`),
    lines: LINE_FORMATS.has(format), fallback: () => fileNameOf(`.${format}`),
    address: format === 'html' ? address(format) : () => address(format),
  });

  /** Puts the choices into the addresses, or complains about a period that ends before it begins. */
  function changed() {
    fieldError(node);
    if (isBackwards(choice)) complain();
    formatList.hidden = isBackwards(choice);
    formatList.querySelector('[data-key=take-html]').href = address('html');
  }
  const complain = () => {
    const focused = document.activeElement;
    fieldError(node, 'to', t('statement.backwards'));
    focused?.focus({ preventScroll: true });
  };

  function periodChanged() {
    const fields = extraFields(changed);
    extraPart.hidden = !fields;
    refillPart(extraPart, fields);
    changed();
  }

  function draw() {
    refillPart(formatList, FORMATS.map(line));
    refillPart(node,
      fieldset(t('statement.whose'), null, pillGroup('whose', [[null, everyoneLabel], ...people()],
        choice.whose, (id) => { choice.whose = id; changed(); })),
      fieldset(t('statement.period'), null, dayFields(choice, periodChanged),
        h('small', { class: 'muted' }, t('statement.empty'))),
      extraPart,
      h('section', {}, h('h2', {}, t('statement.form')), formatList),
      h('section', {}, h('h2', {}, t('check.title')), checks()));
    periodChanged();
  }

  return { node, draw };
}

/** A link to the page that verifies downloaded files, after `extraRows`. */
const verifyPageLink = (...extraRows) => h('ul', { class: 'rows' }, extraRows,
  previewRow({ key: 'verify', title: t('check.page'), what: t('check.page.for'),
    address: `/verify?lang=${language()}` }));

export function statementScreen({ id, home }) {
  const choice = { ...defaultChoice(), unit: isPointGame(currentSession()) ? 'points' : 'money' };
  const fileNameOf = (ending) => `${currentSession().title ?? t('start.untitled')}${ending}`;
  const units = (changed) => isPointGame(currentSession()) && currentSession().balances !== null
    && fieldset(t('statement.unit'), null,
    pillGroup('unit', [['points', t('statement.points')], ['money', t('statement.money')]], choice.unit,
      (unit) => { choice.unit = unit; changed(); }));
  const form = statementForm(choice, {
    everyoneLabel: t('statement.all'),
    people: () =>
      currentSession().players.map((player) => [player.id, playerLabel(currentSession(), player.id)]),
    extraFields: units,
    extraQuery: () => ({ unit: choice.unit, ...(choice.whose && { player: choice.whose }) }),
    addressOf: (rest) => sessionPath(id, rest),
    fileNameOf,
    checks: () => [h('p', {}, t('check.what')), verifyPageLink(
      downloadRow({ key: 'export', title: t('check.export'), what: t('check.export.for'),
        fallback: () => fileNameOf('.json'), address: () => sessionPath(id, '/export') }))],
  });
  let playerCount = 0;

  function draw(fresh) {
    playerCount = currentSession().players.length;
    form.draw();
    showScreen({ title: t('menu.statement'), backHref: home, headerEnd: syncStatus(), fresh,
      main: [h('p', { class: 'lead' }, t('statement.what')), form.node] });
  }
  draw(true);
  return {
    // Only the players' names change here; drawing the page again would interrupt a download.
    update: (state) => {
      if (state.players.length !== playerCount) draw(false);
      else redrawSyncStatus();
    },
  };
}

export async function groupStatementScreen({ id, group: { members, name }, home, isCurrent }) {
  const [{ sessions }, figures, { imports }] = await Promise.all(
    ['/standings', '/open-balances', '/imports'].map((rest) => getJson(groupPath(id, rest))));
  if (!isCurrent()) return null;
  const played = usedCurrencies(sessions);
  // What the group recorded itself has a statement also in a currency that no evening was played for.
  const recorded = [...imports.filter(({ status }) => status === 'recorded'), ...figures.currencies]
    .map(({ currency }) => currency);
  const unplayed = [...new Set(recorded)].filter((code) => !played.includes(code));
  const page = (main) => showScreen({ title: t('menu.statement'), backHref: home, fresh: true, main });
  if (played.length + unplayed.length === 0) {
    page([h('p', { class: 'empty' }, t('statement.no_money'))]);
    return {};
  }
  const choice = { ...defaultChoice(), currency: null };
  // Of currencies that were played for, only those used before the period ends are offered; an earlier choice
  // stays if it is offered again.
  const currenciesNow = () => [...unplayed,
    ...usedCurrencies(sessions.filter(({ created_at: startedAt }) => isWithin(startedAt, choice.to)))];
  const chosen = () => chosenCurrency(currenciesNow(), choice.currency);
  const form = statementForm(choice, {
    everyoneLabel: t('statement.whole_group'),
    people: () => members.map((member) => [member.id, memberLabel(members, member.id)]),
    extraFields: (changed) =>
      currencyChoice(currenciesNow(), chosen(), (currency) => { choice.currency = currency; changed(); }),
    extraQuery: () =>
      ({ ...(currenciesNow().length > 0 && { currency: chosen() }),
        ...(choice.whose && { member: choice.whose }) }),
    addressOf: (rest) => groupPath(id, rest),
    fileNameOf: (ending) => `${name}${ending}`,
    checks: () => [h('p', {}, t('check.of_group')), verifyPageLink()],
  });
  form.draw();
  page([h('p', { class: 'lead' }, t('statement.of_group')), form.node]);
  return {};
}

const NEWLINE = 10;

/** The download broke off; nothing of it is kept. */
class BrokenDownload extends Error {}

/**
 * Resolves to `{blob, name}`, or to null if `signal` stopped the download; calls `onProgress(bytes, lines)`
 * after every piece. Throws Problem, Unreached or BrokenDownload.
 */
async function fetchFile(address, { name, onProgress, signal }) {
  try {
    const answer = await requestFile(address, signal);
    const blob = await readToEnd(answer, onProgress);
    return { blob, name: fileName(answer) ?? name };
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

async function readToEnd(answer, onProgress) {
  const pieces = [];
  let [bytes, lines] = [0, 0];
  const reader = answer.body.getReader();
  for (;;) {
    const { done: isLast, value: piece } =
      await reader.read().catch(() => { throw new BrokenDownload(answer.url); });
    if (isLast && bytes === 0) throw new BrokenDownload(answer.url);
    if (isLast) return new Blob(pieces, { type: answer.headers.get('Content-Type') ?? '' });
    pieces.push(piece);
    bytes += piece.length;
    for (const byte of piece) if (byte === NEWLINE) lines += 1;
    onProgress(bytes, lines);
  }
}

/** The file's name as the server gives it: in UTF-8 if it does, else in ASCII. */
function fileName(answer) {
  const disposition = answer.headers.get('Content-Disposition') ?? '';
  const encodedName = /filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1];
  return encodedName ? decodeURIComponent(encodedName) : /filename="([^"]+)"/.exec(disposition)?.[1];
}

// A row that downloads a file; after the first second it shows the progress and can be stopped.
const SLOW_MS = 1_000; // faster downloads show no progress

/**
 * `address()` is called at the tap; `fallback()` names a file that the server does not name; `lines`: whether
 * the progress counts lines.
 */
function downloadRow({ key, title, what: description, address, fallback, lines = false }) {
  let stop = null;
  const progressText = buildElement(h('span', {}));
  const cancel =
    iconButton(`stop-${key}`, 'cross', t('download.stop'), () => stop?.abort());
  const progressRow = buildElement(h('div', { class: 'download-progress', hidden: true },
    h('progress', { 'aria-label': title }), progressText, cancel));

  async function download() {
    if (stop !== null) return;
    stop = new AbortController();
    const timer = setTimeout(() => { progressRow.hidden = false; announce(t('download.begun', { title })); },
      SLOW_MS);
    const showProgress = (bytes, count) => { progressText.textContent = lines
      ? t('download.lines', { count, amount: count.toLocaleString(language()), size: formatSize(bytes) })
      : formatSize(bytes); };
    progressText.textContent = '';
    try {
      const file = await fetchFile(address(),
        { name: fallback(), onProgress: showProgress, signal: stop.signal });
      if (file === null) { announce(t('download.stopped')); return; }
      saveFile(file);
      announce(t('download.done', { title }));
    } catch (error) {
      showWarning(failureSentence(error));
    } finally {
      clearTimeout(timer);
      if (progressRow.contains(document.activeElement)) progressRow.previousElementSibling.focus();
      progressRow.hidden = true;
      stop = null;
    }
  }

  return buildElement(h('li', { class: 'row download-row' },
    h('button', { type: 'button', class: 'row-link', 'data-key': `take-${key}`, onclick: download },
      h('span', { class: 'row-name' }, title, h('span', { class: 'muted row-note' }, description)),
      icon('down')), progressRow));
}

/** The same row for a page that opens in a tab. */
const previewRow = ({ key, title, what: description, address }) => h('li', { class: 'row download-row' },
  rowLink(address, `take-${key}`, title, { note: description, target: '_blank', rel: 'noopener' }));

function failureSentence(error) {
  if (error instanceof Problem) return error.errors[0]?.detail ?? error.message;
  return t(error instanceof BrokenDownload ? 'download.broken' : 'queue.offline');
}

function formatSize(bytes) {
  const [unit, worth] = bytes < 1e6 ? ['kilobyte', 1e3] : ['megabyte', 1e6];
  return new Intl.NumberFormat(language(), { style: 'unit', unit, maximumFractionDigits: 1 })
    .format(bytes / worth);
}
