// Reads the documents that can be checked: exports, receipts, statements and alarms. Throws Unreadable unless
// a document has the shape of its kind. Also splits the file of two documents that contradict each other.

import { utf8 } from './bytes.js';
import { amount, listOf, mapOf, matching, natural, object, orNull, player, text, version } from './shapes.js';
import { Unreadable, digestOf, parseJson } from './strict_json.js';

const HASH = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z$/;

// Microseconds since 1970 as a document writes them: in ISO 8601, always with six decimals.
export function toIsoTime(micros) {
  const micro = micros % 1000;
  const moment = new Date((micros - micro) / 1000).toISOString();
  return moment.replace('Z', `${String(micro).padStart(3, '0')}Z`);
}

const [hash, uuid, time] = [HASH, UUID, TIME].map(matching);

const HEAD = { version, hash, at: time, checkpoint: orNull(text) };
const EARLIER_KEY = { key: hash, note: text };
const KEYS = { key: orNull(hash), earlier_keys: orNull(listOf(object(EARLIER_KEY))) };
const COSIGNATURE = { player, key: hash, signature: text };
const WITNESSED = { ...HEAD, consistency: listOf(hash), cosignatures: listOf(object(COSIGNATURE)) };
const WITNESS = { ...HEAD, consistency: listOf(hash), name: matching(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/),
  key: hash, signature: text };
const COSIGNED = { witnessed: orNull(object(WITNESSED)), witnesses: orNull(listOf(object(WITNESS))) };
const SIGNED_FIELDS = { ...HEAD, session: uuid, ...KEYS, ...COSIGNED };
const EVENT = { version, type: text, schema: version, at: natural, by: text, data: text, hash };
const SALT = /^(?:[0-9a-f]{2}){1,64}$/;
const SPELLING = { name: text, until: natural, by: text };
const NAME_LABEL = { id: text, name: orNull(text), salt: orNull(matching(SALT)),
  spellings: orNull(listOf(object(SPELLING))) };
const REMARK = { version, remark: text };
const LABELS = {
  ...{ title: orNull(text), labels: orNull(text) },
  ...{ names: orNull(listOf(object(NAME_LABEL))), remarks: orNull(listOf(object(REMARK))) },
};
const LINE = {
  ...{ version: orNull(version), at: orNull(time), deal: orNull(version), kind: orNull(text),
    from: orNull(text) },
  ...{ to: orNull(text), amount: orNull(amount), change: orNull(amount), balance: orNull(amount) },
};
const GROUP_LINE = { ...LINE, session: orNull(text) };
const BET = { id: orNull(text), amount, paid: () => true };
const PERIOD = { from: orNull(text), to: orNull(text) };
const FILTERS = { ...PERIOD, begins: orNull(time), ends: orNull(time) };
const SESSION_SUMMARY = { session: uuid, version, hash, key: hash, checkpoint: text,
  ...COSIGNED, results: orNull(mapOf(amount)) };
const FIELDS = {
  ...{ currency: orNull(text), opening: amount, closing: amount, lines: listOf(object(LINE)) },
  ...{ period: orNull(object(PERIOD)), filters: orNull(object(FILTERS)), ...KEYS,
    signature: orNull(text) },
};
const WRITE_RECEIPT = { version, hash };
const BARE = { ...HEAD, at: orNull(time), session: orNull(uuid), key: orNull(hash),
  receipts: orNull(listOf(object(WRITE_RECEIPT))) };
const ALARM = { session: uuid, at: text };
const PLAYER = { id: player, name: text };
const KEPT_HEAD = { version, hash, checkpoint: text };
const KEPT_RECORD = { key: orNull(hash), head: orNull(object(KEPT_HEAD)),
  receipts: orNull(listOf(object(WRITE_RECEIPT))) };
const SHAPES = {
  export: { ...SIGNED_FIELDS, ...LABELS, events: listOf(object(EVENT)) },
  receipt: { ...SIGNED_FIELDS, head: object(HEAD), inclusion: listOf(hash), consistency: listOf(hash) },
  statement: {
    ...FIELDS,
    ...{ session: uuid, version, hash, checkpoint: orNull(text), game: orNull(text), player: orNull(text) },
    ...COSIGNED,
    ...{ unit: orNull(matching(/^(money|points)$/)), pot: orNull(amount) },
    ...{ balances: orNull(mapOf(amount)), scores: orNull(mapOf(amount)) },
    bets: orNull(listOf(object(BET))),
  },
  group: {
    ...FIELDS,
    lines: listOf(object(GROUP_LINE)),
    ...{ group: uuid, member: orNull(text), sessions: listOf(object(SESSION_SUMMARY)) },
    ...{ balances: mapOf(amount), others: amount, on_tables: amount },
  },
  bare: BARE,
  // The alarms of a phone or a witness that have no two signed documents.
  names: { ...ALARM, kept: object({ names: mapOf(listOf(text)) }),
    received: object({ players: listOf(object(PLAYER)) }) },
  denial: { ...ALARM, received: object({ code: matching(/^unknown_version$/) }),
    kept: object(KEPT_RECORD) },
};

function kindOf(doc) {
  const format = doc.get('format') ?? null;
  if (format === 'vola session 1') return 'export';
  if (format === 'vola receipt 1') return 'receipt';
  if (format === 'vola contradiction 1') {
    const received = doc.get('received');
    return received instanceof Map && received.has('players') ? 'names' : 'denial';
  }
  if (format !== null) throw new Unreadable();
  if (!doc.has('lines')) return 'bare';
  return doc.has('group') || doc.has('circle') ? 'group' : 'statement';
}

// The names of fields in a group's statement before version 1.0, which is signed with those names.
const FIELDS_BEFORE_1_0 = new Map([['circle', 'group'], ['evenings', 'sessions']]);

const renameFields = (doc) =>
  new Map([...doc].map(([name, value]) => [FIELDS_BEFORE_1_0.get(name) ?? name, value]));

// Returns the document as a plain object with its `kind`.
export function readDocument(bytes) {
  const document = parseJson(bytes);
  if (!(document instanceof Map)) throw new Unreadable();
  const kind = kindOf(document);
  const renamed = document.has('circle') ? renameFields(document) : document;
  if (!object(SHAPES[kind])(renamed)) throw new Unreadable();
  if (kind === 'names' || kind === 'denial') return { ...alarmMembers(renamed), kind };
  const result = { ...members(renamed, SHAPES[kind]), kind };
  if (kind === 'statement' || kind === 'group')
    result.digest = digestOf(new Map([...document].filter(([name]) => name !== 'signature')));
  if (kind === 'group') result.version = result.sessions.length;
  return result;
}

// The known members alone, as an object, so that no name from the file becomes a property.
function members(values, shape) {
  return Object.fromEntries(Object.keys(shape).map((name) =>
    [name, plainValue(values.get(name) ?? null, name)]));
}

function alarmMembers(doc) {
  const [kept, received] = ['kept', 'received'].map((name) => doc.get(name));
  const head = kept.get('head') ?? null;
  return {
    ...members(doc, ALARM),
    ...(received.has('players')
      ? { names: kept.get('names'), players: received.get('players').map((entry) => members(entry, PLAYER)) }
      : { key: kept.get('key') ?? null, head: head && members(head, KEPT_HEAD) }),
  };
}

// The shape of the objects that a member holds, alone or in a list.
const SHAPES_OF_MEMBERS = {
  head: HEAD, period: PERIOD, filters: FILTERS, witnessed: WITNESSED, receipts: WRITE_RECEIPT,
  earlier_keys: EARLIER_KEY, witnesses: WITNESS, cosignatures: COSIGNATURE, sessions: SESSION_SUMMARY,
  names: NAME_LABEL, spellings: SPELLING, remarks: REMARK, events: EVENT, lines: GROUP_LINE, bets: BET,
};

function plainValue(value, name) {
  const shape = SHAPES_OF_MEMBERS[name];
  if (value === null || !shape) return value;
  return Array.isArray(value) ? value.map((item) => members(item, shape)) : members(value, shape);
}

// The two documents of a file in which a phone or a witness keeps a contradiction, as bytes: the one that was
// received and the one that was kept; null for any other file.
export function splitContradiction(bytes) {
  try {
    const doc = parseJson(bytes);
    const isContradiction = doc instanceof Map && doc.get('format') === 'vola contradiction 1';
    if (!isContradiction || !doc.get('received').has('hash')) return null;
    const keptDocument = doc.get('kept').get('document') ?? keptClaim(doc);
    return [doc.get('received'), keptDocument].map((document) => utf8(JSON.stringify(plain(document))));
  } catch (error) {
    if (error instanceof Unreadable || error instanceof TypeError) return null;
    throw error;
  }
}

// The kept record as one claim, which is signed if a checkpoint was kept.
function keptClaim(doc) {
  const record = doc.get('kept');
  if (!object(KEPT_RECORD)(record) || !doc.has('session')) throw new Unreadable();
  const receipts = record.get('receipts') ?? [];
  const newest = record.get('head') ?? receipts.reduce((receipt, next) =>
    (next.get('version') > receipt.get('version') ? next : receipt));
  const claim = ['version', 'hash', 'checkpoint'].map((name) => [name, newest.get(name) ?? null]);
  return new Map([['key', record.get('key') ?? null], ...claim, ['receipts', receipts],
    ['session', doc.get('session')]]);
}

const plain = (value) => (value instanceof Map
  ? Object.fromEntries([...value].map(([name, member]) => [name, plain(member)]))
  : Array.isArray(value) ? value.map(plain) : value);
