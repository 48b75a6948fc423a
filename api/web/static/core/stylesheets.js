// What a part of the form needs besides the page: its own style and words, fetched when somebody first goes there.

import { Unreached } from './api_client.js';
import { speakAlso } from './translator.js';

const laid = new Map();

/** Resolves when both are here, so that nothing is drawn bare. `part`: a folder with its style, and catalogs called so. */
export async function dressed(part) {
  try {
    await Promise.all([styled(`/form/static/styles/${part}.css`), speakAlso(`${part}.`)]);
  } catch {
    throw new Unreached(part);
  }
}

/** A style alone. */
export function styled(address) {
  if (!laid.has(address)) laid.set(address, new Promise((done, failed) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = `${address}?v=${encodeURIComponent(document.querySelector('meta[name=version]').content)}`;
    link.onload = done;
    link.onerror = () => { link.remove(); laid.delete(address); failed(); };
    document.head.append(link);
  }));
  return laid.get(address);
}
