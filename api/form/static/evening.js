// The evening on this phone: the latest state known, kept fresh by asking while somebody looks.

import { forgetName, rememberEvening } from './memory.js';
import { onQueue, release, send } from './queue.js';
import { get, Problem, request, session } from './server.js';
import { language } from './words.js';

const CALM = 900;     // ms between questions: another phone's deal shows within a second
const EAGER = 300;    // … while a la vola is being settled

let state = null;
let etag = null;
let current = null;
let timer = null;
let reached = true;
const listeners = new Set();
const deals = new Map();

export const evening = () => state;
export const inReach = () => reached;
export const onEvening = (listener) => { listeners.add(listener); return () => listeners.delete(listener); };

/** Opens an evening; throws Problem when this phone may not see it. */
export async function enter(id) {
  if (current === id && state !== null) return state;
  leave();
  current = id;
  state = await get(session(id));
  etag = `"${state.version}"`;
  rememberEvening(id, state.title ?? '', state.game);
  release(id);
  schedule();
  return state;
}

export function leave() {
  clearTimeout(timer);
  current = null;
  state = null;
  etag = null;
  deals.clear();
}

/** Takes over a state from an answer; an older one never overwrites a newer. */
export function adopt(news) {
  if (news?.id !== current || (state !== null && news.version < state.version)) return;
  const changed = state === null || news.version !== state.version;
  const renamed = state !== null && forgetNames(state.players, news.players);
  state = news;
  etag = `"${news.version}"`;
  if (changed || renamed) listeners.forEach((listener) => listener(state, { renamed }));
}

/** An erased name is news without a version: every sentence that was told with it is asked for anew. */
function forgetNames(before, after) {
  const gone = before.filter(({ id, name }) => after.some((now) => now.id === id && now.name !== name));
  gone.forEach(({ id, name }) => forgetName(current, id, name));
  if (gone.length > 0) deals.clear();
  return gone.length > 0;
}

export async function refresh() {
  const id = current;
  if (id === null) return;
  try {
    const answer = await request('GET', session(id), { headers: etag === null ? {} : { 'If-None-Match': etag } });
    heard(true);
    if (answer.status === 200 && id === current) adopt(answer.body);
  } catch (trouble) {
    if (!(trouble instanceof Problem)) heard(false);
    else if (trouble.code === 'unknown_session' && id === current) shutOut(trouble);
  }
}

/** Nothing more is asked or heard; what was known last stays until another screen is drawn. */
function shutOut(trouble) {
  clearTimeout(timer);
  current = null;
  listeners.forEach((listener) => listener(state, { out: trouble }));
}

function heard(now) {
  if (reached === now) return;
  reached = now;
  listeners.forEach((listener) => listener(state));
}

function schedule() {
  clearTimeout(timer);
  if (document.hidden || current === null) return;
  const due = (state?.payments ?? []).some((payment) => payment.status === 'due');
  timer = setTimeout(async () => {
    await refresh();
    schedule();
  }, due ? EAGER : CALM);
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden || current === null) clearTimeout(timer);
  else refresh().then(schedule);
});

/** Sends actions through the queue and takes over the state that comes back. */
export async function act(actions, note = {}) {
  // A batch that opens a numbered deal says what it expects itself; everything else needs the version.
  const numbered = actions[0].type === 'open_deal' && 'number' in actions[0];
  return write('/actions', { actions }, { ifMatch: numbered ? null : state.version, note });
}

export async function write(rest, body, { method = 'POST', ifMatch = state.version, note = {} } = {}) {
  const { body: answer } = await send({ session: current, path: session(current, rest), body, method, ifMatch, note });
  if (answer?.session) adopt(answer.session);
  else await refresh();
  schedule();
  return answer;
}

// Deliveries that nobody on this page waits for any more (a reload came between).
onQueue(({ settled, entry }) => {
  if (settled?.body?.session && entry.session === current) adopt(settled.body.session);
});

/** One deal's record; asked again whenever the evening has moved on since. */
export async function deal(number) {
  const known = deals.get(number);
  const { version } = state;
  const spoken = language();
  if (known?.version === version && known.spoken === spoken) return known.deal;
  const found = await get(session(current, `/deals/${number}`));
  deals.set(number, { version, spoken, deal: found });
  return found;
}

export const nameOf = (id) => apart(state.players.find((player) => player.id === id)?.name ?? id);

/** A name for use in a sentence: one written from right to left is set apart, or it would turn its neighbours round. */
export const apart = (name) => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
