// What a phone does with its record, done by the form's own modules.

import { readFileSync } from 'node:fs';

import { loadLanguage } from './static/core/translator.js';
import { EMPTY_RECORD, addReceipt, checkRecord, continueNames, findContradiction, mergeRecord }
  from './static/features/proofs/continuation.js';
import { utf8 } from './static/verify/bytes.js';
import { readDocument } from './static/verify/document.js';
import { InvalidNote } from './static/verify/signed_note.js';
import { proveExport, verifyDocument } from './static/verify/verification.js';

// A phone in Swedish, in which the host's answers need no translation.
globalThis.document = { documentElement: {} };
globalThis.fetch = async () =>
  new Response(readFileSync(new URL('translations/sv.json', import.meta.url)));
await loadLanguage('sv');

export const emptyRecord = () => EMPTY_RECORD;

/** Keeps the receipt of a write that this phone made. */
export const keepReceipt = (_, { record, receipt }) => addReceipt(record, receipt);

/** Compares the names that a phone has seen with those that it is shown. */
export const compareNames = (_, { names, players }) => continueNames(names, players);

/** Makes the checks that a phone makes by itself, until its record is proven or contradicted. */
export async function look(request, { session, record, screen }) {
  let [current, alarm, isAnswered] = [record, null, true];
  const keep = (earlier, proven) => { current = mergeRecord(current, earlier, proven); };
  const refuse = (_, outcome) => { alarm = outcome.reason; };
  do {
    isAnswered = await checkRecord(session, current, screen, { request, keep, refuse }) !== null;
  } while (isAnswered && current.receipts.length > 0);
  return { record: current, alarm };
}

/** Does what "Check this evening" does; also for an export that another phone was given. */
export function checkExport(_, { record, players, text }) {
  const { reason } = continueNames(record.names, players);
  if (reason) return reason;
  const doc = readDocument(utf8(text));
  try {
    const slices = proveExport(doc);
    let slice = slices.next();
    while (!slice.done) slice = slices.next();
    return findContradiction(record, doc, slice.value)?.reason;
  } catch (error) {
    if (error instanceof InvalidNote) return error.code;
    throw error;
  }
}

/** Returns the code of the page /verify for a file and one saved earlier; null if both hold. */
export function compareFiles(_, { document, earlier }) {
  const [exit, code] = verifyDocument(utf8(document), earlier && utf8(earlier));
  return exit === 0 ? null : code;
}
