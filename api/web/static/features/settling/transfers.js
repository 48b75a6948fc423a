// Writing down that somebody paid somebody: once, whatever the network does and whoever else taps at the same time.

import { nameOf, refresh, write } from '../../core/session_store.js';
import { say } from '../../ui/page.js';
import { unsent } from '../../core/sync_queue.js';
import { Problem } from '../../core/api_client.js';
import { t } from '../../core/translator.js';
import { lineOf, planned } from './payment_plan.js';

let latest = null; // what was written down last, for the screen that comes next to say

/** On its way, or waiting for a network: until it is there, the plan may be about to change. */
export const underway = (id) => unsent(id).length > 0;

/** `money` writes the amount. Throws the server's Problem when it was not taken. */
export async function record(id, one, money, asked = true) {
  const { from, to, amount, method } = one;
  const what = `${nameOf(from)} → ${nameOf(to)}, ${money.plain(amount)}`; // should a no come when nobody waits for it here any more
  try {
    await write('/transfers', { from, to, amount, ...(method && { method }) }, { note: { transfer: true, what } });
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    await refresh();
    // The evening went on meanwhile. As long as the plan still has this line, it was about something else.
    if (trouble.status === 412 && asked && (lineOf(await planned(id), one)?.amount ?? 0) >= amount) return record(id, one, money, false);
    throw trouble;
  }
  latest = { id, words: t('settle.noted', { from: nameOf(from), to: nameOf(to), amount: money.plain(amount) }) };
  say(latest.words);
  return latest.words;
}

/** What was just written down in this evening, said once. */
export function justRecorded(id) {
  const words = latest?.id === id ? latest.words : null;
  latest = null;
  return words;
}
