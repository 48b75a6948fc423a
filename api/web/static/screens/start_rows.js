// The groups and sessions that this device remembers: the open one first, the others with their results, and
// a way back for removed rows. Makes no request.

import { readSnapshot } from '../core/database.js';
import { deviceOwner, knownGroups, knownSessions, removeFromStart, removedEntries,
  restoreToStart } from '../core/device_storage.js';
import { unsentWrites } from '../core/sync_queue.js';
import { formatDay, gameName, isolateName, listNames, moneyWriter, t } from '../core/translator.js';
import { sideMembers } from '../domain/amounts.js';
import { h, icon } from '../ui/elements.js';
import { actionButton, announce, iconButton } from '../ui/page.js';
import { memberName } from '../ui/player_tokens.js';

const UNDO_MS = 10_000; // how long the undo is shown in place of the row
const DAY_MS = 24 * 3_600_000;

let removedRow = null; // {kind, id, title, timer} of the row removed last, while that can be undone

/** Resolves to what draws the groups, the sessions and the rows removed from either. */
export async function startRows() {
  const snapshots =
    await Promise.all([...knownSessions(), ...removedEntries()].map(({ id }) => readSnapshot(id)));
  clearTimeout(removedRow?.timer);
  removedRow = null;
  const states = new Map(snapshots.filter(Boolean).map(({ id, said: state }) => [id, state]));
  return { groups: groupRows, sessions: (redraw) => sessionRows(states, redraw), removed: removedRowsFold };
}

function groupRows(redraw) {
  return h('ul', { class: 'rows' }, withRemovedRow('circles', knownGroups())
    .map((entry) => entry.gone ? undoRemovalRow(redraw)
    : h('li', { class: 'row' },
      h('a', { class: 'row-link', href: `#/c/${entry.id}`, 'data-key': `group-${entry.id}` },
        h('bdi', { class: 'row-name' }, entry.name)),
      removeButton('circles', entry, entry.name, redraw))),
  h('li', { class: 'row' }, h('a', { class: 'row-link', href: '#/c', 'data-key': 'new-group' },
    icon('plus'), h('span', { class: 'row-name' }, t('start.found')))));
}

/** The sessions: the open one first; several games of one evening are shown together. */
function sessionRows(states, redraw) {
  const list = withRemovedRow('evenings', knownSessions());
  if (list.length === 0) return h('p', { class: 'empty' }, t('start.empty'));
  const current = list.find((entry, place) => !entry.gone && states.get(entry.id)?.status === 'open'
    && !states.get(entry.id).winner && (place === 0 || isRecent(entry)));
  const currentRow = (entry, notes) =>
    startRow(entry,
    h('b', { class: 'continue-title' }, t('front.continue', { number: states.get(entry.id).deal.number })),
    notes, null, redraw);
  const line = (entry, name, notes) => {
    if (entry.gone) return undoRemovalRow(redraw);
    return entry === current ? currentRow(entry, [...(notes.length > 0 ? [name] : []), gameName(entry.game)])
      : startRow(entry, name, notes, sessionResultLine(entry.id, states.get(entry.id)), redraw);
  };
  return h('ul', { class: 'rows' }, joinRows([current, ...list.filter((entry) => entry !== current)]
    .filter(Boolean))
    .map(([newest, ...older]) => {
    const date = formatDay(newest.date);
    if (older.length === 0) return line(newest, rowTitle(newest), [gameName(newest.game), date]);
    return h('li', { class: 'title-group' }, h('p', { class: 'row' }, rowTitle(newest),
      h('span', { class: 'muted' }, date)),
      h('ul', { class: 'rows' }, [newest, ...older].map((entry) => line(entry, gameName(entry.game), []))));
  }));
}

const rowTitle = ({ title }) => h('bdi', {}, title || t('start.untitled'));
// an evening may go on past midnight
const isRecent = ({ date }) => Date.now() - Date.parse(date) < 2 * DAY_MS;

const startRow = (entry, name, notes, result, redraw) => h('li', { class: 'row', 'data-row': entry.id },
  h('a', { class: 'row-link', href: `#/s/${entry.id}`, 'data-key': `evening-${entry.id}` },
    h('span', { class: 'row-name' }, name, notes.length > 0 && h('span', { class: 'muted row-note' },
      notes.flatMap((part, place) => (place > 0 ? [' · ', part] : [part]))),
      result && h('span', { class: 'session-result' }, result))),
  // A session with unsent writes cannot be removed: they would be out of sight.
  unsentWrites(entry.id).length > 0 ? h('span', { class: 'tag due' },
    t('sync.waiting', { count: unsentWrites(entry.id).length }))
    : removeButton('evenings', entry, `${entry.title} ${gameName(entry.game)}`.trim(), redraw));

const removeButton = (kind, entry, title, redraw) =>
  iconButton(`off-${entry.id}`, 'cross', t('start.forget', { title }), () => {
    removeFromStart(kind, entry.id);
    clearTimeout(removedRow?.timer);
    removedRow = { kind, id: entry.id, title: title || t('start.untitled'),
      timer: setTimeout(() => endUndo(redraw), UNDO_MS) };
    redraw();
    document.querySelector('[data-key=put-back]')?.focus({ preventScroll: true });
    announce(t('front.removed_one', { title: removedRow.title }));
  });

/** The undo disappears after its time, but not under a finger or a resting cursor. */
function endUndo(redraw) {
  const button = document.querySelector('[data-key=put-back]');
  if (button && button === document.activeElement && button.matches(':focus-visible')) {
    removedRow.timer = setTimeout(() => endUndo(redraw), UNDO_MS);
    return;
  }
  removedRow = null;
  if (button) redraw();
}

/** The list with a gap where a row was just removed. */
function withRemovedRow(kind, list) {
  const entry = removedRow?.kind === kind && removedEntries().find(({ id }) => id === removedRow.id);
  return entry ? list.toSpliced(entry.place, 0, { ...entry, gone: true }) : list;
}

const undoRemovalRow = (redraw) => h('li', { class: 'row' },
  h('span', { class: 'row-name muted' }, t('front.removed_one', { title: removedRow.title })),
  actionButton('put-back', t('undo.label'), () => {
    const { id, title, timer } = removedRow;
    clearTimeout(timer);
    removedRow = null;
    restoreToStart(id);
    redraw();
    document.querySelector(`[data-key="evening-${CSS.escape(id)}"], [data-key="group-${CSS.escape(id)}"]`)
      ?.focus({ preventScroll: true });
    announce(t('front.is_back', { title }));
  }, { mark: 'undo' }));

/** The rows removed earlier, folded, each with its way back. */
function removedRowsFold(redraw) {
  const list = removedEntries().filter(({ id }) => id !== removedRow?.id);
  return list.length > 0
    && h('details', { class: 'disclosure', 'data-key': 'removed' },
    h('summary', {}, t('front.removed', { count: list.length })),
    h('p', { class: 'muted' }, t('front.removed_what')),
    h('ul', { class: 'rows' }, list.map((entry) => {
      const title = entry.name ?? (entry.title || t('start.untitled'));
      return h('li', { class: 'row' },
        h('span', { class: 'row-name' }, h('bdi', {}, title),
          entry.game && h('span', { class: 'muted row-note' },
            [gameName(entry.game), formatDay(entry.date)].join(' · '))),
        actionButton(`back-${entry.id}`, t('front.restore'), () => {
          restoreToStart(entry.id);
          redraw();
          announce(t('front.is_back', { title }));
        }, { name: [t('front.restore'), title].join(': ') }));
    })));
}

/** Groups sessions of one title and day, in the order in which they were last opened. */
function joinRows(list) {
  const byGroup = new Map();
  for (const entry of list) {
    const name = `${entry.date} ${entry.title}`;
    byGroup.set(name, [...(byGroup.get(name) ?? []), entry]);
  }
  return [...byGroup.values()];
}

// The result of a session in a few words, from the last state that this device saw.

/** Null when this device never saw its state. The device owner's result comes before the best one. */
function sessionResultLine(id, state) {
  if (!state) return null;
  const owner = deviceOwner(id);
  if (state.winner) {
    const points = state.scores[state.winner[0]];
    if (state.winner.flatMap(sideMembers).includes(owner)) return t('front.you_won', { points });
    return t('front.won',
      { names: listNames(state.winner.flatMap(sideMembers).map((player) => nameInState(state, player))),
      points });
  }
  if (state.status === 'open') return t('front.going_on', { number: state.deal.number });
  const sums = state.results ?? state.balances; // without what has been paid since
  if (!sums) return t('front.ended');
  const money = moneyWriter(state.currency, Object.values(sums));
  if (owner in sums) return t('front.you', { amount: money.signed(sums[owner]) });
  const highest = Math.max(...Object.values(sums));
  if (highest === 0) return t('front.even');
  const best = Object.keys(sums).filter((player) => sums[player] === highest);
  return t('front.best', { names: listNames(best.map((player) => nameInState(state, player))),
    amount: money.signed(highest) });
}

const nameInState = ({ players }, id) => isolateName(memberName(players, id));
