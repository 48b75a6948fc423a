// Recording action by action: the server says what may be done now, the phone asks for exactly that.
// Every tap that says something is sent at once; what is only half said (a count, a bid) is kept here.

import { writing } from '../../features/presence.js';
import { played } from '../../domain/deal.js';
import { act, deal, evening, foreseen, halfSaid, inReach, refresh } from '../../core/session_store.js';
import { draft, recall, remember } from '../../core/device_storage.js';
import { act as button, say, show as page, warn } from '../../ui/page.js';
import { onward } from '../../core/onward.js';
import { outOfReach, unsent } from '../../core/sync_queue.js';
import { Problem } from '../../core/api_client.js';
import { meanwhile, sync } from '../../features/sync_status.js';
import { askAboutOlderDraft } from '../../features/conflicts/taken_number.js';
import { correctedLast, saidBy, undoButton } from '../../features/undo.js';
import { h } from '../../ui/elements.js';
import { hint } from '../../ui/help.js';
import { t } from '../../core/translator.js';
import { again, depthSwitch, habit, keepHabit } from './depth.js';

/** `game.asks`: questions in the order they come up; the first one that is open now is drawn. */
export async function live({ game, home, still }) {
  const { id, deal: { number }, status, winner } = evening();
  if (status !== 'open' || winner) { location.replace(home); return null; } // nothing more is played here
  const kept = draft(id);
  if (foreseen() && (!inReach() || unsent(id).length > 0 || (kept?.number === number && kept.taps.length > 0))) {
    return import('./offline.js').then((file) => (still() ? file.telling({ game, home, still }) : null));
  }
  const half = `half.${id}`;
  const { actions } = evening().deal.phase === 'waiting' ? { actions: [] } : await deal(number);
  if (!still()) return null;
  const view = { sending: false, at: '', memo: {}, told: actions.some(({ type }) => CARDS.includes(type)) };

  const show = (fresh = false) => {
    const state = evening();
    const at = place(state);
    view.told ||= byCards(state.deal);
    if (view.at !== at) {
      const kept = recall(half); // a count begun before a reload
      Object.assign(view, { at, memo: kept?.at === at ? kept.memo : lasting(view.memo) });
    }
    const blind = view.sending || unsent(id).length > 0; // until it is told to this phone alone
    const depth = habit(game.key, game.usual);
    const entries = state.deal.phase === 'waiting' ? game.first(state) : state.legal_actions;
    const context = {
      state, game, depth, hands, memo: view.memo, cards: depth === 'cards' || view.told,
      of: (type) => entries.filter((entry) => entry.type === type),
    };
    const ask = game.asks.find((one) => one.open(context));
    writing(id, Object.keys(view.memo).length > 0 || view.sending || (view.mine && state.deal.phase !== 'waiting') ? number : null);
    draw(context, ask?.draw(context) ?? nothing, { blind, number, home, fresh, sending: view.sending, counted: game.usual === 'result' });
  };

  const hands = {
    /** Something only half said: kept on the phone, shown at once. */
    note(change) {
      Object.assign(view.memo, change);
      remember(half, { at: view.at, memo: view.memo });
      show();
    },
    async send(words, ...actions) {
      if (view.sending) return;
      navigator.vibrate?.(8);
      const opens = evening().deal.phase === 'waiting';
      const held = document.activeElement?.dataset?.key;
      view.sending = true;
      view.mine = true; // begun on this phone, or gone on with
      show();
      const note = { live: number };
      try {
        await Promise.race([
          act(opens ? [{ type: 'open_deal', number }, ...actions] : actions, note),
          onward(note),
        ]);
        remember(half, null);
        view.memo = lasting(view.memo);
        say(words);
      } catch (trouble) {
        if (!(trouble instanceof Problem)) throw trouble;
        warn(trouble.message);
        await refresh();
      }
      view.sending = false;
      if (!still()) return;
      if (unsent(id).length > 0 && evening().deal.number === number) { again(); return; } // said, but not heard: the rest is told to this phone alone
      follow(true);
      if (still() && !document.activeElement.dataset.key) refocus(held);
    },
    async back(words) {
      if (Object.keys(view.memo).length > 0) {
        view.memo = {};
        remember(half, null);
        say(t('record.tap_undone'));
        show();
        return;
      }
      const { actions } = await deal(number);
      // The opening is taken back with the first thing said: nobody tapped it. A correction goes by itself.
      await hands.send(words, ...Array.from({ length: !correctedLast(evening()) && played({ actions }).length === 1 ? 2 : 1 }, () => ({ type: 'undo' })));
    },
    depth(chosen) {
      keepHabit(game.key, chosen);
      again();
    },
  };

  /** Where the deal has come to: on to the next question, or to what the deal gave. */
  function follow(mine) {
    const state = evening();
    if (state.deal.number === number && state.status === 'open') { show(); return; }
    if (state.winner) location.replace(`${home}/winner`);
    else location.replace(mine ? `${home}/deal/${number}/now` : home);
  }

  show(true);
  askAboutOlderDraft(id, number, home);
  return {
    update() {
      if (!still()) return;
      if (view.sending) show();
      else follow(false);
    },
  };
}

/** What was decided for the rest of the deal, not for one thing that is said. */
const LASTING = ['exchanged', 'unseen', 'count'];
export const lasting = (memo) => Object.fromEntries(LASTING.filter((name) => memo[name]).map((name) => [name, true]));

/** Whoever goes by keys stands where he stood, or, if that is gone, at the new question. */
function refocus(held) {
  const same = held && document.querySelector(`[data-key="${CSS.escape(held)}"]:not(:disabled)`);
  (same || document.querySelector('.question'))?.focus({ preventScroll: true });
}

export const nothing = { question: '', main: [] };

/** What must be the same for half a thing said to be still about this. */
function place({ deal }) {
  const { number, phase, turn, swapping, bids, tricks, cards, staying, passed, exchanged, turn_up } = deal;
  return JSON.stringify([number, phase, turn, swapping, bids?.length, tricks?.length, cards?.length, staying, passed, exchanged, turn_up]);
}

/** Whether this deal has been told in cards so far: then it goes on so on every phone. */
const CARDS = ['cut', 'turn_up', 'bid', 'play'];
const byCards = ({ turn_up: card, cards }) => card !== undefined || cards?.length > 0;

/** `title`, `begun`, `depths` and `last`, what was tapped last, are for a deal that is told again. */
export function draw({ state, hands, depth, memo }, asked, { blind, number, home, fresh, sending, counted, title, begun: told, depths, last }) {
  const question = blind ? t(sending && !outOfReach() ? 'record.sending' : 'record.kept') : asked.question;
  const begun = told ?? (state.deal.phase !== 'waiting' || Object.keys(memo).length > 0);
  const few = { result: t(counted ? 'record.by_count' : 'record.by_result') };
  const more = { tricks: t('record.by_tricks'), cards: t('record.by_cards') };
  const words = counted ? { ...few, ...more } : { tricks: more.tricks, ...few, cards: more.cards };
  page({
    title: title ?? t('record.title', { number }),
    back: home,
    aside: sync(),
    kind: 'record live',
    fresh,
    main: [
      !blind && depthSwitch({ depth, words: depths ? Object.fromEntries(depths.map((one) => [one, words[one]])) : words, pick: hands.depth }),
      h('div', { class: 'prompt' },
        h('p', { class: 'question', tabindex: '-1' }, question, !blind && asked.topic && hint(asked.topic)),
        h('p', { class: 'under' }, asked.under || '\u00a0')),
      h('div', { class: blind ? 'said-so busy' : 'said-so', inert: blind }, asked.main),
    ],
    bar: blind ? [meanwhile(home, sending)] : [
      begun && undoButton('undo-tap', (pressed) => hands.back(saidBy(pressed)), state, Object.keys(memo).length > 0 ? null : last),
      asked.bar,
    ],
  });
}
