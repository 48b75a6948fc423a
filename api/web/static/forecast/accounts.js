// Money and points going from one account to another, so that nothing appears or is lost.
// Does not know for what. The accounts are called as the server calls them: `player:p1`, `pot`, `bet:2`,
// `score:p1+p3`.

export const POT = 'pot';
export const SHEET = 'sheet';

/** The largest single amount that the server keeps. */
export const MAX_AMOUNT = 10 ** 12;

export const playerAccount = (id) => `player:${id}`;

/** A bet `b2` is the account `bet:2`. */
export const betAccount = ({ id }) => `bet:${id.slice(1)}`;

/** `code` and `because` ({ who, amounts, numbers }, by their names in the sentence) say why. */
export const posting = (source, target, amount, code, because = {}) =>
  ({ from: source, to: target, amount, unit: 'money', code, because });

/** Points given to a player or a side, or taken from one; none at all are not posted. */
export function scorePostings({ to, points, rule, because }) {
  if (points === 0) return [];
  const ends = points > 0 ? [SHEET, `score:${to}`] : [`score:${to}`, SHEET];
  const who = { who: to.split('+'), ...because.who };
  return [{ ...posting(...ends, Math.abs(points), `score_${rule}`, { ...because, who }), unit: 'points' }];
}

/** What everybody in `amounts` has after these postings; `account(key)` names the account of each. */
export function balancesAfter(amounts, account, postings) {
  const moved = (name) => postings.reduce((sum, { from, to, amount }) =>
    sum + (to === name ? amount : 0) - (from === name ? amount : 0), 0);
  return Object.fromEntries(Object.entries(amounts).map(([key, amount]) =>
    [key, amount + moved(account(key))]));
}

/** What each player or side got in these rows, all reasons together. */
export function pointsByPlayer(rows) {
  const totals = {};
  for (const row of rows) totals[row.to] = (totals[row.to] ?? 0) + row.points;
  return totals;
}
