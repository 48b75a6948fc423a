// What this phone remembers between visits: names, language, evenings, half-recorded deals.
// Never a token: access lives in a cookie that no script can read.

const PREFIX = 'vola.';

export function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name));
  } catch {
    return null; // private mode, or something else wrote there: as if nothing were remembered
  }
}

export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch { /* a full or forbidden storage costs comfort, never a deal */ }
}

const KEPT = 20;

/** Evenings opened on this phone, latest first: id, title, game, date and nothing else. */
export const evenings = () => recall('evenings') ?? [];

export function rememberEvening(id, title, game) {
  const others = evenings().filter((one) => one.id !== id);
  const known = evenings().find((one) => one.id === id);
  const date = known?.date ?? new Date().toISOString().slice(0, 10);
  remember('evenings', [{ id, title, game, date }, ...others].slice(0, KEPT));
  others.slice(KEPT - 1).forEach((one) => forgetReceivers(one.id));
}

export function forgetEvening(id) {
  remember('evenings', evenings().filter((one) => one.id !== id));
  forgetReceivers(id);
}

/** Where people's money goes is kept no longer than the evening it was told for. */
export const receiver = (session, player) => recall(`receiver.${session}`)?.[player] ?? null;
export const keepReceiver = (session, player, details) => remember(`receiver.${session}`, { ...recall(`receiver.${session}`), [player]: details });
const forgetReceivers = (session) => remember(`receiver.${session}`, null);

/** Circles opened on this phone, latest first: id, name, and which evenings are theirs. */
export const circles = () => recall('circles') ?? [];

export function rememberCircle({ id, name, evenings: theirs }) {
  const others = circles().filter((one) => one.id !== id);
  remember('circles', [{ id, name, evenings: theirs.map(({ session }) => session) }, ...others].slice(0, KEPT));
}

export const forgetCircle = (id) => remember('circles', circles().filter((one) => one.id !== id));

/** The circle that this phone knows an evening to be of. */
export const circleOf = (session) => circles().find((one) => one.evenings.includes(session));

/** What the link let this phone do. A courtesy to the eye: the server is what says no. */
export const roleIn = (session) => recall(`role.${session}`) ?? 'host';
export function rememberRole(session, token) {
  remember(`role.${session}`, /^(host|scorer|viewer)\d/.exec(token)?.[1] ?? 'host');
  remember(`phone.${session}`, null);
}

/** The number under which this phone alone was let in; null for one that came by a link. */
export const phoneIn = (session) => recall(`phone.${session}`);

export function rememberPhone(session, phone, role) {
  remember(`role.${session}`, role);
  remember(`phone.${session}`, phone);
}

/** The taps of a deal not sent yet; written at every tap, so a reload loses none. */
export const draft = (session) => recall(`draft.${session}`);
export const keepDraft = (session, taps) => remember(`draft.${session}`, taps);
export const dropDraft = (session) => remember(`draft.${session}`, null);

/** A name that is gone from the book is gone from this phone: from who sat down last, and from where his money goes. */
export function forgetName(session, player, name) {
  const without = (names) => names.map((one) => (one.trim() === name ? '' : one));
  if (recall('names')) remember('names', without(recall('names')));
  if (recall('again')) remember('again', { ...recall('again'), names: without(recall('again').names) });
  keepReceiver(session, player, null);
  const half = recall(`correct.${session}`);
  if (half?.reason?.includes(name)) remember(`correct.${session}`, { ...half, reason: '' });
}
