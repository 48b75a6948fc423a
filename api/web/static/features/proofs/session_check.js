// Checks a whole session on this device: its export, event by event, a statement computed anew from it, what
// this device has kept, and the amounts that it shows. One step after the other, so that the page stays free.

import { requestFile, sessionPath } from '../../core/api_client.js';
import { readProofs } from '../../core/database.js';
import { Problem, Unreached } from '../../core/request_errors.js';
import { readDocument } from '../../verify/document.js';
import { InvalidNote } from '../../verify/signed_note.js';
import { checkStatement } from '../../verify/statement_check.js';
import { Unreadable } from '../../verify/strict_json.js';
import { proveExport, proveStatement } from '../../verify/verification.js';
import { continueNames, EMPTY_RECORD, findContradiction, isEmpty } from './continuation.js';

export const STEPS = ['fetch', 'events', 'statement', 'kept', 'shown'];

const TIMEOUT_MS = 60_000; // a whole evening on a bad network
const MAX_ATTEMPTS = 3; // while others record, the statement and what is shown may be of two versions

/** The faults that a sentence tells apart, by the code of the verifier or of what is checked here. */
const FAULTS = {
  hole: 'event', hash_wrong: 'event', head_wrong: 'signed', root_wrong: 'signed', checkpoint_wrong: 'signed',
  signature_wrong: 'signature', unsigned: 'signature', cosignature_wrong: 'signature',
  witness_wrong: 'signature', other_key: 'key', tail_missing: 'missing', rewritten: 'rewritten',
  names_swapped: 'names', shown_differs: 'shown',
};

/** The check was left: another screen is shown. */
class CheckStopped extends Error {}

/**
 * Resolves to `{ outcome, code, version, events, key, steps }`, or null if `isCurrent()` turned false.
 *   outcome  `holds`, `fault` or `unchecked`
 *   code     of what is wrong, or why nothing could be checked; null if the session holds
 *   key      the key that signed the export; null if it was not received
 *   steps    each step that was made: `{ step, outcome, code, version }`
 * `token` of a session that this device opens through its group; `readState()` resolves to what is shown;
 * `onStep(step)` is called before each step.
 */
export async function checkSession({ id, token = null, readState, onStep, isCurrent }) {
  const check = { id, token, readState, steps: [], documents: null, proven: null };
  for (const step of STEPS) {
    onStep(step);
    try {
      await giveWay(isCurrent);
      const note = await RUN_STEP[step](check, isCurrent);
      check.steps.push({ step, outcome: 'holds', code: note ?? null, version: null });
    } catch (error) {
      if (error instanceof CheckStopped) return null;
      const finding = describeError(error);
      check.steps.push({ step, ...finding });
      return { ...finding, events: 0, key: check.documents?.history.key ?? null, steps: check.steps };
    }
  }
  const { version, events, key } = check.documents.history;
  return { outcome: 'holds', code: null, version, events: events.length, key, steps: check.steps };
}

/** Lets the page draw and answer taps. */
async function giveWay(isCurrent) {
  await (globalThis.scheduler?.yield?.() ?? new Promise((resolve) => { setTimeout(resolve); }));
  if (!isCurrent()) throw new CheckStopped();
}

/** A step returns a note for the reader, or nothing. It throws what the verifier throws. */
const RUN_STEP = {
  async fetch(check, isCurrent) {
    // Before the export: what this device has received by now has to be in it.
    check.record = await readProofs(check.id) ?? EMPTY_RECORD;
    for (let attempt = 1; ; attempt += 1) {
      const state = await check.readState();
      await giveWay(isCurrent); // a session that was left has no state
      const statement = await fetchDocument(check, statementPath(state), isCurrent);
      const history = await fetchDocument(check, '/export', isCurrent);
      if (statement.kind !== 'statement' || history.kind !== 'export') throw new Unreadable();
      if (history.session !== check.id || statement.session !== check.id)
        throw new InvalidNote('checkpoint_wrong');
      check.documents = { state, statement, history };
      if (statement.version === state.version) return;
      if (statement.version < state.version) throw new InvalidNote('tail_missing', state.version);
      if (attempt === MAX_ATTEMPTS) throw new Unreached(check.id, true);
    }
  },

  async events(check, isCurrent) {
    const slices = proveExport(check.documents.history);
    let slice = slices.next();
    while (!slice.done) {
      await giveWay(isCurrent);
      slice = slices.next();
    }
    check.proven = slice.value;
  },

  async statement({ documents: { statement, history } }, isCurrent) {
    proveStatement(statement);
    await giveWay(isCurrent);
    checkStatement(statement, history, null, () => null); // the export was checked before
  },

  async kept({ record, documents: { state, history }, proven }) {
    if (record.alarm !== null) throw new InvalidNote(record.alarm.reason, record.alarm.version);
    const { reason } = continueNames(record.names ?? {}, state.players);
    if (reason) throw new InvalidNote(reason);
    const contradiction = findContradiction(record, history, proven);
    if (contradiction !== null) throw new InvalidNote(contradiction.reason, contradiction.version);
    return isEmpty(record) ? 'empty' : null;
  },

  async shown({ documents: { state, statement } }) {
    const isSame = ['balances', 'scores'].every((name) => areSameAmounts(statement[name], state[name]))
      && (statement.pot ?? 0) === (state.pot ?? 0);
    if (!isSame) throw new InvalidNote('shown_differs', state.version);
  },
};

/** `computed`: a Map or null, as the verifier reads it; `shownAmounts`: an object, null or nothing. */
function areSameAmounts(computed, shownAmounts) {
  const amounts = Object.entries(shownAmounts ?? {});
  return amounts.length === (computed?.size ?? 0)
    && amounts.every(([name, amount]) => computed.get(name) === amount);
}

const statementPath = ({ balances }) =>
  `/statement?format=json&unit=${balances === null ? 'points' : 'money'}`;

/** The bytes as the server sent them: what is signed is compared letter by letter. */
async function fetchDocument({ id, token }, rest, isCurrent) {
  const address = sessionPath(id, rest);
  const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
  const answer = await requestFile(address, AbortSignal.timeout(TIMEOUT_MS), headers);
  const bytes = await answer.arrayBuffer().catch(() => { throw new Unreached(address); });
  await giveWay(isCurrent);
  return readDocument(new Uint8Array(bytes));
}

function describeError(error) {
  const unchecked = (code) => ({ outcome: 'unchecked', code, version: null });
  if (error instanceof Unreadable) return unchecked('too_new');
  if (error instanceof Unreached) return unchecked(error.busy ? 'busy' : 'offline');
  if (error instanceof Problem) return unchecked(error.status === 404 ? 'no_access' : 'busy');
  if (!(error instanceof InvalidNote)) throw error;
  if (error.code === 'event_unknown') return unchecked('too_new');
  return { outcome: 'fault', code: FAULTS[error.code] ?? 'statement', version: error.version };
}
