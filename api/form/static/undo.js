// One tap takes back the last thing recorded; the server decides what that was.

import { act, evening, refresh } from './evening.js';
import { keepDraft, roleIn } from './memory.js';
import { say, warn } from './page.js';
import { Problem } from './server.js';
import { mayTakeBack, takeBack, unsent } from './queue.js';
import { t } from './words.js';

export const mayUndo = (state) => state.status === 'open' && roleIn(state.id) !== 'viewer' && (mayTakeBack(state.id)
  || (unsent(state.id).length === 0 && state.legal_actions.some((action) => action.type === 'undo')));

/** Undoes, then goes where the evening stands now: into the reopened deal, or to the table. */
export async function undo(home) {
  const { id } = evening();
  if (mayTakeBack(id)) {
    const { note: { number, live, base, taps } } = await takeBack(id);
    if (taps) keepDraft(id, { number: number ?? live, base, taps: taps.slice(0, -1) });
    say(t('undo.done'));
    const there = taps ? `${home}/record` : home;
    if (location.hash !== there) location.hash = there;
    return;
  }
  try {
    await act([{ type: 'undo' }], { undo: true });
  } catch (trouble) {
    if (!(trouble instanceof Problem)) throw trouble;
    await refresh();
    warn(trouble.message);
    return;
  }
  say(t('undo.done'));
  const reopened = evening().deal.phase !== 'waiting';
  const there = reopened ? `${home}/record` : home;
  if (location.hash !== there) location.hash = there;
}
