// Whether this device's writes reach the server: the status in the corner of every session screen.

import { isServerBusy } from '../core/api_client.js';
import { currentSession, sessionState } from '../core/session_store.js';
import { refusedWrite } from '../core/sync_queue.js';
import { t } from '../core/translator.js';
import { h } from '../ui/elements.js';
import { actionButton, actionLink, announce, onceLoaded, refillPart } from '../ui/page.js';

let announcedFailure = null;
const showWaiting = () => onceLoaded(import('./conflicts/waiting_writes.js'), (file) =>
  file.openWaitingList(`#/s/${currentSession().id}`));

export function syncStatus() {
  const { id, waiting, isOutOfReach, isReached } = sessionState();
  const count = waiting.length;
  const failure = isReached && !isOutOfReach ? null : isServerBusy() ? 'busy' : 'out of reach';
  const text = failure === 'busy' ? t(count > 0 ? 'sync.busy_waiting' : 'sync.busy', { count })
    : !failure && refusedWrite(id) ? t('sync.asks')
    : count > 0 ? t(failure ? 'sync.waiting' : 'sync.sending', { count })
      : t(failure ? 'sync.offline' : 'sync.well');
  // Announced once when the failure begins, and when it is over and nothing waits: with every write that
  // waits, it would replace what the write itself announces.
  const isOver = !failure && count === 0;
  if (failure ? failure !== announcedFailure : announcedFailure && isOver) announce(text);
  if (failure || isOver) announcedFailure = failure;
  const inside = [h('span', { class: 'status-dot', 'aria-hidden': 'true' }), h('span', {}, text)];
  const kind = `sync ${failure ? 'failed' : count > 0 ? 'busy' : 'up-to-date'}`;
  if (count === 0) return h('span', { class: kind }, inside);
  return h('button', { type: 'button', class: kind, 'data-key': 'waiting', onclick: showWaiting }, inside);
}

/** Draws the status again on a screen whose other parts must not be disturbed. */
export function redrawSyncStatus() {
  const heading = document.querySelector('#head');
  refillPart(heading, [...heading.children].map((part) => (part.matches('.sync') ? syncStatus() : part)));
}

/** The button to the table, disabled during a write: a second tap must not hit the screen that follows. */
export const tableLink = (home, sending) => (sending && !sessionState().isOutOfReach
  ? actionButton('table', t('record.to_table'), null, { primary: true, disabled: true })
  : actionLink('table', t('record.to_table'), home, { primary: true }));

/** A banner for a screen that must wait for unsent writes; `sending` if the write is the screen's own. */
export const unsentNote = (sending) => h('p', { class: 'banner' },
  sending ? t(sessionState().isOutOfReach ? 'record.kept' : 'record.sending') : t('record.first'));
