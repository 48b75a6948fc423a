// Title, names and remarks that come along with an export: whether it was kept with them.

import { base64, big, hex, joined, unhex, utf8 } from './bytes.js';
import { parse, Unreadable } from './json.js';
import { isSigned, Refused } from './note.js';
import { sha256 } from './sha.js';
import { sealed } from './tree.js';

const text = (value) => typeof value === 'string' && !/[\ud800-\udfff]/u.test(value);
const texts = (value) => Array.isArray(value) && value.every(text);

// They are all there or none of them; what does not hold is Refused.
export function checkLabels(doc, key) {
  const { version, title, names, remarks, labels } = doc;
  if (title === null && names === null && remarks === null && labels === null) return;
  if (names === null || remarks === null || labels === null || title === '') throw new Refused('labels_wrong', version);
  const who = committed(doc.events);
  if (names.length !== who.length || !names.every((one, i) => committedTo(one, who[i]))) {
    throw new Refused('names_wrong', version);
  }
  const respelled = names.some(({ spellings }) => spellings?.length > 0);
  const spelled = (spellings) => [big(spellings.length, 4), ...spellings.flatMap((past) => [utf8(past.name), big(past.until, 8), utf8(past.by)])];
  const fields = [
    ...[utf8(respelled ? 'vola labels 2' : 'vola labels 1'), unhex(doc.session.replaceAll('-', '')), utf8(title ?? ''), big(names.length, 4)],
    ...names.flatMap(({ id, name, salt, spellings }) => [utf8(id), utf8(name ?? ''), unhex(salt ?? ''), ...(respelled ? spelled(spellings ?? []) : [])]),
    ...remarks.flatMap((one) => [big(one.version, 8), utf8(one.remark)]),
  ];
  const said = `vola-labels/${doc.session}\n${version}\n${base64(sealed(fields))}\n`;
  if (!isSigned(labels, said, doc.session, key)) throw new Refused('labels_wrong', version);
}

// Who came, in order, and what the events have in his name's stead.
export function committed(events) {
  const found = [];
  for (const { type, data, version } of events) {
    if (type === 'session_opened') {
      const [players, names] = members(data, version, ['players', 'names'], texts);
      if (players.length !== names.length) throw new Refused('names_wrong', version);
      players.forEach((player, i) => found.push([player, names[i]]));
    } else if (type === 'player_joined') {
      found.push(members(data, version, ['player', 'name'], text));
    }
  }
  return found;
}

function members(data, version, wanted, fits) {
  let said;
  try {
    said = parse(utf8(data));
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
  }
  const found = said instanceof Map ? wanted.map((name) => said.get(name) ?? null) : [];
  if (!found.length || !found.every(fits)) throw new Refused('names_wrong', version);
  return found;
}

// Whether it is his name, or was until it was put right; an erased one is gone with its salt, and may have been any.
function committedTo({ id, name, salt, spellings }, [player, standsFor]) {
  const spelled = (spellings ?? []).map((past) => past.name);
  if (name === null || salt === null) return id === player && name === salt && spelled.length === 0;
  spelled.push(name);
  if (spelled.some((one, i) => one === '' || one === spelled[i + 1])) return false;
  const bytes = unhex(salt);
  const digest = sha256(joined(utf8('vola name 1'), big(bytes.length, 4), bytes, utf8(spelled[0])));
  return id === player && hex(digest) === standsFor;
}
