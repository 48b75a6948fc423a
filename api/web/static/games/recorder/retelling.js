// Records a deal again from its beginning, on the screens of the recorder. Nothing is sent: the taps stay on
// the device until the deal is complete, and then become the actions of the correction.

import { t } from '../../core/translator.js';
import { readDeal, toggleTrump } from '../../domain/deal.js';
import { termsOf } from '../../domain/games.js';
import { announce } from '../../ui/page.js';
import { depthHabit, saveDepthHabit } from './depth.js';
import { drawFiveTricks } from './five_tricks_view.js';
import { NO_QUESTION, drawQuestion, lastingNotes } from './question_view.js';

/** `state`: the table when the deal was dealt. `done(actions)` is called once the deal is complete. */
export const retellDeal = (context) => {
  (context.game.retold ? retellByQuestions : retellFiveTricks)(context);
  return {};
};

const usualDepth = (game) => {
  const depth = depthHabit(game.key, game.usual);
  return depth === 'cards' ? game.usual : depth; // cards would need the server at every step
};

/** Five tricks: the declarer and the winners. */
function retellFiveTricks({ state, game, backHref, done: onDone }) {
  const { number } = state.deal;
  const view = {
    home: backHref, number, title: t('correct.anew_title', { number }), taps: [], base: [], sending: false,
    asking: null, open: false, kept: false,
    game, byResult: usualDepth(game) === 'result', terms: termsOf(state), depths: ['tricks', 'result'],
  };
  const show = (fresh = false) => {
    view.deal = readDeal(view.taps, { seats: state.seats, earlyEnd: state.options.allow_early_end !== false,
      ...view.terms });
    drawFiveTricks(state, view, handlers, fresh);
  };
  const handlers = {
    tap(words, ...actions) {
      navigator.vibrate?.(8);
      view.asking = null;
      view.taps = [...view.taps, ...actions];
      announce(words);
      show();
      if (view.deal.phase === 'closed') onDone(view.taps);
    },
    trump(suit) {
      view.taps = toggleTrump(view.taps, suit);
      show();
    },
    ask(question) { view.asking = question; show(); },
    depth(chosen) { saveDepthHabit(game.key, chosen); view.byResult = chosen === 'result'; show(); },
    undoTap(words) {
      if (view.asking === null) view.taps = view.taps.slice(0, -1);
      view.asking = null;
      announce(words);
      show();
    },
    submit: () => onDone(view.taps),
  };
  show(true);
  return {};
}

/**
 * Records the deal question by question. The legal actions follow from `before` (actions already recorded)
 * and `taps` (added here). `keep(taps)` stores the taps after each change. `leave()` goes back from the
 * first question. While `sending()` is true, no question is shown. Returns `show()`, which redraws the
 * question, and `told()`, which returns the taps.
 */
export function retellByQuestions({ state, game, backHref, done: onDone, before: earlierActions = [],
  taps = [], keep = () => {},
  leave = null, sending = () => false, title = t('correct.anew_title', { number: state.deal.number }) }) {
  const { number } = state.deal;
  // The recorded actions already say who stays.
  let memo = earlierActions.length > 0 && usualDepth(game) === 'result' ? { exchanged: true } : {};
  const show = (fresh = false) => {
    const { deal, entries } = game.retold(state, [...earlierActions, ...taps]);
    const depth = usualDepth(game);
    const context = {
      state: { ...state, deal }, game, depth, handlers, memo, cards: false,
      of: (type) => entries.filter((entry) => entry.type === type),
    };
    const ask = game.questions.find((question) => question.open(context));
    drawQuestion(context, ask?.draw(context) ?? NO_QUESTION, {
      number, home: backHref, fresh, title, begun: leave !== null || taps.length > 0
        || Object.keys(memo).length > 0, depths: ['result', 'tricks'],
      blind: sending(), sending: sending(), counted: true,
      last: taps.length > 0 ? { type: taps.at(-1).type, deal: number, trick: deal.tricks?.length } : null,
    });
  };
  const handlers = {
    onward: leave === null ? t('correct.onward') : undefined,
    note(change) { Object.assign(memo, change); show(); },
    send(words, ...actions) {
      navigator.vibrate?.(8);
      taps = [...taps, ...actions];
      memo = lastingNotes(memo);
      keep(taps);
      announce(words);
      if (game.retold(state, [...earlierActions, ...taps]).closed) onDone(taps);
      else show();
    },
    undoTap(words) {
      if (Object.keys(memo).length > 0) memo = {};
      else if (taps.length === 0 && leave !== null) { leave(); return; }
      else taps = taps.slice(0, -1);
      keep(taps);
      announce(words);
      show();
    },
    depth(chosen) { saveDepthHabit(game.key, chosen); show(); },
  };
  show(true);
  return { show, told: () => taps };
}
