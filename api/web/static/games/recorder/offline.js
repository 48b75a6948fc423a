// A deal of questions and answers told to this phone alone, while the server cannot be asked what may be
// said next. It is sent as one, or as the rest of what the server has heard already.

import { writing } from '../../features/presence.js';
import { asked } from './retelling.js';
import { batch, played } from '../../domain/deal.js';
import { h } from '../../ui/elements.js';
import { act, deal, evening, halfSaid, inReach } from '../../core/session_store.js';
import { draft, dropDraft, keepDraft } from '../../core/device_storage.js';
import { onward } from '../../core/onward.js';
import { go, show, warn } from '../../ui/page.js';
import { unsent } from '../../core/sync_queue.js';
import { again } from './depth.js';
import { Problem } from '../../core/api_client.js';
import { sync } from '../../features/sync_status.js';
import { askAboutOlderDraft, taken } from '../../features/conflicts/taken_number.js';
import { speakAlso, t } from '../../core/translator.js';

export async function telling({ game, home, still }) {
  const state = evening();
  const { id, deal: { number } } = state;
  const before = await recorded(state);
  if (!still()) return null;
  if (!game.retold || before.some(({ type }) => type === 'play')) return cards({ id, number, home, still });
  const kept = draft(id);
  let sending = false;
  let lost = false;

  async function done(taps) {
    if (sending || lost) return;
    sending = true;
    view.show();
    const note = { live: number, base: before.length, taps };
    const open = before.length > 0 || state.deal.phase !== 'waiting';
    try {
      await Promise.race([act(batch(number, taps, open), note), onward(note)]);
    } catch (trouble) {
      sending = false;
      if (!(trouble instanceof Problem)) throw trouble;
      if (still()) view.show();
      if (trouble.code === 'deal_taken') lose(taps, trouble.body.deal);
      else warn(trouble.message);
      return;
    }
    dropDraft(id);
    if (still()) location.replace(`${home}/deal/${number}/now`);
  }

  // Another phone's deal took the number: a person sees both before the taps here are given up.
  function lose(taps, theirs = null) {
    lost = true;
    taken({ number, taps: [...before, ...taps], theirs, home });
  }

  const view = asked({
    state, game, back: home, before, title: t('record.title', { number }), done,
    taps: kept?.number === number && kept.base === before.length ? kept.taps : [],
    keep: (taps) => {
      keepDraft(id, { number, base: before.length, heard: before, taps });
      writing(id, taps.length > 0 ? number : null);
    },
    leave: () => { location.hash = home; },
    sending: () => sending,
  });
  askAboutOlderDraft(id, number, home);
  return {
    async update(now) {
      if (lost || !still()) return;
      if (sending) { view.show(); return; }
      const taps = view.told();
      if (now.deal.number !== number) {
        if (unsent(id).length > 0) return; // what became of the deals before this one is asked first
        if (taps.length > 0 && now.deal.number > number) lose(taps); // below, one before it was undone
        else location.replace(home);
        return;
      }
      const moved = (await recorded(now).catch(() => before)).length !== before.length;
      if (sending || lost || !still()) return;
      if (moved && taps.length > 0) warn(t('record.moved_on'));
      if (moved) dropDraft(id);
      if (moved || (taps.length === 0 && unsent(id).length === 0 && inReach())) again(); // the server can be asked
      else view.show();
    },
  };
}

/** What each card allows is the server's to say: a deal told in cards rests until it can be asked. */
async function cards({ id, number, home, still }) {
  await speakAlso('offline.');
  if (!still()) return null;
  const draw = (fresh = false) => show({
    title: t('record.title', { number }), back: home, aside: sync(), kind: 'record live', fresh,
    main: [h('div', { class: 'prompt' }, h('p', { class: 'question', tabindex: '-1' }, t('offline.cards')))],
    bar: [go('table', t('record.to_table'), home, { big: true })],
  });
  draw(true);
  return {
    update({ deal: { number: now } }) {
      if (!still()) return;
      if (!inReach() || unsent(id).length > 0) draw();
      else if (now === number) again();
      else location.replace(`${home}/deal/${number}`); // it was the last card
    },
  };
}

/** What others, or this phone a while ago, have said of the deal. */
async function recorded({ deal: { number, phase } }) {
  const half = halfSaid();
  return half.length > 0 || phase === 'waiting' ? half : played(await deal(number));
}
