// Who else is writing a deal down just now: a line under the heading, which forbids nothing. The stream tells it;
// where there is none it is asked for, and what is not heard of any more is not believed for long.

import { dressed } from '../core/stylesheets.js';
import { h, icon } from '../ui/elements.js';
import { apart, evening, onEvening } from '../core/session_store.js';
import { onRecorders, told } from '../core/change_feed.js';
import { phoneIn } from '../core/device_storage.js';
import { say, underline } from '../ui/page.js';
import { get, session } from '../core/api_client.js';
import { t } from '../core/translator.js';
import { SIGN } from './sign.js';

const ASK = 3_000;     // ms between questions where nobody tells
const STALE = 30_000;  // ms that the last answer is good for

let place = null;      // where it is shown: {id, recording, still}
let heard = { id: null, list: [], at: 0 };
let shown = '';

/** Shows it on the screen that has just been drawn, for as long as that is the one that is on. */
export function watch(context) {
  place = context;
  ask();
  draw();
}

function hear(id, list) {
  heard = { id, list, at: performance.now() };
  draw();
}

function ask() {
  if (document.hidden || !place?.still() || told()) return;
  const { id } = place;
  get(session(id, '/recording')).then(({ recording }) => { if (!told()) hear(id, recording); }, () => null);
  if (performance.now() - heard.at > STALE) hear(id, []);
}

const others = () => (!place?.still() || heard.id !== place.id || evening()?.status !== 'open' ? [] : heard.list.filter(({ by, deal, page }) =>
  page !== SIGN && by !== phoneIn(place.id) && deal >= evening().deal.number));

async function draw() {
  if (others().length > 0) await dressed('beside').catch(() => null);
  const text = [...new Set(others().map(sentence))].join(' ');
  if (text === shown) return;
  shown = text;
  underline(text === '' ? null : h('p', { class: 'writes' }, icon('pen'), h('span', {}, text)));
  if (text !== '') say(text);
}

function sentence({ by, label, deal: number }) {
  const whose = label ? 'label' : by.startsWith('host') ? 'host' : 'other';
  const values = { number, who: label && apart(label) };
  return place.recording && number === evening().deal.number ? t(`beside.already.${whose}`, values) : t(`beside.writes.${whose}`, values);
}

onRecorders(hear);
onEvening(draw);
setInterval(ask, ASK);
addEventListener('hashchange', draw);
