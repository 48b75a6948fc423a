// Every game as the server describes it, in the reader's language: what may be agreed, and what it means.
// Kept on the phone, so that a new evening can be written down where no network reaches.

import { recall, remember } from './device_storage.js';
import { get } from './api_client.js';
import { language } from './translator.js';

export async function rulebook() {
  const spoken = language();
  try {
    const { games } = await get('/v1/games');
    remember(`games.${spoken}`, games);
    return games;
  } catch (trouble) {
    const kept = recall(`games.${spoken}`);
    if (kept === null) throw trouble;
    return kept;
  }
}
