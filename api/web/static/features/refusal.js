// What happens when the server refuses a write that a person has just made.

import { Problem } from '../core/request_errors.js';
import { refreshSession } from '../core/session_sync.js';
import { showWarning } from '../ui/page.js';

/**
 * Shows why a write was refused, on a screen redrawn from the newest state. Any other error is thrown again.
 */
export async function showRefusal(trouble, redraw = () => {}) {
  if (!(trouble instanceof Problem)) throw trouble;
  await refreshSession();
  redraw();
  showWarning(trouble.message);
}
