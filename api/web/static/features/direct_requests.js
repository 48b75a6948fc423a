// Requests whose answer a person waits for, past the sync queue: a write with its idempotency key, a file
// that the server reads, its progress, and why a request has failed.

import { createKey, sendRequest } from '../core/api_client.js';
import { Problem, Unreached } from '../core/request_errors.js';
import { t } from '../core/translator.js';
import { h } from '../ui/elements.js';
import { clearWarning, showWarning, withPageProgress } from '../ui/page.js';

/**
 * Resolves to the body of the answer. A write that is sent again needs the same `key`. The warning of an
 * earlier write goes: it may cover what this one changes.
 */
export async function sendWrite(path, body, { method = 'POST', key = createKey() } = {}) {
  clearWarning();
  const answer = sendRequest(method, path, { body, headers: { 'Idempotency-Key': key } });
  return (await withPageProgress(answer)).body;
}

/**
 * Returns (body) → idempotency key: the same for a repeated body, after a lost reply or a double tap. After a
 * success the same body may be a new request, so a screen that stays open calls this again.
 */
export function keyPerRequest() {
  let lastBody = null;
  let key = null;
  return (body) => {
    const text = JSON.stringify(body);
    if (text !== lastBody) [lastBody, key] = [text, createKey()];
    return key;
  };
}

/** Shows why a request failed. Throws anything that is neither a Problem nor a lost connection. */
export function warnOfError(error) {
  if (error instanceof Unreached)
    return showWarning(t(error.busy ? 'queue.busy' : 'queue.offline'));
  if (!(error instanceof Problem)) throw error;
  return showWarning(error.errors.map(({ detail }) => detail).join(' ') || error.message);
}

const MAX_FILE_BYTES = 1024 * 1024; // the server refuses a larger one

/** Resolves to the `content` of a chosen file in base64, or to a `message`: why it cannot be read. */
export async function readChosenFile(file) {
  if (file.size > MAX_FILE_BYTES) return { content: null, message: t('imports.too_large') };
  return encodeBase64(file).then((content) => ({ content }),
    () => ({ content: null, message: t('imports.read_failed') }));
}

/** Lets the same file, corrected meanwhile, be chosen again: the browser announces only another one. */
export const forgetFile = (event) => { event.target.value = ''; };

const encodeBase64 = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
});

const PATIENCE_MS = 400; // a longer wait is shown

/** Calls `show(true)` if `work()` takes long, and `show(false)` after it; resolves to its result. */
export async function withProgress(work, show) {
  const timer = setTimeout(() => show(true), PATIENCE_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    show(false);
  }
}

export const readingNote = () => h('p', { class: 'check-progress', role: 'status' }, t('imports.reading'),
  h('progress', { 'aria-label': t('imports.reading') }));
