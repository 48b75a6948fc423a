// A link of the circle that went too far is replaced. The host's own as well: this phone gets the next one with the answer.

import { evenings, phoneIn, recall, remember, rememberRole, roleIn } from '../../core/device_storage.js';
import { exchange, get, newKey, Problem } from '../../core/api_client.js';
import { at, tokenOf, write } from './group_client.js';

const pending = (id) => `ending.${id}`;

/** Ends links, one wish at a time; resolves to the links as they are now. */
export function ender(id) {
  let last = null;
  return async (role, inEvenings) => {
    if (last?.role !== role || last.inEvenings !== inEvenings) last = { role, inEvenings, key: newKey() };
    const links = await send(id, last);
    last = null; // once more is another wish, unless nobody knows what became of this one
    return links;
  };
}

/** If this phone is out because it has ended its own link and never heard so, it asks once more. Whether it is in again. */
export async function heardAfterAll(id) {
  const wish = recall(pending(id));
  if (wish === null) return false;
  try {
    await send(id, wish);
    return true;
  } catch (trouble) {
    if (trouble instanceof Problem) return false;
    throw trouble;
  }
}

/** This phone is in, so nothing was lost. */
export const allHeard = (id) => remember(pending(id), null);

async function send(id, wish) {
  const { role, inEvenings, key } = wish;
  if (role === 'host') remember(pending(id), wish);
  try {
    const { links } = await write(at(id, `/links/${role}${inEvenings ? '?evenings=true' : ''}`), undefined, { method: 'DELETE', key });
    allHeard(id);
    if (role === 'host' && inEvenings) await stayIn(id);
    return links;
  } catch (trouble) {
    if (trouble instanceof Problem) allHeard(id);
    throw trouble;
  }
}

/** Into those of the evenings where this phone was by the link that has ended. */
async function stayIn(id) {
  const mine = new Set(evenings().map((one) => one.id).filter((one) => roleIn(one) === 'host' && phoneIn(one) === null));
  const { evenings: theirs } = await get(at(id));
  for (const evening of theirs.filter(({ session }) => mine.has(session))) {
    await exchange(evening.session, tokenOf(evening));
    rememberRole(evening.session, tokenOf(evening));
  }
}
