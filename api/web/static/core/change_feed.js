// The change feed: the server announces when a session has changed. Where that fails (too many listeners, a
// proxy that buffers), the session store polls as before.

import { sessionPath } from './api_client.js';

const RETRY_MS = 30_000; // between two attempts to open the feed

let eventSource = null;
let retryTimer = null;
let recordersListener = () => {};
let lastRecorders = null; // [session, devices that are recording a deal in it]

/** Calls back with the session and the devices that are recording a deal in it, whenever they change. */
export function onRecorders(listener) {
  recordersListener = listener;
  if (lastRecorders) recordersListener(...lastRecorders);
}

function announceRecorders(...recorders) {
  lastRecorders = recorders;
  recordersListener(...recorders);
}

/** Whether the server announces changes now. */
export const isFeedOpen = () => eventSource?.readyState === EventSource.OPEN;

/** Opens the feed of a session. Calls `onChange()` on a change, and `onToggle()` when it opens or ends. */
export function openFeed(id, onChange, onToggle) {
  closeFeed();
  eventSource = new EventSource(sessionPath(id, '/stream'));
  eventSource.addEventListener('version', onChange);
  // The server sends the recording devices at once if there are any, and when they have stopped.
  eventSource.addEventListener('open', () => announceRecorders(id, []), { once: true });
  eventSource.addEventListener('presence', ({ data }) => announceRecorders(id, JSON.parse(data).presence));
  eventSource.addEventListener('open', onToggle);
  eventSource.addEventListener('error', () => {
    onToggle();
    if (eventSource?.readyState === EventSource.CLOSED)
      retryTimer = setTimeout(() => openFeed(id, onChange, onToggle), RETRY_MS);
  });
}

export function closeFeed() {
  clearTimeout(retryTimer);
  eventSource?.close();
  eventSource = null;
}
