// That a deal is being written down here, said to the others at the table while it lasts: that it is, never what.
// Nobody waits for it, and without a network it is simply not said.

import { Problem, request, session } from '../core/api_client.js';
import { SIGN } from './sign.js';

const BEAT = 10_000; // ms; who has said nothing for three of them is taken for gone

let wanted = null; // what is being written here: {id, deal}
let told = null;   // … as the server has heard it
let timer = null;
let telling = false;
let more = false;

/** This deal is being written down here; null: none is any more. */
export function writing(id, deal) {
  if (deal === (wanted?.id === id ? wanted.deal : null)) return;
  wanted = deal === null ? null : { id, deal };
  clearInterval(timer);
  if (wanted !== null) timer = setInterval(tell, BEAT);
  tell();
}

/** One word after the other: what is said last must not come first. */
async function tell() {
  more = telling;
  if (telling) return;
  telling = true;
  do {
    more = false;
    const next = document.hidden ? null : wanted;
    if (told !== null && told.id !== next?.id) await stop();
    if (next !== null) await say(next);
  } while (more);
  telling = false;
}

async function say({ id, deal }) {
  told = { id };
  try {
    await request('PUT', session(id, `/recording/${SIGN}`), { body: { deal } });
  } catch (trouble) {
    if (!(trouble instanceof Problem)) return;
    told = null; // may not, or not any more: not said again
    writing(id, null);
  }
}

function stop() {
  const { id } = told;
  told = null;
  return request('DELETE', session(id, `/recording/${SIGN}`), { keepalive: true }).catch(() => null);
}

addEventListener('hashchange', () => {
  if (wanted !== null && location.hash !== `#/s/${encodeURIComponent(wanted.id)}/record`) writing(wanted.id, null);
});
addEventListener('pagehide', () => { if (told !== null) stop(); });
document.addEventListener('visibilitychange', tell);
addEventListener('pageshow', tell);
