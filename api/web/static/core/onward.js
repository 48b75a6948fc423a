// When to go on without the server: it has been asked in vain, and what it will say is foreseen.

import { foreseen, onEvening } from './session_store.js';
import { letGo, onQueue, outOfReach } from './sync_queue.js';

/** Resolves as soon as there is no use in waiting for the answer to the write with this note; never, while it may yet come. */
export const onward = (note) => new Promise((resolve) => {
  const look = () => {
    if (!outOfReach() || !foreseen() || !letGo(note)) return;
    stops.forEach((stop) => stop());
    resolve();
  };
  const stops = [onQueue(look), onEvening(look)];
  look();
});
