// The screen stays on while a table is played at, where the browser can keep it so; never needed.

let lock = null;
let wanted = false;

/** Whether somebody plays just now. */
export async function awake(playing) {
  wanted = playing;
  if (!('wakeLock' in navigator)) return;
  if (!playing) {
    await lock?.release().catch(() => null);
    lock = null;
  } else if (!document.hidden && (lock === null || lock.released)) {
    lock = await navigator.wakeLock.request('screen').catch(() => null); // saving power comes first
    if (!wanted) awake(false);
  }
}

document.addEventListener('visibilitychange', () => { if (!document.hidden && wanted) awake(true); });
