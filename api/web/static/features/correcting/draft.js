// The half-made correction of an evening, kept on this phone; it may begin with actions that were tapped elsewhere.

import { remember } from '../../core/device_storage.js';

/** The name it is kept under. */
export const draftName = (id) => `correct.${id}`;

/** What a correction begins from: another record makes it be about something else. */
export const record = ({ actions, before, status }) => JSON.stringify([actions, before?.length, status]);

/** Fills in the correction of this deal. */
export const keepCorrection = (id, known, actions) => remember(draftName(id),
  { number: known.number, before: record(known), actions, reason: '' });
