// What this page calls itself among others that came by the same link: made up, and the same after a reload.

import { newKey } from '../core/api_client.js';

const KEPT = 'vola.page';

function made() {
  const anew = newKey().slice(0, 12);
  try {
    const known = sessionStorage.getItem(KEPT) ?? anew;
    sessionStorage.setItem(KEPT, known);
    return known;
  } catch {
    return anew; // private mode: a reload is somebody else for half a minute
  }
}

export const SIGN = made();
