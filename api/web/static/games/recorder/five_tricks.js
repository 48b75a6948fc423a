// Recording a deal of five tricks: who was declarer, who took them. Facts in by taps; money comes out of the
// server. Every tap is kept on the phone at once; the whole deal is sent when it is complete.

import { writing } from '../../features/presence.js';
import { batch, played, read, understood } from '../../domain/deal.js';
import { act, deal, evening, foreseen, halfSaid, inReach, refresh } from '../../core/session_store.js';
import { draft, dropDraft, keepDraft } from '../../core/device_storage.js';
import { say, warn } from '../../ui/page.js';
import { onward } from '../../core/onward.js';
import { unsent } from '../../core/sync_queue.js';
import { Problem } from '../../core/api_client.js';
import { askAboutOlderDraft, taken } from '../../features/conflicts/taken_number.js';
import { undo } from '../../features/undo.js';
import { speakAlso, t } from '../../core/translator.js';
import { draw } from './five_tricks_view.js';
import { again, habit, keepHabit } from './depth.js';
import { live } from './questions.js';
import { termsOf } from '../../domain/games.js';

/** `termsOf(state)` says what the two games of five tricks do differently. */
export async function five(context) {
  const { game } = context;
  const base = await recorded(evening());
  if (!context.still()) return null;
  const kept = draft(evening().id);
  const begun = kept?.number === evening().deal.number && kept.taps.length > 0;
  const near = inReach() && unsent(evening().id).length === 0; // what each card allows is the server's to say
  const byCards = habit(game.key, 'tricks') === 'cards' && !begun && near;
  return byCards || !understood(base) ? live(context) : compose(context, base);
}

function compose({ game, home, still }, known) {
  const { id, deal: { number } } = evening();
  const seated = evening().seats.join();
  let base = known;
  const view = {
    home, number, taps: restore(number, base), sending: false, asking: null,
    game, byResult: habit(game.key, 'tricks') === 'result', terms: termsOf(evening()),
  };

  const show = (fresh = false) => {
    const state = evening();
    view.open = state.deal.phase !== 'waiting';
    view.kept = view.sending || !foreseen();
    view.base = base;
    view.deal = read([...base, ...view.taps], { seats: state.seats, earlyEnd: state.options.allow_early_end !== false, ...view.terms });
    draw(state, view, hands, fresh);
    writing(id, view.taps.length > 0 ? number : null);
  };

  const keep = () => keepDraft(evening().id, { number, base: base.length, heard: base, taps: view.taps, seated });

  const hands = {
    /** One tap, or several that belong together. */
    tap(words, ...actions) {
      navigator.vibrate?.(8);
      view.asking = null;
      view.taps = [...view.taps, ...actions];
      keep();
      say(words);
      show();
      if (view.deal.phase === 'closed') submit();
    },
    trump(suit) {
      view.taps = view.taps.map((action) => {
        if (action.type !== 'declare') return action;
        const { trump, ...rest } = action;
        return trump === suit ? rest : { ...rest, trump: suit };
      });
      keep();
      show();
    },
    ask(what) { view.asking = what; show(); },
    depth(chosen) {
      keepHabit(game.key, chosen);
      if (chosen === 'cards') { again(); return; }
      view.byResult = chosen === 'result';
      show();
    },
    back(words, pressed) {
      if (view.asking !== null) { view.asking = null; show(); return; }
      if (view.taps.length === 0) { undo(home, pressed); return; }
      view.taps = view.taps.slice(0, -1);
      keep();
      say(words);
      show();
    },
    submit,
  };

  async function submit() {
    view.sending = true;
    show();
    const note = { number, base: base.length, taps: view.taps };
    try {
      await Promise.race([act(batch(number, view.taps, view.open), note), onward(note)]);
    } catch (trouble) {
      view.sending = false;
      if (!(trouble instanceof Problem)) throw trouble;
      if (trouble.code === 'deal_taken') {
        await refresh();
        if (still()) lose(trouble.body.deal);
      }
      else {
        warn(trouble.message);
        await refresh();
        if (still()) show();
      }
      return;
    }
    dropDraft(id);
    if (still()) location.replace(`${home}/deal/${number}/now`);
  }

  // Somebody else's deal took the number: a person sees both before the taps here are given up.
  function lose(theirs) {
    if (view.lost) return; // told already: every look at the server would say it again
    view.lost = true;
    taken({ number, taps: [...base, ...view.taps], theirs, home });
  }

  show(true);
  askAboutOlderDraft(id, number, home);
  return {
    async update(state) {
      if (view.sending || !still()) { if (still()) show(); return; }
      if (state.deal.number !== number) {
        if (unsent(id).length > 0) return; // what became of the deals before this one is asked first
        if (view.taps.length > 0 && state.deal.number > number) lose(null); // below, one before it was undone
        else location.replace(home);
        return;
      }
      if (state.status !== 'open') { location.replace(home); return; } // the table says that it is over
      if (state.seats.join() !== seated) { // who was tapped may sit no more
        await speakAlso('beside.');
        dropDraft(id);
        again();
        if (view.taps.length > 0) warn(t('beside.seated'));
        return;
      }
      const now = await recorded(state);
      if (!still() || view.sending) return;
      if (now.length !== base.length) {
        if (view.taps.length > 0) warn(t('record.moved_on'));
        if (!understood(now)) { again(); return; }
        base = now;
        view.taps = [];
        dropDraft(state.id);
      }
      show();
    },
  };
}

const recorded = async (state) => {
  const half = halfSaid();
  return half.length > 0 || state.deal.phase === 'waiting' ? half : played(await deal(state.deal.number));
};

/** Taps from before a reload, if they still go on from what the server has, and the same people sit. */
function restore(number, base) {
  const { id, seats } = evening();
  const kept = draft(id);
  if (kept?.number === number && kept.base === base.length && [undefined, seats.join()].includes(kept.seated)) return kept.taps;
  return [];
}
