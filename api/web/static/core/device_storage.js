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
  const { date } = [...evenings(), ...removed()].find((one) => one.id === id) ?? { date: new Date().toISOString().slice(0, 10) };
  remember('evenings', [{ id, title, game, date }, ...others].slice(0, KEPT));
  others.slice(KEPT - 1).forEach((one) => keepRemoved('evenings', one));
}

/** What was on the front page and is no more, latest first; what has come back is not among it. */
export const removed = () => (recall('removed') ?? []).filter(({ kind, id }) => !recall(kind)?.some((one) => one.id === id));

export function keepRemoved(kind, one) {
  const list = [{ kind, ...one }, ...removed().filter(({ id }) => id !== one.id)];
  remember('removed', list.slice(0, KEPT));
  list.slice(KEPT).forEach(({ id }) => remember(`receiver.${id}`, null));
}

/** Where people's money goes is kept no longer than the evening it was told for. */
export const receiver = (session, player) => recall(`receiver.${session}`)?.[player] ?? null;
export const keepReceiver = (session, player, details) => remember(`receiver.${session}`, { ...recall(`receiver.${session}`), [player]: details });

/** Circles opened on this phone, latest first: id, name, and which evenings are theirs. */
export const circles = () => recall('circles') ?? [];

export function rememberCircle({ id, name, evenings: theirs }) {
  const others = circles().filter((one) => one.id !== id);
  remember('circles', [{ id, name, evenings: theirs.map(({ session }) => session) }, ...others].slice(0, KEPT));
  others.slice(KEPT - 1).forEach((one) => keepRemoved('circles', one));
}

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

/** The player who holds this phone, if somebody said so. */
export const holder = (session) => recall(`holder.${session}`);

/** The taps of a deal not sent yet; written at every tap, so a reload loses none. */
export const draft = (session) => recall(`draft.${session}`);
export const keepDraft = (session, taps) => remember(`draft.${session}`, taps);
export const dropDraft = (session) => remember(`draft.${session}`, null);

/** A name that is gone from the book is gone from this phone: from who sat down last, and from where his money goes. One that was put right is `instead` here, too. */
export function forgetName(session, player, name, instead = '') {
  const without = (names) => names.map((one) => (one.trim() === name ? instead : one));
  if (recall('names')) remember('names', without(recall('names')));
  if (recall('again')) remember('again', { ...recall('again'), names: without(recall('again').names) });
  if (!instead) keepReceiver(session, player, null);
  const half = recall(`correct.${session}`);
  if (half?.reason?.includes(name)) remember(`correct.${session}`, { ...half, reason: instead && half.reason.replaceAll(name, instead) });
}
