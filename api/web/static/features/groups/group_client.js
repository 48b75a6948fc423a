// A circle on the wire: looked at, written to, and the way from it into its evenings.

import { stays } from '../access/access_rights.js';
import { evenings, rememberRole } from '../../core/device_storage.js';
import { warn } from '../../ui/page.js';
import { exchange, newKey, Problem, request, session, Unreached } from '../../core/api_client.js';
import { t } from '../../core/translator.js';

export const at = (id, rest = '') => `/v1/circles/${encodeURIComponent(id)}${rest}`;

export async function write(path, body, { method = 'POST', key = newKey() } = {}) {
  return (await request(method, path, { body, headers: { 'Idempotency-Key': key } })).body;
}

/** Trades the token of a link for a cookie that no script can read. */
export async function letIn(id, token) {
  await request('PUT', at(id, '/cookie'), { headers: { Authorization: `Bearer ${token}` } });
  rememberRole(id, token);
}

/** The key of a wish: the same wish twice (a lost answer, an eager thumb) is one. */
export function keyed() {
  let last = null;
  let key = null;
  return (wish) => {
    const written = JSON.stringify(wish);
    if (written !== last) [last, key] = [written, newKey()];
    return key;
  };
}

/** What is told when something could not be done; any other trouble is a fault, and goes on. */
export function told(trouble) {
  if (trouble instanceof Unreached) return warn(t('queue.offline'));
  if (!(trouble instanceof Problem)) throw trouble;
  return warn(trouble.errors.map(({ detail }) => detail).join(' ') || trouble.message);
}

export const tokenOf = ({ path }) => path.split('/').at(-1);

/** An evening of the circle as it stands, seen with the right that the circle gives. */
export const stateOf = async (evening) => (await request('GET', session(evening.session),
  { headers: { Authorization: `Bearer ${tokenOf(evening)}` } })).body;

/** A tap that goes into an evening. */
export const into = (evening) => (event) => {
  event.preventDefault();
  return go(evening);
};

/** Into an evening. A right to it that this phone has already is never made narrower. */
export async function go(evening) {
  const here = location.hash;
  const token = tokenOf(evening);
  const known = evenings().some(({ id }) => id === evening.session);
  try {
    if (!known || !await stays(evening.session, token)) {
      await exchange(evening.session, token);
      rememberRole(evening.session, token);
    }
    if (location.hash === here) location.hash = `#/s/${evening.session}`; // else somebody has gone elsewhere
  } catch (trouble) {
    told(trouble);
  }
}

const CALM = 2_500; // ms between questions while somebody looks

/** Asks again for as long as this is what is looked at; `heard(news)` only when it is not what was `known`. */
export function watch(path, known, still, heard) {
  let etag = null;
  let last = JSON.stringify(known);
  const ask = async () => {
    if (!still()) return;
    try {
      if (!document.hidden) {
        const answer = await request('GET', path, { headers: etag === null ? {} : { 'If-None-Match': etag } });
        const said = answer.status === 200 ? JSON.stringify(answer.body) : last;
        if (said !== last && still()) await heard(answer.body);
        [etag, last] = [answer.etag ?? etag, said]; // only now: news that could not be shown is asked for again
      }
    } catch { /* out of reach, or let out: whoever taps is told */ }
    setTimeout(ask, CALM);
  };
  ask();
}
