// Whose name has been erased: on the wire a number in Swedish stands in its place, which is put into words as it arrives.

import { t } from './translator.js';

/** Whether a player or a member has only a number for a name. */
export const erased = ({ id, name }) => ['Spelare', 'Medlem'].some((kind) => name === t(`erased.${kind}`, { number: id.slice(1) }));
