// Waits for the browser to paint a frame.

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
