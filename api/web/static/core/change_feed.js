// Told rather than asking: the server says when an evening has moved on. Where it cannot (too many
// listen already, a proxy that holds things back) the evening is asked for as before.

import { session } from './api_client.js';

const RETRY = 30_000; // ms until it is tried again after the server would not

let stream = null;
let timer = null;
let tell = () => {};
let recorders = null; // who writes a deal down just now: [evening, list], as it was told last

/** Calls back with an evening and who writes a deal down in it, as often as that changes. */
export function onRecorders(listener) {
  tell = listener;
  if (recorders) tell(...recorders);
}

const heard = (...said) => tell(...(recorders = said));

/** Whether the server will say so when something is written. */
export const told = () => stream?.readyState === EventSource.OPEN;

/** Listens to one evening; `news()` when it has moved on, `turned()` when telling begins or ends. */
export function listen(id, news, turned) {
  hush();
  if (!('EventSource' in globalThis)) return;
  stream = new EventSource(session(id, '/stream'));
  stream.addEventListener('version', news);
  stream.addEventListener('open', () => heard(id, []), { once: true }); // told at once if it is somebody, and when he has stopped
  stream.addEventListener('recording', ({ data }) => heard(id, JSON.parse(data).recording));
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
