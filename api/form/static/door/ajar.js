// Whether the door of an evening is open, as far as this phone knows: asked seldom, and told by who opens it here.

import { get, session } from '../server.js';

const FRESH = 60_000; // ms that an answer is good for: clocks of phones are wrong, so the server says when a code has run out

let known = { id: null, open: false, at: 0 };

/** `code`: as the server tells it; null when the door is shut. */
export function knows(id, { code }) {
  known = { id, open: code !== null, at: Date.now() };
}

export async function ajar(id) {
  if (known.id !== id || Date.now() - known.at > FRESH) knows(id, await get(session(id, '/code')));
  return known.open;
}
