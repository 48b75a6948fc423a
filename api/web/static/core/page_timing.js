// Waits for the browser: until it has painted a frame, or has nothing to do.

const LONGEST_FRAME_MS = 100; // a page in the background paints no frames

/** Resolves once the next frame is painted. */
export const untilPainted = () => new Promise((resolve) => {
  const finish = () => {
    removeEventListener('visibilitychange', finish);
    resolve();
  };
  requestAnimationFrame(() => setTimeout(finish)); // a timer runs once the frame is painted
  setTimeout(finish, LONGEST_FRAME_MS);
  addEventListener('visibilitychange', finish, { once: true }); // a phone that is locked stores at once
});

/** Resolves once the page has nothing to do. */
export const untilIdle = () =>
  new Promise((resolve) => { (window.requestIdleCallback ?? setTimeout)(resolve); });
