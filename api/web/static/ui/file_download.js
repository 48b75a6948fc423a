// A file taken home: read as it comes, so that a long one can be seen coming, stopped, or known to be cut off.

import { h } from './elements.js';
import { Problem, Unreached } from '../core/api_client.js';
import { language } from '../core/translator.js';

const NEWLINE = 10;
const KEPT = 60_000; // ms that the browser has to take the file over

/** The file broke off on its way: nothing of it is kept. */
export class Broken extends Error {}

/** `{blob, name}`; `told(bytes, lines)` after every piece. Throws Problem, Unreached or Broken; null when `signal` stopped it. */
export async function fetched(address, { name, told, signal }) {
  try {
    const answer = await asked(address, signal);
    const blob = await whole(answer, told);
    return { blob, name: named(answer) ?? name };
  } catch (trouble) {
    if (signal.aborted) return null;
    throw trouble;
  }
}

async function asked(address, signal) {
  const headers = { 'Accept-Language': language() };
  const answer = await fetch(address, { credentials: 'same-origin', cache: 'no-store', headers, signal }).catch(() => { throw new Unreached(address); });
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => null);
  throw said?.code && answer.status < 500 ? new Problem(answer.status, said) : new Unreached(`${address}: ${answer.status}`);
}

async function whole(answer, told) {
  const pieces = [];
  let [bytes, lines] = [0, 0];
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => { throw new Broken(answer.url); });
    if (done) return new Blob(pieces, { type: answer.headers.get('Content-Type') ?? '' });
    pieces.push(value);
    bytes += value.length;
    for (const sign of value) if (sign === NEWLINE) lines += 1;
    told(bytes, lines);
  }
}

/** As the server calls it: with all its letters where it says them, else in ASCII. */
function named(answer) {
  const sent = answer.headers.get('Content-Disposition') ?? '';
  const whole = /filename\*=UTF-8''([^;]+)/.exec(sent)?.[1];
  return whole ? decodeURIComponent(whole) : /filename="([^"]+)"/.exec(sent)?.[1];
}

/** Hands it to the phone, as if it had been a link. */
export function keep({ blob, name }) {
  const address = URL.createObjectURL(blob);
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT);
}
