// The first line of a verdict: what the file is, whose it is, and until when, as far as the file says. Has no
// sentences, and does not say whether the file holds.

import { parseJson } from './strict_json.js';

const CHECKPOINT_TIME = /^time (\S{27})$/m;
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$/;
const NUMBERED_ID = /^[pm]([1-9][0-9]{0,3})$/;
const MAX_CHARACTERS = 40; // of a title or a name (api/schemas/fields.py)
// Characters that control the direction of text or are invisible, except the joiner inside emoji.
const CONTROL = /(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

// The subject of the sentence and its operands: `player`, `evening` and `group` as text (or null),
// `number`, `id`, `version`, and times as they are written. Null if the file says too little; `doc` is what
// readDocument made of these bytes; `labels` is an export whose names have been checked, or null.
export function summarize(doc, bytes, labels = null) {
  const fields = parseJson(bytes);
  const evening = { evening: label(fields.get('title')), id: (doc.session ?? '').slice(0, 8) };
  const { version } = doc;
  const subjects = {
    export: () => ['export', { ...evening, evening: label(doc.title), version, date: doc.at }],
    receipt: () => ['receipt', { ...evening, evening: null, version, date: doc.at }],
    bare: () => ['bare', { version, date: doc.at }],
    names: () => ['names', { ...evening, evening: null, date: doc.at }],
    denial: () => ['denial', { ...evening, evening: null, date: doc.at }],
    statement: () => [doc.player === null ? 'session' : 'player',
      { ...evening, evening: evening.evening ?? label(labels?.title), player: playerName(doc.player, labels),
        number: numberOf(doc.player), version,
        date: CHECKPOINT_TIME.exec(doc.checkpoint ?? '')?.[1] ?? doc.period?.to ?? null }],
    group: () => groupSubject(doc, label(fields.get('name'))),
  };
  const [subject, operands] = subjects[doc.kind]();
  const times = ['date', 'from', 'to'].filter((name) => name in operands);
  return times.every((name) => isTime(operands[name])) ? { subject, operands } : null;
}

function groupSubject({ member, period, group }, name) {
  const subject = member === null ? 'group' : 'member';
  const operands = { group: name ?? group.slice(0, 8), number: numberOf(member) };
  const { from = null, to = null } = period ?? {};
  if (from === null || to === null) return [`${subject}_without_lines`, operands];
  const [first, last] = [from, to].sort(); // in a forged file the end may come before the beginning
  return [subject, { ...operands, from: first, to: last }];
}

const isTime = (text) => TIME.test(text ?? '') && !Number.isNaN(Date.parse(text));

// The number in the id of a player or a member; another id as it stands.
export const numberOf = (id) => (id === null ? null : NUMBERED_ID.exec(id)?.[1] ?? label(id) ?? '?');

const playerName = (player, labels) =>
  label(labels?.names?.find(({ id }) => id === player)?.name);

// Text from the file, shortened, with control characters replaced.
export function label(text) {
  if (typeof text !== 'string' || !text.trim()) return null;
  const characters = [...text.replace(CONTROL, '\ufffd')];
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS).join('')}…`
    : characters.join('');
}
