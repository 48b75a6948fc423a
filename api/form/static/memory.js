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
}

export const forgetEvening = (id) => remember('evenings', evenings().filter((one) => one.id !== id));

/** What the link let this phone do. A courtesy to the eye: the server is what says no. */
export const roleIn = (session) => recall(`role.${session}`) ?? 'host';
export const rememberRole = (session, token) => remember(`role.${session}`, /^(host|scorer|viewer)\d/.exec(token)?.[1] ?? 'host');

/** The taps of a deal that is not sent yet; written at every tap, so a reload loses none. */
export const draft = (session) => recall(`draft.${session}`);
export const keepDraft = (session, taps) => remember(`draft.${session}`, taps);
export const dropDraft = (session) => remember(`draft.${session}`, null);
