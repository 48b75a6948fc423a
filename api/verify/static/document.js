// What may be checked: exports, receipts, statements, each with its shape; else Unreadable.

import { digestOf } from './canonical.js';
import { parse, Unreadable } from './json.js';

const HASH = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z$/;

const matching = (pattern) => (value) => typeof value === 'string' && pattern.test(value);
const from = (least, most) => (value) => typeof value === 'number' && least <= value && value <= most;
const text = (value) => typeof value === 'string' && !/[\ud800-\udfff]/u.test(value); // no half signs
const orNull = (fits) => (value) => value === null || fits(value);
const listOf = (fits) => (value) => Array.isArray(value) && value.every(fits);
const each = (fits) => (value) => value instanceof Map && [...value.values()].every(fits);
const object = (shape) => (value) =>
  value instanceof Map && Object.entries(shape).every(([name, fits]) => fits(value.get(name) ?? null));

const MOST = Number.MAX_SAFE_INTEGER;
const [hash, uuid, time] = [HASH, UUID, TIME].map(matching);
const [version, amount, microseconds] = [from(1, 2 ** 31 - 1), from(-MOST, MOST), from(0, MOST)];

const STOOD = { version, hash, at: time, checkpoint: orNull(text) };
const SIGNED = { ...STOOD, session: uuid, key: orNull(hash) };
const EVENT = { version, type: text, schema: version, at: microseconds, by: text, data: text, hash };
const SALT = /^(?:[0-9a-f]{2}){1,64}$/;
const SPELLED = { name: text, until: microseconds, by: text };
const CALLED = { id: text, name: orNull(text), salt: orNull(matching(SALT)), spellings: orNull(listOf(object(SPELLED))) };
const REMARKED = { version, remark: text };
const LABELS = {
  ...{ title: orNull(text), labels: orNull(text) },
  ...{ names: orNull(listOf(object(CALLED))), remarks: orNull(listOf(object(REMARKED))) },
};
const LINE = {
  ...{ version: orNull(version), at: orNull(time), deal: orNull(version), kind: orNull(text), from: orNull(text) },
  ...{ to: orNull(text), amount: orNull(amount), change: orNull(amount), balance: orNull(amount) },
};
const BET = { id: orNull(text), amount, paid: () => true };
const SPAN = { from: orNull(text), to: orNull(text) };
const FILTERS = { ...SPAN, begins: orNull(time), ends: orNull(time) };
const EVENING = { session: uuid, version, hash, key: hash, checkpoint: text };
const SAID = {
  ...{ currency: orNull(text), opening: amount, closing: amount, lines: listOf(object(LINE)) },
  ...{ period: orNull(object(SPAN)), filters: orNull(object(FILTERS)), key: orNull(hash), signature: orNull(text) },
};
const SHAPES = {
  export: { ...SIGNED, ...LABELS, events: listOf(object(EVENT)) },
  receipt: { ...SIGNED, head: object(STOOD), inclusion: listOf(hash), consistency: listOf(hash) },
  statement: {
    ...SAID,
    ...{ session: uuid, version, hash, checkpoint: orNull(text), game: orNull(text), player: orNull(text) },
    ...{ unit: orNull(matching(/^(money|points)$/)), pot: orNull(amount) },
    ...{ balances: orNull(each(amount)), scores: orNull(each(amount)) },
    bets: orNull(listOf(object(BET))),
  },
  group: {
    ...SAID,
    ...{ circle: uuid, member: orNull(text), evenings: listOf(object(EVENING)) },
    ...{ balances: each(amount), others: amount, on_tables: amount },
  },
  bare: STOOD,
};

function kindOf(doc) {
  const format = doc.get('format') ?? null;
  if (format === 'vola session 1') return 'export';
  if (format === 'vola receipt 1') return 'receipt';
  if (format !== null) throw new Unreadable();
  if (!doc.has('lines')) return 'bare';
  return doc.has('circle') ? 'group' : 'statement';
}

// A document of plain members, and its kind.
export function read(bytes) {
  const found = parse(bytes);
  if (!(found instanceof Map)) throw new Unreadable();
  const kind = kindOf(found);
  if (!object(SHAPES[kind])(found)) throw new Unreadable();
  const made = { ...members(found, SHAPES[kind]), kind };
  if (kind === 'statement' || kind === 'group') made.digest = digestOf(new Map([...found].filter(([name]) => name !== 'signature')));
  if (kind === 'group') made.version = made.evenings.length;
  return made;
}

// Only the members that we know, as an object: no name from outside becomes one of ours.
function members(found, shape) {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, plain(found.get(name) ?? null, name)]));
}

function plain(value, name) {
  if (value === null) return value;
  if (name === 'head') return members(value, STOOD);
  if (name === 'period') return members(value, SPAN);
  if (name === 'filters') return members(value, FILTERS);
  if (name === 'evenings') return value.map((evening) => members(evening, EVENING));
  if (name === 'names') return value.map((called) => members(called, CALLED));
  if (name === 'spellings') return value.map((past) => members(past, SPELLED));
  if (name === 'remarks') return value.map((remarked) => members(remarked, REMARKED));
  if (name === 'events') return value.map((event) => members(event, EVENT));
  if (name === 'lines') return value.map((line) => members(line, LINE));
  if (name === 'bets') return value.map((bet) => members(bet, BET));
  return value;
}
