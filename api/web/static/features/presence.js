// Presence: tells the server which deal is being recorded on this page, and shows who else is recording one.
// It never contains what is recorded. Nothing waits for it, and without a network it is left out.

import { createKey, getJson, isFeedOpen, onRecorders, sendRequest, sessionPath } from '../core/api_client.js';
import { readItem, writeItem } from '../core/device_storage.js';
import { untilPainted } from '../core/page_timing.js';
import { Problem } from '../core/request_errors.js';
import { currentSession, subscribe } from '../core/session_store.js';
import { isolateName, t } from '../core/translator.js';
import { h, icon } from '../ui/elements.js';
import { announce, showUnderHeading } from '../ui/page.js';

const ANNOUNCE_MS = 10_000; // between repeats; after three missed ones the server drops the recorder

let recordingDeal = null; // the deal being recorded here: {id, deal}
let announcedSession = null; // where the server shows this page as a recorder: the session's id
let announceTimer = null;
let isAnnouncing = false;
let announceAgain = false;

/** Starts to announce that this deal is being recorded here; null stops it. */
export function announceRecording(id, deal) {
  if (deal === (recordingDeal?.id === id ? recordingDeal.deal : null)) return;
  recordingDeal = deal === null ? null : { id, deal };
  clearInterval(announceTimer);
  if (recordingDeal !== null) announceTimer = setInterval(announceSoon, ANNOUNCE_MS);
  untilPainted().then(announceSoon);
}

/** Sends one request at a time, so that the server receives them in order. */
async function announceSoon() {
  announceAgain = isAnnouncing;
  if (isAnnouncing) return;
  isAnnouncing = true;
  do {
    announceAgain = false;
    const nextDeal = document.hidden ? null : recordingDeal;
    if (announcedSession !== null && announcedSession !== nextDeal?.id) await withdrawPresence();
    if (nextDeal !== null) await sendPresence(nextDeal);
  } while (announceAgain);
  isAnnouncing = false;
}

async function sendPresence({ id, deal }) {
  announcedSession = id;
  try {
    await sendRequest('PUT', sessionPath(id, `/presence/${PAGE_ID}`), { body: { deal } });
  } catch (error) {
    if (!(error instanceof Problem)) return;
    announcedSession = null; // this device may not record (any more), so it stops announcing
    announceRecording(id, null);
  }
}

function withdrawPresence() {
  const id = announcedSession;
  announcedSession = null;
  return sendRequest('DELETE', sessionPath(id, `/presence/${PAGE_ID}`),
    { keepalive: true }).catch(() => null);
}

addEventListener('hashchange', () => {
  if (recordingDeal !== null && location.hash !== `#/s/${encodeURIComponent(recordingDeal.id)}/record`)
    announceRecording(recordingDeal.id, null);
});
addEventListener('pagehide', () => { if (announcedSession !== null) withdrawPresence(); });
document.addEventListener('visibilitychange', announceSoon);
addEventListener('pageshow', announceSoon);

// The other recorders: a line under the heading, which locks nothing. The change feed brings them; without a
// feed this page polls.
const POLL_MS = 3_000;
const STALE_MS = 30_000; // after which the last answer is discarded

let watchedPlace = null; // the screen that shows them: {id, recording, isCurrent}
let knownRecorders = { id: null, list: [], at: 0 };
let presenceLine = '';

/** Shows the other recorders on the screen that has just been drawn, until another screen replaces it. */
export function watchRecorders(context) {
  watchedPlace = context;
  pollPresence();
  drawPresence();
}

function updateRecorders(id, list) {
  knownRecorders = { id, list, at: performance.now() };
  drawPresence();
}

function pollPresence() {
  if (document.hidden || !watchedPlace?.isCurrent() || isFeedOpen()) return;
  const { id } = watchedPlace;
  const update = ({ presence }) => { if (!isFeedOpen()) updateRecorders(id, presence); };
  getJson(sessionPath(id, '/presence')).then(update, () => null);
  if (performance.now() - knownRecorders.at > STALE_MS) updateRecorders(id, []);
}

function otherRecorders() {
  if (!watchedPlace?.isCurrent() || knownRecorders.id !== watchedPlace.id) return [];
  if (currentSession()?.status !== 'open') return [];
  const pages = ownPages();
  return knownRecorders.list.filter(({ deal, page }) =>
    !pages.includes(page) && deal >= currentSession().deal.number);
}

function drawPresence() {
  const text = [...new Set(otherRecorders().map(presenceSentence))].join(' ');
  if (text === presenceLine) return;
  presenceLine = text;
  showUnderHeading(text === '' ? null : h('p', { class: 'presence-line' }, icon('pen'), h('span', {}, text)));
  if (text !== '') announce(text);
}

function presenceSentence({ by: author, label, deal: number }) {
  const key = label ? 'label' : author.startsWith('host') ? 'host' : 'other';
  const values = { number, who: label && isolateName(label) };
  return watchedPlace.recording && number === currentSession().deal.number
    ? t(`presence.already.${key}`, values) : t(`presence.writes.${key}`, values);
}

onRecorders(updateRecorders);
subscribe(drawPresence);
setInterval(pollPresence, POLL_MS);
addEventListener('hashchange', drawPresence);

// The random id of this page, which a reload keeps; it tells pages apart that came by the same link.
const PAGE_ID_KEY = 'vola.page';

function createPageId() {
  const newId = createKey().slice(0, 12);
  try {
    const storedId = sessionStorage.getItem(PAGE_ID_KEY) ?? newId;
    sessionStorage.setItem(PAGE_ID_KEY, storedId);
    return storedId;
  } catch {
    return newId; // private mode: after a reload the old id counts as another recorder until it times out
  }
}

const PAGE_ID = createPageId();

// The pages of this browser, latest first: they share one draft, so they are no other recorders to each
// other. An id of the browser would tell the readers of several sessions that one phone was in all of them.
const MAX_PAGES = 20;
const ownPages = () => readItem('pages') ?? [];
writeItem('pages', [...new Set([PAGE_ID, ...ownPages()])].slice(0, MAX_PAGES));
