// Postings between accounts, so that no money or points appear or are lost. Accounts are named as on the
// server: `player:p1`, `pot`, `bet:2`, `score:p1+p3`. Knows no game.

export const POT = 'pot';
export const SHEET = 'sheet';

/** The largest amount that the server keeps. */
export const MAX_AMOUNT = 10 ** 12;

export const playerAccount = (id) => `player:${id}`;

/** The bet `b2` is the account `bet:2`. */
export const betAccount = ({ id }) => `bet:${id.slice(1)}`;

/** `code` and `because` (`{ who, amounts, numbers }`, named as in the sentence) give the reason. */
export const posting = (source, target, amount, code, because = {}) =>
  ({ from: source, to: target, amount, unit: 'money', code, because });

/** The postings of points to a player or side; negative points go the other way, none are not posted. */
export function scorePostings({ to, points, rule, because }) {
  if (points === 0) return [];
  const ends = points > 0 ? [SHEET, `score:${to}`] : [`score:${to}`, SHEET];
  const who = { who: to.split('+'), ...because.who };
  return [{ ...posting(...ends, Math.abs(points), `score_${rule}`, { ...because, who }), unit: 'points' }];
}

/** The amounts after these postings; `account(key)` names the account of each. */
export function balancesAfter(amounts, account, postings) {
  const moved = (name) => postings.reduce((sum, { from, to, amount }) =>
    sum + (to === name ? amount : 0) - (from === name ? amount : 0), 0);
  return Object.fromEntries(Object.entries(amounts).map(([key, amount]) =>
    [key, amount + moved(account(key))]));
}

/** The sum of points of each player or side in these rows. */
export function pointsByPlayer(rows) {
  const totals = {};
  for (const row of rows) totals[row.to] = (totals[row.to] ?? 0) + row.points;
  return totals;
}
