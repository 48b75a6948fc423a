// Told rather than asking: the server says when an evening has moved on. Where it cannot (too many
// listen already, a proxy that holds things back) the evening is asked for as before.

import { session } from './server.js';

const RETRY = 30_000; // ms until it is tried again after the server would not

let stream = null;
let timer = null;

/** Whether the server will say so when something is written. */
export const told = () => stream?.readyState === EventSource.OPEN;

/** Listens to one evening; `news()` when it has moved on, `turned()` when telling begins or ends. */
export function listen(id, news, turned) {
  hush();
  if (!('EventSource' in globalThis)) return;
  stream = new EventSource(session(id, '/stream'));
  stream.addEventListener('version', news);
  stream.addEventListener('open', turned);
  stream.addEventListener('error', () => {
    turned();
    if (stream?.readyState === EventSource.CLOSED) timer = setTimeout(() => listen(id, news, turned), RETRY);
  });
}

export function hush() {
  clearTimeout(timer);
  stream?.close();
  stream = null;
}
