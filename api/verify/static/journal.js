// The journal of a session: every line that still counts, in order (ledger/projections/journal.py).

import { utf8 } from './bytes.js';
import { toIsoTime } from './document.js';
import { SCHEMA, UnknownEvent, fitEvent } from './event_shapes.js';
import { CORRECTION_EVENTS, PLAY_EVENTS, UNDO_EVENTS, postingCount, postingsDifference,
  postingsOf } from './postings.js';
import { InvalidNote } from './signed_note.js';
import { parseJson } from './strict_json.js';

// Returns the lines, with amounts as BigInt. Throws TypeError or Unreadable for events that no ledger writes.
export function readJournal(events) {
  const linesByEvent = new Map();
  const playLines = []; // the lines of play, newest last: [deal, place]
  const deleteLine = (place) => {
    if (!linesByEvent.delete(place)) throw new TypeError(place);
  };
  for (const event of events) {
    const { type: kind, version, at: recordedAt } = event;
    if ((kind === 'session_opened') !== (version === 1)) throw new TypeError(kind);
    const [fields, postings] = readEvent(event);
    const deal = dealOf(kind, fields);
    postings.forEach(([postingDeal, [source, target, amount]], i) => {
      if (kind === 'cost_voided') {
        deleteLine(`${fields.get('recorded_version')}.${postings.length - i}`);
        return;
      }
      const place = `${version}.${i + 1}`;
      if (UNDO_EVENTS.has(kind)) {
        const [, undonePlace] = playLines.pop();
        if (undonePlace !== null) {
          deleteLine(undonePlace);
          return;
        }
      } else if (PLAY_EVENTS.has(kind)) {
        playLines.push([deal, place]);
      }
      linesByEvent.set(place, { version, at: toIsoTime(recordedAt), deal: postingDeal, kind, from: source,
        to: target, amount });
    });
    if (CORRECTION_EVENTS.has(kind)) replayRescored(playLines, fields.get('rescored'));
  }
  return [...linesByEvent.values()];
}

const dealOf = (kind, fields) => fields.get(kind === 'deal_opened' ? 'number' : 'deal') ?? null;

// The fields of an event, and its postings, each after its deal.
function readEvent({ type: kind, version, schema, data }) {
  try {
    if (schema !== SCHEMA) throw new UnknownEvent(kind);
    const fields = fitEvent(kind, parseJson(utf8(data)));
    const postings = CORRECTION_EVENTS.has(kind)
      ? fields.get('rescored').flatMap((rescored) => postingsDifference(rescored)
        .map((posting) => [rescored.get('deal'), posting]))
      : postingsOf(kind, fields).map((posting) => [dealOf(kind, fields), posting]);
    return [fields, postings];
  } catch (error) {
    throw error instanceof UnknownEvent ? new InvalidNote('event_unknown', version) : error;
  }
}

// Replaces the entries of corrected deals by one for each posting of the new facts. Their place is null,
// because the journal holds only the difference.
function replayRescored(playLines, rescored) {
  const factsByDeal = new Map(rescored.map((record) => [record.get('deal'), record.get('facts')]));
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
