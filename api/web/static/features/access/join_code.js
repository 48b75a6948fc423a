// Whether the door of an evening is open, as far as this phone knows: asked seldom, and told by who opens it here.

import { Problem, get, session } from '../../core/api_client.js';

const FRESH = 60_000; // ms that an answer is good for: clocks of phones are wrong, so the server says when a code has run out

let known = { id: null, open: false, at: 0 };

/** `code`: as the server tells it; null when the door is shut. */
export function knows(id, { code }) {
  known = { id, open: code !== null, at: Date.now() };
}

/** The code that finds this evening, {code, until}; both null while the door is shut. */
export const code = (id) => get(session(id, '/code')).catch((trouble) => {
  if (trouble instanceof Problem && trouble.code === 'door_shut') return { code: null, until: null };
  throw trouble;
});

export async function ajar(id) {
  if (known.id !== id || Date.now() - known.at > FRESH) knows(id, await code(id));
  return known.open;
}
