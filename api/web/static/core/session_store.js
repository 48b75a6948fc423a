// The evening on this phone: the latest state known, kept fresh by asking while somebody looks.

import { forgetSeen, keepSeen, lastSeen } from './lastseen.js';
import { hush, listen, told } from './change_feed.js';
import { forgetName, rememberEvening } from './device_storage.js';
import { AFTER, onQueue, release, send, unsent } from './sync_queue.js';
import { get, Problem, request, session } from './api_client.js';
import { apart, language } from './translator.js';

const CALM = 900;     // ms between questions: another phone's deal shows within a second
const EAGER = 300;    // … while a la vola is being settled
const TOLD = 10_000;  // … while the server says itself what has changed: in case the line has died without a word

let said = null;      // the evening as the server told it last
let shown = null;     // … and as it will be when what waits on this phone has reached it
let ahead = null;     // the forecast, once it was needed
let etag = null;
let spoken = null;   // … in this language
let current = null;
let timer = null;
let reached = true;
let begun = null;     // what was said so far of the deal that is open: {number, version, actions}
const listeners = new Set();
const deals = new Map();

export const evening = () => shown?.state ?? null;

/** The evening without what is only foreseen. */
export const asHeard = () => said;
export const inReach = () => reached;
export const onEvening = (listener) => { listeners.add(listener); return () => listeners.delete(listener); };

/** Whether everything that waits here is reckoned in: then the next deal can be written down. */
export const foreseen = () => unsent(current).length === 0 || shown?.whole === true;

/** The deal that what waits here ended or opened again last: {number, state, told}, open and with all that was said; or null. */
export const lastHere = () => shown?.last ?? null;

/** What has been said of the open deal and waits here to be told to the server. */
export const halfSaid = () => shown?.half ?? [];

/** Opens an evening as it is, or without a network as it was last seen; Problem when this phone may not see it. */
export async function enter(id) {
  if (current === id && shown !== null) {
    if (spoken !== language()) refresh(); // who has no name any more has a number in words
    return evening();
  }
  leave();
  current = id;
  spoken = language();
  said = counted(null, await get(session(id)).catch((trouble) => remembered(id, trouble)));
  etag = `"${said.version}"`;
  rememberEvening(id, said.title ?? '', said.game);
  release(id);
  if (unsent(id).length > 0) await foresee();
  reckon();
  keep();
  attend();
  return evening();
}

/** Hears of what is written while somebody looks. */
function attend() {
  schedule();
  if (!document.hidden && current !== null) listen(current, refresh, schedule);
}

async function remembered(id, trouble) {
  if (trouble instanceof Problem && trouble.code === 'unknown_session') forgetSeen(id);
  const seen = trouble instanceof Problem ? null : await lastSeen(id);
  if (!seen) throw trouble;
  reached = false;
  begun = seen.begun;
  return seen.said;
}

const keep = () => keepSeen(current, { said, begun: mayGoOn() ? begun : null });

const mayGoOn = () => begun?.number === said.deal.number && begun.version === said.version;

export function leave() {
  clearTimeout(timer);
  hush();
  current = null;
  said = null;
  shown = null;
  begun = null;
  etag = null;
  deals.clear();
}

/** Takes over a state from an answer; an older one never overwrites a newer. */
export function adopt(news) {
  if (news?.id !== current || (said !== null && news.version < said.version)) return;
  const changed = said === null || news.version !== said.version;
  const renamed = said !== null && forgetNames(said.players, news.players);
  said = counted(said, news);
  spoken = language();
  etag = `"${news.version}"`;
  reckon();
  if (changed || renamed) keep();
  if (changed || renamed) listeners.forEach((listener) => listener(evening(), { renamed }));
}

/** With the highest number that a deal has used up, as far as this phone has seen: one that was undone is not given again. */
const counted = (before, now) => ({ ...now, used: Math.max(before?.used ?? now.used ?? 0, now.deal.phase === 'waiting' ? now.deal.number - 1 : 0) });

/** What waits on this phone, reckoned ahead. */
function reckon() {
  const waiting = said === null ? [] : unsent(current);
  shown = waiting.length > 0 && ahead ? ahead(said, waiting, mayGoOn() ? begun.actions : null)
    : { state: said, whole: waiting.length === 0, half: [], deals: null, last: null };
}

async function foresee() {
  ahead ??= await import('./session_forecast.js').then((file) => file.ready().then(() => file.foreseen)).catch(() => null); // without it nothing is
  reckon();
}

onQueue(() => {
  if (said === null) return;
  reckon();
  if (ahead === null && unsent(current).length > 0) foresee().then(() => listeners.forEach((listener) => listener(evening())));
});

/** A name that was erased or put right is news without a version: every sentence told with it is asked for anew. */
function forgetNames(before, after) {
  const gone = before.filter(({ id, name }) => after.some((now) => now.id === id && now.name !== name));
  gone.forEach(({ id, name }) => {
    const now = after.find((player) => player.id === id).name;
    forgetName(current, id, name, now === `Spelare ${id.slice(1)}` ? '' : now);
  });
  if (gone.length > 0) deals.clear();
  return gone.length > 0;
}

export async function refresh() {
  const id = current;
  if (id === null) return;
  try {
    const answer = await request('GET', session(id), { headers: etag === null || spoken !== language() ? {} : { 'If-None-Match': etag } });
    heard(true);
    if (answer.status === 200 && id === current) adopt(answer.body);
  } catch (trouble) {
    if (!(trouble instanceof Problem)) {
      heard(false);
      schedule(); // what was told and not fetched is not told again
    } else if (trouble.code === 'unknown_session' && id === current) shutOut(trouble);
  }
}

/** Nothing more is asked or heard; what was known stays until another screen is drawn. */
function shutOut(trouble) {
  clearTimeout(timer);
  hush();
  forgetSeen(current);
  current = null;
  listeners.forEach((listener) => listener(evening(), { out: trouble }));
}

function heard(now) {
  if (reached === now) return;
  reached = now;
  listeners.forEach((listener) => listener(evening()));
}

function schedule() {
  clearTimeout(timer);
  if (document.hidden || current === null) return;
  const due = (said?.payments ?? []).some((payment) => payment.status === 'due');
  timer = setTimeout(async () => {
    await refresh();
    schedule();
  }, told() && reached ? TOLD : due ? EAGER : CALM);
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden || current === null) {
    clearTimeout(timer);
    hush();
  } else refresh().then(attend);
});

/** Sends actions through the queue and takes over the state that comes back. */
export async function act(actions, note = {}) {
  // A batch that opens a numbered deal says what it expects itself; everything else needs the version.
  const numbered = actions[0].type === 'open_deal' && 'number' in actions[0];
  const { number } = said.deal;
  const before = numbered ? [] : mayGoOn() ? begun.actions : null;
  const ifMatch = numbered ? null : unsent(current).length > 0 ? AFTER : said.version;
  const answer = await write('/actions', { actions }, { ifMatch, note });
  const now = answer?.session;
  if (now?.id === current && before !== null && now.deal.number === number && now.version === said.version) {
    const taken = actions.some(({ type }) => type === 'undo');
    begun = taken ? null : { number, version: now.version, actions: [...before, ...actions] };
    keep();
  }
  return answer;
}

export async function write(rest, body, { method = 'POST', ifMatch = said.version, note = {} } = {}) {
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

/** One deal's record; asked again whenever the evening has moved on since. One on its way is foreseen. */
export async function deal(number) {
  const coming = shown?.deals?.get(number);
  if (coming) return coming;
  const known = deals.get(number);
  const { version } = said;
  const spoken = language();
  if (known?.version === version && known.spoken === spoken) return known.deal;
  const found = await get(session(current, `/deals/${number}`)).catch((trouble) => soFar(number, trouble));
  deals.set(number, { version, spoken, deal: found });
  if (number === said.deal.number) {
    begun = { number, version, actions: found.actions ?? [] };
    keep();
  }
  return found;
}

/** Without a network: the open deal as far as this phone has seen it. */
function soFar(number, trouble) {
  if (trouble instanceof Problem || number !== begun?.number || !mayGoOn()) throw trouble;
  return { number, dealer: said.deal.dealer, status: 'open', actions: begun.actions, outcome: null, postings: [], before: [], findings: [] };
}

export const nameOf = (id) => apart(shown.state.players.find((player) => player.id === id)?.name ?? id);
