// Draws one question of the recorder: heading, depth switch, question, answers and bottom bar. Each device
// remembers the depth of recording (result, tricks or cards) that it used last.

import { readItem, writeItem } from '../../core/device_storage.js';
import { isOutOfReach } from '../../core/sync_queue.js';
import { t } from '../../core/translator.js';
import { syncStatus, tableLink } from '../../features/sync_status.js';
import { undoButton, undoneText } from '../../features/undo.js';
import { h } from '../../ui/elements.js';
import { hint, showScreen } from '../../ui/page.js';

/** Notes that hold for the rest of the deal; all others are dropped with each recorded action. */
const LASTING_NOTES = ['exchanged', 'unseen', 'count'];
export const lastingNotes = (memo) => Object.fromEntries(LASTING_NOTES.filter((name) => memo[name])
  .map((name) => [name, true]));

export const NO_QUESTION = { question: '', main: [] };

/**
 * `isNoted`: undo takes back an incomplete action. `isPaused`: no tap counts now. `countsTricks`: the result
 * is the tricks of each player. `title`, `isBegun`, `depths` and `lastTap` are set only when a deal is
 * recorded from its taps alone.
 */
export function drawQuestion({ state, handlers, depth, memo }, questionParts,
  { isNoted, isPaused, number, home, fresh, sending, countsTricks, title,
    isBegun = state.deal.phase !== 'waiting' || Object.keys(memo).length > 0, lastTap,
    depths = countsTricks ? ['result', 'tricks', 'cards'] : ['tricks', 'result', 'cards'] }) {
  const question = isPaused ? t(sending && !isOutOfReach() ? 'record.sending' : 'record.kept')
    : questionParts.question;
  showScreen({
    title: title ?? t('record.title', { number }),
    backHref: home,
    headerEnd: syncStatus(),
    kind: 'record by-action',
    fresh,
    main: [
      !isPaused && depthSwitch({ depth, depths, countsTricks, pick: handlers.chooseDepth }),
      h('div', { class: 'prompt' },
        h('p', { class: 'question', tabindex: '-1' }, question,
          !isPaused && questionParts.topic && hint(questionParts.topic)),
        h('p', { class: 'subtext' }, questionParts.caption || '\u00a0')),
      h('div', { class: isPaused ? 'question-area busy' : 'question-area', inert: isPaused },
        questionParts.main),
    ],
    bar: isPaused ? [tableLink(home, sending)] : [
      isBegun && undoButton('undo-tap',
        (pressed) => handlers.undoTap(undoneText(pressed), pressed.textContent),
        state, isNoted ? null : lastTap),
      questionParts.bar,
    ],
  });
}

/** The depth used last on this device in this game; `usual` is the one to begin with. */
export const depthHabit = (game, usual) => readItem(`depth.${game}`) ?? usual;
export const saveDepthHabit = (game, depth) => writeItem(`depth.${game}`, depth);

/** A switch between these depths; invisible but in its place where it cannot be changed. */
export function depthSwitch({ depth, depths, countsTricks = false, changeable = true, pick }) {
  const labels = { tricks: t('record.by_tricks'), cards: t('record.by_cards'),
    result: t(countsTricks ? 'record.by_count' : 'record.by_result') };
  return h('div', { class: changeable ? 'segmented-control' : 'segmented-control invisible', role: 'group',
    'aria-label': t('record.depth') },
    depths.map((value) => h('button', {
      type: 'button', 'aria-pressed': String(depth === value), 'data-key': `depth-${value}`,
      onclick: () => pick(value),
    }, labels[value])));
}
