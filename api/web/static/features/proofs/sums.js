// The sums of a closed session that its players confirm: results in money, and scores.

/** The sums as one text, to compare them. */
export const sumsText = ({ results, scores }) => JSON.stringify([results ?? null, scores ?? null]);

/** Whether the session is closed with these sums. */
export const isSameClosing = (state, sums) => state.status === 'closed' && sumsText(state) === sums;
