// A deal of questions and answers told to this phone alone, while the server cannot be asked what may be
// said next. It is sent as one, or as the rest of what the server has heard already.

import { writing } from '../beside/mine.js';
import { asked } from '../correcting/anew.js';
import { batch, played } from '../deal.js';
import { act, deal, evening, halfSaid, inReach } from '../evening.js';
import { draft, dropDraft, keepDraft } from '../memory.js';
import { onward } from '../onward.js';
import { warn } from '../page.js';
import { unsent } from '../queue.js';
import { again } from '../recording/depth.js';
import { Problem } from '../server.js';
import { taken } from '../taken.js';
import { t } from '../words.js';

export async function telling({ game, home, still }) {
  const state = evening();
  const { id, deal: { number } } = state;
  const before = await recorded(state);
  if (!still()) return null;
  const kept = draft(id);
  let sending = false;

  async function done(taps) {
    sending = true;
    const note = { live: number, base: before.length, taps };
    const open = before.length > 0 || state.deal.phase !== 'waiting';
    try {
      await Promise.race([act(batch(number, taps, open), note), onward(note)]);
    } catch (trouble) {
      sending = false;
      if (!(trouble instanceof Problem)) throw trouble;
      if (trouble.code === 'deal_taken') lose(taps, trouble.body.deal);
      else warn(trouble.message);
      return;
    }
    dropDraft(id);
    if (still()) location.replace(`${home}/deal/${number}/now`);
  }

  // Another phone's deal took the number: a person sees both before the taps here are given up.
  function lose(taps, theirs = null) {
    sending = true;
    taken({ number, taps, theirs, home });
  }

  const view = asked({
    state, game, back: home, before, title: t('record.title', { number }), done,
    taps: kept?.number === number && kept.base === before.length ? kept.taps : [],
    keep: (taps) => {
      keepDraft(id, { number, base: before.length, taps });
      writing(id, taps.length > 0 ? number : null);
    },
    leave: () => { location.hash = home; },
  });
  return {
    async update(now) {
      if (sending || !still()) return;
      const taps = view.told();
      if (now.deal.number !== number) {
        if (taps.length > 0) lose(taps);
        else location.replace(home);
        return;
      }
      const moved = (await recorded(now).catch(() => before)).length !== before.length;
      if (sending || !still()) return;
      if (moved && taps.length > 0) warn(t('record.moved_on'));
      if (moved) dropDraft(id);
      if (moved || (taps.length === 0 && unsent(id).length === 0 && inReach())) again(); // the server can be asked
      else view.show();
    },
  };
}

/** What others, or this phone a while ago, have said of the deal. */
async function recorded({ deal: { number, phase } }) {
  const half = halfSaid();
  return half.length > 0 || phase === 'waiting' ? half : played(await deal(number));
}
