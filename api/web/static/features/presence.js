// That a deal is being written down here, said to the others at the table while it lasts: that it is, never
// what.
// Nobody waits for it, and without a network it is simply not said.

import { Problem, createKey, getJson, sendRequest, sessionPath } from '../core/api_client.js';
import { isFeedOpen, onRecorders } from '../core/change_feed.js';
import { deviceInSession } from '../core/device_storage.js';
import { currentSession, onSession } from '../core/session_store.js';
import { isolateName, t } from '../core/translator.js';
import { h, icon } from '../ui/elements.js';
import { announce, showUnderHeading } from '../ui/page.js';

const ANNOUNCE_MS = 10_000; // ms; who has said nothing for three of them is taken for gone

let recordingDeal = null; // what is being written here: {id, deal}
let announcedDeal = null;   // … as the server has heard it
let announceTimer = null;
let isAnnouncing = false;
let announceAgain = false;

/** This deal is being written down here; null: none is any more. */
export function announceRecording(id, deal) {
  if (deal === (recordingDeal?.id === id ? recordingDeal.deal : null)) return;
  recordingDeal = deal === null ? null : { id, deal };
  clearInterval(announceTimer);
  if (recordingDeal !== null) announceTimer = setInterval(announceSoon, ANNOUNCE_MS);
  announceSoon();
}

/** One word after the other: what is said last must not come first. */
async function announceSoon() {
  announceAgain = isAnnouncing;
  if (isAnnouncing) return;
  isAnnouncing = true;
  do {
    announceAgain = false;
    const nextDeal = document.hidden ? null : recordingDeal;
    if (announcedDeal !== null && announcedDeal.id !== nextDeal?.id) await withdrawPresence();
    if (nextDeal !== null) await sendPresence(nextDeal);
  } while (announceAgain);
  isAnnouncing = false;
}

async function sendPresence({ id, deal }) {
  announcedDeal = { id };
  try {
    await sendRequest('PUT', sessionPath(id, `/recording/${PAGE_ID}`), { body: { deal } });
  } catch (trouble) {
    if (!(trouble instanceof Problem)) return;
    announcedDeal = null; // may not, or not any more: not said again
    announceRecording(id, null);
  }
}

function withdrawPresence() {
  const { id } = announcedDeal;
  announcedDeal = null;
  return sendRequest('DELETE', sessionPath(id, `/recording/${PAGE_ID}`),
    { keepalive: true }).catch(() => null);
}

addEventListener('hashchange', () => {
  if (recordingDeal !== null && location.hash !== `#/s/${encodeURIComponent(recordingDeal.id)}/record`)
    announceRecording(recordingDeal.id, null);
});
addEventListener('pagehide', () => { if (announcedDeal !== null) withdrawPresence(); });
document.addEventListener('visibilitychange', announceSoon);
addEventListener('pageshow', announceSoon);

// Who else is writing a deal down just now: a line under the heading, which forbids nothing. The stream tells
// it;
// where there is none it is asked for, and what is not heard of any more is not believed for long.
const POLL_MS = 3_000;     // ms between questions where nobody tells
const STALE_MS = 30_000;  // ms that the last answer is good for

let watchedPlace = null;      // where it is shown: {id, recording, still}
let knownRecorders = { id: null, list: [], at: 0 };
let presenceLine = '';

/** Shows it on the screen that has just been drawn, for as long as that is the one that is on. */
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
  getJson(sessionPath(id, '/recording')).then(({ recording }) => { if (!isFeedOpen()) updateRecorders(id,
    recording); }, () => null);
  if (performance.now() - knownRecorders.at > STALE_MS) updateRecorders(id, []);
}

const otherRecorders = () => (!watchedPlace?.isCurrent() || knownRecorders.id !== watchedPlace.id
  || currentSession()?.status !== 'open' ? [] : knownRecorders.list.filter(({ by: author, deal, page }) =>
  page !== PAGE_ID && author !== deviceInSession(watchedPlace.id) && deal >= currentSession().deal.number));

async function drawPresence() {
  const text = [...new Set(otherRecorders().map(presenceSentence))].join(' ');
  if (text === presenceLine) return;
  presenceLine = text;
  showUnderHeading(text === '' ? null : h('p', { class: 'writes' }, icon('pen'), h('span', {}, text)));
  if (text !== '') announce(text);
}

function presenceSentence({ by: author, label, deal: number }) {
  const key = label ? 'label' : author.startsWith('host') ? 'host' : 'other';
  const values = { number, who: label && isolateName(label) };
  return watchedPlace.recording && number === currentSession().deal.number
    ? t(`beside.already.${key}`, values) : t(`beside.writes.${key}`, values);
}

onRecorders(updateRecorders);
onSession(drawPresence);
setInterval(pollPresence, POLL_MS);
addEventListener('hashchange', drawPresence);

// What this page calls itself among others that came by the same link: made up, and the same after a reload.
const PAGE_ID_KEY = 'vola.page';

function createPageId() {
  const newId = createKey().slice(0, 12);
  try {
    const storedId = sessionStorage.getItem(PAGE_ID_KEY) ?? newId;
    sessionStorage.setItem(PAGE_ID_KEY, storedId);
    return storedId;
  } catch {
    return newId; // private mode: a reload is somebody else for half a minute
  }
}

export const PAGE_ID = createPageId();
