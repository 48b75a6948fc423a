// Keeps the screen on while a session is played, where the browser can.

let wakeLock = null;
let isWakeLockWanted = false;

/** `playing`: whether the screen should stay on. */
export async function keepScreenOn(playing) {
  isWakeLockWanted = playing;
  if (!('wakeLock' in navigator)) return;
  if (!playing) {
    await wakeLock?.release().catch(() => null);
    wakeLock = null;
  } else if (!document.hidden && (wakeLock === null || wakeLock.released)) {
    // the browser refuses while the device saves power
    wakeLock = await navigator.wakeLock.request('screen').catch(() => null);
    if (!isWakeLockWanted) keepScreenOn(false);
  }
}

document.addEventListener('visibilitychange',
  () => { if (!document.hidden && isWakeLockWanted) keepScreenOn(true); });
