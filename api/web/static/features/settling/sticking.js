// Payments of a la vola that the server cannot settle: seldom, but then a person has to know, and may have it tried again.

import { get, request, session } from '../../core/api_client.js';

/** Since when and how often it was tried; null when nothing is stuck. */
export const sticking = async (id) => (await get(session(id, '/payments'))).stuck ?? null;

export const tryAgain = (id) => request('DELETE', session(id, '/payments/stuck'));
