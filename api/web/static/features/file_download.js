// Files from the server, as the bytes that it sent, and files for the device to save.

import { Problem, Unreached } from '../core/request_errors.js';
import { language } from '../core/translator.js';
import { buildElement, h } from '../ui/elements.js';

const KEPT_MS = 60_000; // until the browser has surely taken the file over

/** Resolves to the answer with its body unread. Throws Problem or Unreached. */
export async function requestFile(address, signal, more = {}) {
  const headers = { 'Accept-Language': language(), ...more };
  const answer = await fetch(address, { credentials: 'same-origin', cache: 'no-store', headers, signal })
    .catch(() => { throw new Unreached(address); });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => null);
  throw problem?.code && answer.status < 500 ? new Problem(answer.status, problem)
    : new Unreached(`${address}: ${answer.status}`);
}

/** Saves the file, as if it had been a link. */
export function saveFile({ blob, name }) {
  const address = URL.createObjectURL(blob);
  buildElement(h('a', { href: address, download: name })).click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
