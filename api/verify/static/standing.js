// Every movement of an evening that still stands, in order (ledger/projections/journal.py).

import { utf8 } from './bytes.js';
import { parse } from './json.js';
import { booked, CORRECTING, difference, member, moves, PLAY, SILENT, UNDOING, Unknown } from './moves.js';
import { Refused } from './note.js';
import { iso } from './times.js';

// Lines with their amount as a BigInt. TypeError or Unreadable for an event of another shape.
export function standing(events) {
  const kept = new Map();
  const played = []; // the lines of play: the deal and the place of each, newest last
  for (const { type: kind, version, at, data } of events) {
    if (SILENT.has(kind)) continue;
    const said = parse(utf8(data));
    const deal = said.get(kind === 'deal_opened' ? 'number' : 'deal') ?? null;
    movesAt(kind, said, deal, version).forEach(([of, [from, to, amount]], i) => {
      const place = `${version}.${i + 1}`;
      if (UNDOING.has(kind)) {
        const [, was] = played.pop();
        if (was !== null) {
          kept.delete(was);
          return;
        }
      } else if (PLAY.has(kind)) {
        played.push([deal, place]);
      }
      kept.set(place, { version, at: iso(at), deal: of, kind, from, to, amount });
    });
    if (CORRECTING.has(kind)) tellAgain(played, member(said, 'rescored'));
  }
  return [...kept.values()];
}

function movesAt(kind, said, deal, version) {
  if (CORRECTING.has(kind)) {
    return member(said, 'rescored').flatMap((one) => difference(one).map((move) => [member(one, 'deal'), move]));
  }
  try {
    return moves(kind, said).map((move) => [deal, move]);
  } catch (error) {
    throw error instanceof Unknown ? new Refused('event_unknown', version) : error;
  }
}

// The lines of corrected deals stand as their facts say now; only the difference was booked.
function tellAgain(played, rescored) {
  const again = new Map(rescored.map((one) => [member(one, 'deal'), member(one, 'facts')]));
  if (!again.size) return;
  const [first, byDeal] = [Math.min(...again.keys()), new Map()];
  while (played.length && played.at(-1)[0] !== null && played.at(-1)[0] >= first) {
    const line = played.pop();
    byDeal.set(line[0], [line, ...(byDeal.get(line[0]) ?? [])]);
  }
  for (const [deal, facts] of again) byDeal.set(deal, Array.from({ length: booked(facts) }, () => [deal, null]));
  for (const deal of [...byDeal.keys()].sort((one, other) => one - other)) played.push(...byDeal.get(deal));
}
