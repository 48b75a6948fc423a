// Downloads a file piece by piece, so that a long one shows its progress, can be stopped, and is known to be
// complete.

import { Problem, Unreached } from '../core/request_errors.js';
import { language, t } from '../core/translator.js';
import { buildElement, h, icon } from './elements.js';
import { announce, showWarning } from './page.js';

const NEWLINE = 10;
const KEPT_MS = 60_000; // until the browser has surely taken the file over

/** The download broke off; nothing of it is kept. */
export class BrokenDownload extends Error {}

/**
 * `{blob, name}`; `told(bytes, lines)` after every piece. Throws Problem, Unreached or Broken; null when
 * `signal` stopped it.
 */
export async function fetchFile(address, { name, told: onProgress, signal }) {
  try {
    const answer = await requestFile(address, signal);
    const blob = await isComplete(answer, onProgress);
    return { blob, name: fileName(answer) ?? name };
  } catch (trouble) {
    if (signal.aborted) return null;
    throw trouble;
  }
}

async function requestFile(address, signal) {
  const headers = { 'Accept-Language': language() };
  const answer = await fetch(address, { credentials: 'same-origin', cache: 'no-store', headers, signal })
    .catch(() => { throw new Unreached(address); });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => null);
  throw problem?.code && answer.status < 500 ? new Problem(answer.status, problem)
    : new Unreached(`${address}: ${answer.status}`);
}

async function isComplete(answer, onProgress) {
  const pieces = [];
  let [bytes, lines] = [0, 0];
  const reader = answer.body.getReader();
  for (;;) {
    const { done: isLast, value } =
      await reader.read().catch(() => { throw new BrokenDownload(answer.url); });
    if (isLast) return new Blob(pieces, { type: answer.headers.get('Content-Type') ?? '' });
    pieces.push(value);
    bytes += value.length;
    for (const sign of value) if (sign === NEWLINE) lines += 1;
    onProgress(bytes, lines);
  }
}

/** The file's name as the server gives it: in UTF-8 if it does, else in ASCII. */
function fileName(answer) {
  const sent = answer.headers.get('Content-Disposition') ?? '';
  const encodedName = /filename\*=UTF-8''([^;]+)/.exec(sent)?.[1];
  return encodedName ? decodeURIComponent(encodedName) : /filename="([^"]+)"/.exec(sent)?.[1];
}

/** Saves the file, as if it had been a link. */
export function saveFile({ blob, name }) {
  const address = URL.createObjectURL(blob);
  buildElement(h('a', { href: address, download: name })).click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

// A row that downloads a file; after the first second it shows the progress and can be stopped.
const SLOW_MS = 1_000; // faster downloads show no progress

/**
 * `address()` is called at the tap; `fallback()` names a file that the server does not name; `lines`: whether
 * the progress counts lines.
 */
export function downloadRow({ key, title, what: description, address, fallback, lines = false }) {
  let stop = null;
  const progress = buildElement(h('span', { class: 'far' }));
  const cancel =
    h('button', { type: 'button', class: 'round', 'aria-label': t('taking.stop'), 'data-key': `stop-${key}`,
    onclick: () => stop?.abort() }, icon('cross'));
  const coming = buildElement(h('div', { class: 'coming', hidden: true },
    h('progress', { 'aria-label': title }), progress, cancel));

  async function download() {
    if (stop !== null) return;
    stop = new AbortController();
    const long = setTimeout(() => { coming.hidden = false; announce(t('taking.begun', { title })); },
      SLOW_MS);
    const showProgress = (bytes, count) => { progress.textContent = lines
      ? t('taking.lines', { count, amount: count.toLocaleString(language()), size: formatSize(bytes) })
      : formatSize(bytes); };
    progress.textContent = '';
    try {
      const file = await fetchFile(address(), { name: fallback(), told: showProgress, signal: stop.signal });
      if (file === null) { announce(t('taking.stopped')); return; }
      saveFile(file);
      announce(t('taking.done', { title }));
    } catch (trouble) {
      showWarning(progressSentence(trouble));
    } finally {
      clearTimeout(long);
      coming.hidden = true;
      stop = null;
    }
  }

  return buildElement(h('li', { class: 'row taking' },
    h('button', { type: 'button', class: 'row-link', 'data-key': `take-${key}`, onclick: download },
      formatName(title, description), icon('down')), coming));
}

/** The same row for a page that opens in a tab. */
export const previewRow = ({ key, title, what: description, address }) => h('li', { class: 'row taking' },
  h('a', { class: 'row-link', href: address, target: '_blank', rel: 'noopener', 'data-key': `take-${key}` },
    formatName(title, description), icon('on')));

const formatName = (title, description) => h('span', { class: 'row-name' }, title,
  h('span', { class: 'by dim' }, description));

function progressSentence(trouble) {
  if (trouble instanceof Problem) return trouble.errors[0]?.detail ?? trouble.message;
  return t(trouble instanceof BrokenDownload ? 'taking.broken' : 'queue.offline');
}

function formatSize(bytes) {
  const [unit, worth] = bytes < 1e6 ? ['kilobyte', 1e3] : ['megabyte', 1e6];
  return new Intl.NumberFormat(language(), { style: 'unit', unit, maximumFractionDigits: 1 })
    .format(bytes / worth);
}
