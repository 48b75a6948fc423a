// Told rather than asking: the server says when an evening has moved on. Where it cannot (too many
// listen already, a proxy that holds things back) the evening is asked for as before.

import { sessionPath } from './api_client.js';

const RETRY_MS = 30_000; // ms until it is tried again after the server would not

let eventSource = null;
let retryTimer = null;
let onVersion = () => {};
let recordersListener = null; // who writes a deal down just now: [evening, list], as it was told last

/** Calls back with an evening and who writes a deal down in it, as often as that changes. */
export function onRecorders(listener) {
  onVersion = listener;
  if (recordersListener) onVersion(...recordersListener);
}

const isFeedHeard = (...recorders) => onVersion(...(recordersListener = recorders));

/** Whether the server will say so when something is written. */
export const isFeedOpen = () => eventSource?.readyState === EventSource.OPEN;

/** Listens to one evening; `news()` when it has moved on, `turned()` when telling begins or ends. */
export function openFeed(id, news, turned) {
  closeFeed();
  if (!('EventSource' in globalThis)) return;
  eventSource = new EventSource(sessionPath(id, '/stream'));
  eventSource.addEventListener('version', news);
  // told at once if it is somebody, and when he has stopped
  eventSource.addEventListener('open', () => isFeedHeard(id, []), { once: true });
  eventSource.addEventListener('recording', ({ data }) => isFeedHeard(id, JSON.parse(data).recording));
  eventSource.addEventListener('open', turned);
  eventSource.addEventListener('error', () => {
    turned();
    if (eventSource?.readyState === EventSource.CLOSED)
      retryTimer = setTimeout(() => openFeed(id, news, turned), RETRY_MS);
  });
}

export function closeFeed() {
  clearTimeout(retryTimer);
  eventSource?.close();
  eventSource = null;
}
