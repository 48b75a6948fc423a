// The labels of an export: title, names and remarks, and the signed note about them.

import { bigEndian, fromHex, joinBytes, toBase64, toHex, utf8 } from './bytes.js';
import { hashFields } from './merkle_tree.js';
import { sha256 } from './sha2.js';
import { listOf, text } from './shapes.js';
import { InvalidNote, isSigned } from './signed_note.js';
import { Unreadable, parseJson } from './strict_json.js';

// Checks the labels, if there are any. Throws InvalidNote if some are missing or one does not hold.
export function checkLabels(doc, key) {
  const { version, title, names, remarks, labels } = doc;
  if (title === null && names === null && remarks === null && labels === null) return;
  if (names === null || remarks === null || labels === null || title === '')
    throw new InvalidNote('labels_wrong', version);
  const commitments = nameCommitments(doc.events);
  if (names.length !== commitments.length || !names.every((label, i) =>
    isCommittedTo(label, commitments[i]))) {
    throw new InvalidNote('names_wrong', version);
  }
  const respelled = names.some(({ spellings }) => spellings?.length > 0);
  const spelled = (spellings) => [bigEndian(spellings.length, 4),
    ...spellings.flatMap((past) => [utf8(past.name), bigEndian(past.until, 8), utf8(past.by)])];
  const fields = [
    ...[utf8(respelled ? 'vola labels 2' : 'vola labels 1'), fromHex(doc.session.replaceAll('-', '')),
      utf8(title ?? ''), bigEndian(names.length, 4)],
    ...names.flatMap(({ id, name, salt, spellings }) =>
      [utf8(id), utf8(name ?? ''), fromHex(salt ?? ''), ...(respelled ? spelled(spellings ?? []) : [])]),
    ...remarks.flatMap((remark) => [bigEndian(remark.version, 8), utf8(remark.remark)]),
  ];
  const statement = `vola-labels/${doc.session}\n${version}\n${toBase64(hashFields(fields))}\n`;
  if (!isSigned(labels, statement, doc.session, key)) throw new InvalidNote('labels_wrong', version);
}

// Returns [player, commitment to the name] in the order of joining, from the events.
export function nameCommitments(events) {
  const nameTexts = [];
  for (const { type, data, version } of events) {
    if (type === 'session_opened') {
      const [players, names] = members(data, version, ['players', 'names'], listOf(text));
      if (players.length !== names.length) throw new InvalidNote('names_wrong', version);
      players.forEach((player, i) => nameTexts.push([player, names[i]]));
    } else if (type === 'player_joined') {
      nameTexts.push(members(data, version, ['player', 'name'], text));
    }
  }
  return nameTexts;
}

function members(data, version, fieldNames, fits) {
  let parsed;
  try {
    parsed = parseJson(utf8(data));
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
  const values = parsed instanceof Map ? fieldNames.map((name) => parsed.get(name) ?? null) : [];
  if (!values.length || !values.every(fits)) throw new InvalidNote('names_wrong', version);
  return values;
}

// Whether the commitment is to this name or, if it was corrected, to its first spelling. An erased name and
// its salt are gone, so any commitment fits.
function isCommittedTo({ id, name, salt, spellings }, [player, standsFor]) {
  const spelled = (spellings ?? []).map((past) => past.name);
  if (name === null || salt === null) return id === player && name === salt && spelled.length === 0;
  spelled.push(name);
  if (spelled.some((spelling, i) => spelling === '' || spelling === spelled[i + 1])) return false;
  const bytes = fromHex(salt);
  const digest = sha256(joinBytes(utf8('vola name 1'), bigEndian(bytes.length, 4), bytes, utf8(spelled[0])));
  return id === player && toHex(digest) === standsFor;
}
