// The screen stays on while a table is played at, where the browser can keep it so; never needed.

let wakeLock = null;
let isWakeLockWanted = false;

/** Whether somebody plays just now. */
export async function keepScreenOn(playing) {
  isWakeLockWanted = playing;
  if (!('wakeLock' in navigator)) return;
  if (!playing) {
    await wakeLock?.release().catch(() => null);
    wakeLock = null;
  } else if (!document.hidden && (wakeLock === null || wakeLock.released)) {
    wakeLock = await navigator.wakeLock.request('screen').catch(() => null); // saving power comes first
    if (!isWakeLockWanted) keepScreenOn(false);
  }
}

document.addEventListener('visibilitychange',
  () => { if (!document.hidden && isWakeLockWanted) keepScreenOn(true); });
