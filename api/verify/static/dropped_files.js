// Finds out, from their contents, which of several files is to be checked, which is its export, and which is
// the earlier document.

import { readDocument } from './document.js';

// The file to check is of the first of these kinds that is among the files.
const KINDS_TO_CHECK = [['statement', 'group'], ['export'], ['receipt'], ['bare'], ['names', 'denial']];

// Returns the files by the name of their field, or null if that is ambiguous.
export async function assignFields(files) {
  if (files.length === 1) return { file: files[0] };
  const documents = await Promise.all([...files].map(async (file) => ({ file, ...await readKind(file) })));
  const unreadable = documents.find(({ kind }) => kind === null);
  if (unreadable) return { file: unreadable.file }; // the check says what is wrong with it
  const kinds = KINDS_TO_CHECK.find((group) =>
    documents.some(({ kind }) => group.includes(kind)));
  const checked = newest(documents.filter(({ kind }) => kinds.includes(kind)));
  let rest = documents.filter((document) => document !== checked);
  let exported = null;
  if (kinds.includes('statement')) {
    const exports = rest.filter(({ kind }) => kind === 'export');
    exported = newest(exports);
    if (exports.length && !exported) return null;
    rest = rest.filter((document) => document !== exported);
  }
  if (!checked || rest.length > 1) return null;
  return { file: checked.file, export: exported?.file ?? null, earlier: rest[0]?.file ?? null };
}

async function readKind(file) {
  try {
    const { kind, version, head } = readDocument(new Uint8Array(await file.arrayBuffer()));
    return { kind, rank: kind === 'group' ? Infinity : head?.version ?? version };
  } catch { // not a document of Vola, or a folder
    return { kind: null };
  }
}

// The document with the newest version; null if there is none, or if two are equally new.
function newest(documents) {
  const [first, second] = [...documents].sort((document, nextDocument) =>
    (document.rank < nextDocument.rank ? 1 : -1));
  return first && first.rank !== second?.rank ? first : null;
}
