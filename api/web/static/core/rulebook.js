// The games and their options as the server describes them, in the reader's language. Kept on the device, so
// that a session can be prepared without a network.

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
