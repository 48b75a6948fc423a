// The draft of a deal that is being recorded. An action that waits in this page's memory only is part of it,
// because a reload loses it.

import { dealDraft, removeDraft, saveDraft } from '../../core/device_storage.js';
import { unsentWrites } from '../../core/sync_queue.js';
import { areWritesStored } from '../../core/write_storage.js';
import { dealOfWrite, playedActions } from '../../domain/deal.js';

/** `earlierActions`: the actions of the deal that are recorded or wait; `taps` follow them. */
export function saveDealDraft(id, number, earlierActions, taps) {
  const unstored = areWritesStored() ? []
    : unsentWrites(id).filter((write) => dealOfWrite(write) === number)
      .flatMap(({ body }) => playedActions(body));
  const base = Math.max(0, earlierActions.length - unstored.length);
  saveDraft(id, { number, base, heard: earlierActions.slice(0, base),
    taps: [...earlierActions.slice(base), ...taps] });
}

/** The taps of the draft that follow the actions of the deal so far; none if it does not continue them. */
export function restoreTaps(id, number, earlierActions) {
  const draft = dealDraft(id);
  if (draft?.number !== number || draft.base > earlierActions.length) return [];
  const actions = [...draft.heard ?? [], ...draft.taps];
  const beginning = actions.slice(0, earlierActions.length);
  return JSON.stringify(beginning) === JSON.stringify(earlierActions)
    ? actions.slice(earlierActions.length) : [];
}

/** Removes the draft of a deal, unless the write with this note waits in this page's memory only. */
export function removeSafeDraft(id, number, note) {
  if (!areWritesStored() && unsentWrites(id).some((entry) => entry.note === note)) return;
  if (dealDraft(id)?.number === number) removeDraft(id); // a late answer may find that of the next deal
}
