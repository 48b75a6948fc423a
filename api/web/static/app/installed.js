// The form stays on the phone, where the browser allows it; a newer one takes over between evenings,
// never in the middle of an entry.

import { recall, remember } from '../core/device_storage.js';

const LOOK = 3_600_000; // ms between looks for something newer

/** Keeps the form on this phone from now on. `resting()`: whether nobody is in the middle of anything. */
export async function install(resting) {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.register('/form/worker.js', { scope: '/', updateViaCache: 'none' });
  const before = navigator.serviceWorker.controller;
  const offer = () => { if (registration.waiting && resting()) registration.waiting.postMessage('now'); };
  navigator.serviceWorker.addEventListener('controllerchange', () => { if (before && resting()) location.reload(); });
  registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', offer));
  addEventListener('hashchange', offer);
  document.addEventListener('visibilitychange', () => {
    const last = recall('looked') ?? 0;
    if (document.hidden || Date.now() - last < LOOK) return;
    remember('looked', Date.now());
    registration.update().catch(() => null); // no network: another time
  });
  offer();
}
