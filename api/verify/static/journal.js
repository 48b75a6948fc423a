// The journal of a session: every line that still counts, in order (ledger/projections/journal.py).

import { utf8 } from './bytes.js';
import { CORRECTION_EVENTS, EVENTS_WITHOUT_POSTINGS, PLAY_EVENTS, UNDO_EVENTS, UnknownEvent, postingCount,
  member, postingsDifference, postingsOf } from './postings.js';
import { InvalidNote } from './signed_note.js';
import { parseJson } from './strict_json.js';
import { toIsoTime } from './timestamps.js';

// Returns the lines, with amounts as BigInt. Throws TypeError or Unreadable for an event of another shape.
export function readJournal(events) {
  const linesByEvent = new Map();
  const playLines = []; // the lines of play, newest last: [deal, place]
  for (const { type: kind, version, at: recordedAt, data } of events) {
    if (EVENTS_WITHOUT_POSTINGS.has(kind)) continue;
    const fields = parseJson(utf8(data));
    const deal = fields.get(kind === 'deal_opened' ? 'number' : 'deal') ?? null;
    const postings = eventPostings(kind, fields, deal, version);
    postings.forEach(([postingDeal, [source, target, amount]], i) => {
      if (kind === 'cost_voided') {
        linesByEvent.delete(`${member(fields, 'recorded_version')}.${postings.length - i}`);
        return;
      }
      const place = `${version}.${i + 1}`;
      if (UNDO_EVENTS.has(kind)) {
        const [, undonePlace] = playLines.pop();
        if (undonePlace !== null) {
          linesByEvent.delete(undonePlace);
          return;
        }
      } else if (PLAY_EVENTS.has(kind)) {
        playLines.push([deal, place]);
      }
      linesByEvent.set(place, { version, at: toIsoTime(recordedAt), deal: postingDeal, kind, from: source,
        to: target, amount });
    });
    if (CORRECTION_EVENTS.has(kind)) replayRescored(playLines, member(fields, 'rescored'));
  }
  return [...linesByEvent.values()];
}

function eventPostings(kind, fields, deal, version) {
  try {
    if (CORRECTION_EVENTS.has(kind)) {
      return member(fields, 'rescored').flatMap((rescored) => postingsDifference(rescored)
        .map((posting) => [member(rescored, 'deal'), posting]));
    }
    return postingsOf(kind, fields).map((posting) => [deal, posting]);
  } catch (error) {
    throw error instanceof UnknownEvent ? new InvalidNote('event_unknown', version) : error;
  }
}

// Replaces the entries of corrected deals by one for each posting of the new facts. Their place is null,
// because the journal holds only the difference.
function replayRescored(playLines, rescored) {
  const factsByDeal = new Map(rescored.map((record) => [member(record, 'deal'), member(record, 'facts')]));
  if (!factsByDeal.size) return;
  const [firstDeal, byDeal] = [Math.min(...factsByDeal.keys()), new Map()];
  while (playLines.length && playLines.at(-1)[0] !== null && playLines.at(-1)[0] >= firstDeal) {
    const line = playLines.pop();
    byDeal.set(line[0], [line, ...(byDeal.get(line[0]) ?? [])]);
  }
  for (const [deal, facts] of factsByDeal) byDeal.set(deal, Array
    .from({ length: postingCount(facts) }, () => [deal, null]));
  for (const deal of [...byDeal.keys()].sort((number, nextDeal) => number - nextDeal))
    playLines.push(...byDeal.get(deal));
}
