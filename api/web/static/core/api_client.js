// The API client: sends every request to the server, turns every refusal into a Problem, and listens to the
// change feed of a session. Knows no game; the API is described in /openapi.yaml.

import { Problem, Unreached } from './request_errors.js';
import { language, t, translateErasedName } from './translator.js';

const TIMEOUT_MS = 12_000; // on a bad network a request hangs rather than fails

const RETRYABLE_STATUSES = new Set([408, 425, 429]);

const MAX_RETRY_WAIT_MS = 40_000; // a longer Retry-After is cut to this, as a person may be waiting
const earliestTimes = new Map(); // endpoint → the time before which it is not requested again
const BUSY_SHOWN_MS = 10_000; // longer than any pause before the next attempt
let busyUntil = 0;

/** Whether the server has answered that it cannot serve now; such requests are repeated automatically. */
export const isServerBusy = () => busyUntil > performance.now();

const waitForRetryTime = (endpoint) => new Promise((resolve) => {
  setTimeout(resolve, earliestTimes.get(endpoint) - performance.now());
});

/**
 * Keeps the time before which the server asks not to return, or up to half as long again, so that not all
 * devices return at once.
 */
function noteBusyServer(endpoint, answer) {
  const retryAfter = answer.headers.get('Retry-After') ?? '';
  const delay = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  const wait = Math.min(delay, MAX_RETRY_WAIT_MS) * (1 + Math.random() / 2);
  if (wait > 0) earliestTimes.set(endpoint, performance.now() + wait);
  busyUntil = performance.now() + Math.max(wait || 0, BUSY_SHOWN_MS);
}

const readBody = (text) => JSON.parse(text, (_, value) => translateErasedName(value));

const fetchAnswer = (path, { headers, ...request }) => fetch(path, {
  credentials: 'same-origin', cache: 'no-store', ...request,
  headers: { 'Accept-Language': language(), ...headers },
}).catch(() => {
  busyUntil = 0;
  throw new Unreached(path);
});

/** `keepalive`: the request is sent even if the page is closed before its answer arrives. */
export async function sendRequest(method, path, { body, headers = {}, keepalive = false } = {}) {
  const endpoint = `${method} ${path.split('?')[0]}`;
  if (earliestTimes.has(endpoint)) await waitForRetryTime(endpoint);
  const answer = await fetchAnswer(path, {
    method,
    keepalive,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const isEmpty = answer.status === 304 ? 'If-None-Match' in headers
    : answer.status === 204 && method !== 'GET';
  const content = isEmpty ? null : await answer.text().then(readBody).catch(() => null);
  if (answer.status >= 500 || RETRYABLE_STATUSES.has(answer.status) || content?.code === 'still_running') {
    noteBusyServer(endpoint, answer);
    throw new Unreached(`${path}: ${answer.status}`, true);
  }
  earliestTimes.delete(endpoint);
  // A body that was cut off, or is a page of a network that asks for a login, is requested again.
  if (answer.status < 400 && !isEmpty && content === null) throw new Unreached(path);
  // A refusal without a code is not this server's, but perhaps that of a network that asks for a login. A 413
  // counts all the same: the body stays too large.
  if (answer.status >= 400 && answer.status !== 413 && content?.code === undefined) throw new Unreached(path);
  if (answer.status >= 400)
    throw new Problem(answer.status, content ?? { detail: t('queue.too_large') });
  return { status: answer.status, body: content, etag: answer.headers.get('ETag') };
}

/** Resolves to the answer with its body unread: a file, as the bytes that the server sent. */
export async function requestFile(path, signal, headers = {}) {
  const answer = await fetchAnswer(path, { signal, headers });
  // No file of this server is one.
  const isPage = answer.headers.get('Content-Type')?.startsWith('text/html');
  if (answer.ok && !isPage) return answer;
  const problem = await answer.json().catch(() => null);
  throw problem?.code && answer.status < 500 ? new Problem(answer.status, problem)
    : new Unreached(`${path}: ${answer.status}`);
}

export const sessionPath = (id, rest = '') => `/v1/sessions/${encodeURIComponent(id)}${rest}`;

export const getJson = async (path) => (await sendRequest('GET', path)).body;

/** Fetches all pages of a session's list `name`. */
export async function getAllItems(id, name) {
  const items = [];
  let after = '';
  do {
    const page = await getJson(sessionPath(id, `/${name}?limit=1000${after}`));
    items.push(...page[name]);
    after = page.next && `&after=${page.next}`;
  } while (after);
  return items;
}

/** Exchanges the token of a link for a cookie that no script can read. */
export const exchangeToken = (id, token) => sendRequest('PUT', sessionPath(id, '/cookie'),
  { headers: { Authorization: `Bearer ${token}` } });

/** An idempotency key. crypto.randomUUID is missing on plain http. */
export function createKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const FEED_RETRY_MS = 30_000; // between two attempts to open the feed

let eventSource = null;
let retryTimer = null;
let recordersListener = () => {};
let lastRecorders = null; // [session, devices that are recording a deal in it]

/** Calls back with the session and the devices that are recording a deal in it, whenever they change. */
export function onRecorders(listener) {
  recordersListener = listener;
  if (lastRecorders) recordersListener(...lastRecorders);
}

function announceRecorders(id, devices) {
  lastRecorders = [id, devices];
  recordersListener(id, devices);
}

/** Whether the server announces changes now. */
export const isFeedOpen = () => eventSource?.readyState === EventSource.OPEN;

/**
 * Opens the change feed of a session. Calls `onChange()` on a change, and `onToggle()` when it opens or ends.
 * Where it fails (too many listeners, a proxy that buffers), session_sync.js polls.
 */
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
      retryTimer = setTimeout(() => openFeed(id, onChange, onToggle), FEED_RETRY_MS);
  });
}

export function closeFeed() {
  clearTimeout(retryTimer);
  eventSource?.close();
  eventSource = null;
}
