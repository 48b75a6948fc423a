// What has been paid, as it was written down: read from the events themselves, from the end backwards.

import { get, session } from '../../core/api_client.js';

const PAGE = 300; // events looked through at a time

/** Transfers of one evening as they become known; `list()` has the latest first. */
export function recorded(id) {
  let found = [];
  let first = null; // everything from behind this version on has been read …
  let last = 0;     // … up to this one

  const read = async (after, limit) => {
    const { events } = await get(session(id, `/events?after=${after}&limit=${limit}`));
    return { upto: events.at(-1)?.version ?? after, paid: events.filter(({ type }) => type === 'transfer_recorded').map(told) };
  };

  return {
    list: () => cancelling(found.toReversed()),
    more: () => first > 0,
    /** Reads what has been added; what was read before is not asked for again. */
    async upTo(version) {
      if (first === null) first = last = Math.max(0, version - PAGE);
      while (last < version) {
        const { upto, paid } = await read(last, 1_000);
        if (upto === last) return;
        last = upto;
        found = [...found, ...paid.filter((one) => !found.some((known) => known.version === one.version))];
      }
    },
    async earlier() {
      const begin = Math.max(0, first - PAGE);
      const { paid } = await read(begin, first - begin);
      first = begin;
      found = [...paid, ...found];
    },
  };
}

const told = ({ version, at, data: { payer, payee, amount, method } }) => ({ version, at, from: payer, to: payee, amount, method });

/** Marks pairs of the same amount that go both ways, the nearest to each other first: nothing is left of them. */
function cancelling(latestFirst) {
  const even = new Set();
  latestFirst.forEach((later, place) => {
    if (even.has(later)) return;
    const earlier = latestFirst.slice(place + 1).find((one) => !even.has(one)
      && one.from === later.to && one.to === later.from && one.amount === later.amount);
    if (earlier) even.add(later).add(earlier);
  });
  return latestFirst.map((one) => ({ ...one, even: even.has(one) }));
}
