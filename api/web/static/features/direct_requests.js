// The progress of a file that the server reads: shown only where that takes long.

import { t } from '../core/translator.js';
import { h } from '../ui/elements.js';

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
