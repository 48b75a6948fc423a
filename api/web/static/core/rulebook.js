// Every game as the server describes it, in the reader's language: what may be agreed, and what it means.
// Kept on the phone, so that a new evening can be written down where no network reaches.

import { getJson } from './api_client.js';
import { readItem, writeItem } from './device_storage.js';
import { language } from './translator.js';

export async function fetchRulebook() {
  const spoken = language();
  try {
    const { games } = await getJson('/v1/games');
    writeItem(`games.${spoken}`, games);
    return games;
  } catch (trouble) {
    const stored = readItem(`games.${spoken}`);
    if (stored === null) throw trouble;
    return stored;
  }
}
