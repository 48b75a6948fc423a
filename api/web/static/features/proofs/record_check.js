// One check of what this device has kept of a session: the names first, then one receipt after another, until
// all that is kept is proven to be in the newest checkpoint. Knows no page, no store and no network.

import { continueRecord, isEmpty, nextVersion, proveReceipt, receiptPath } from './continuation.js';
import { continueNames } from './kept_names.js';

const MAX_RECEIPTS = 20; // proven in one check; the others in the next

/**
 * Checks a record against the session as the server shows it now, `state`.
 *   request(path)                 resolves to the answer, below the session: a receipt, or the problem
 *                                 `unknown_version`; to null if nothing can be checked now
 *   keep(earlierRecord, record)   keeps what an answer has proven
 *   refuse(record, outcome, answer)   is called with the contradiction, `{ reason, version }`
 * Resolves to the record as far as it is proven; to null after a contradiction, or if there was no answer.
 */
export async function checkRecord(session, record, state, { request, keep, refuse }) {
  if (record.alarm !== null) return record;
  const { names, reason } = continueNames(record.names ?? {}, state.players);
  if (reason) {
    await refuse(record, { reason, version: null }, { players: state.players });
    return null;
  }
  const proveStep = async (earlierRecord, path, decide) => {
    const answer = await request(path);
    if (answer === null) return null;
    const outcome = answer.code === 'unknown_version'
      // The version was there once: its checkpoint or receipt is kept.
      ? { reason: 'tail_missing', version: answer.version ?? null } : decide(answer);
    if (outcome?.record) await keep(earlierRecord, outcome.record);
    else if (outcome !== null && !isEmpty(earlierRecord)) await refuse(earlierRecord, outcome, answer);
    return outcome?.record ?? null;
  };
  const version = nextVersion(record, state.version);
  const startRecord = { ...record, names };
  let provenRecord = await proveStep(startRecord, `/receipts/${version}`,
    (answer) => continueRecord(session, startRecord, version, answer));
  for (const receipt of provenRecord?.receipts.slice(0, MAX_RECEIPTS) ?? []) {
    const earlierRecord = provenRecord;
    provenRecord = await proveStep(earlierRecord, receiptPath(receipt.version, earlierRecord.head.version),
      (answer) => proveReceipt(session, earlierRecord, receipt, answer));
    if (provenRecord === null) break;
  }
  return provenRecord;
}
