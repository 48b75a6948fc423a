// The circles and evenings that this phone remembers: what goes on first, how the others ended, and the
// way back for what was taken off the list. Nothing here is asked of the server.

import { aside, h, icon } from '../ui/elements.js';
import { lastSeen } from '../core/lastseen.js';
import { circles, evenings, removed } from '../core/device_storage.js';
import { say } from '../ui/page.js';
import { unsent } from '../core/sync_queue.js';
import { shortDate, speakAlso, t } from '../core/translator.js';
import { putBack, takeOff } from '../core/removed.js';
import { result } from './session_result.js';
import { gameNamed } from '../domain/games.js';

const LONG = 10_000; // ms that an undo stands where the row stood; afterwards it is among the removed
const DAY = 24 * 3_600_000; // ms

let gone = null; // {kind, id, title, timer}: what was taken off just now

/** Resolves when the lists can be drawn without the network. */
export const ready = () => speakAlso('front.');

/** Both lists as this phone remembers them. */
export async function rows() {
  const [, ...seen] = await Promise.all([ready(), ...[...evenings(), ...removed()].map(({ id }) => lastSeen(id))]);
  gone = null;
  const states = new Map(seen.filter(Boolean).map(({ id, said }) => [id, said]));
  return { ours: (redraw) => ours(redraw), known: (redraw) => known(states, redraw), goneBefore: (redraw) => goneBefore(redraw) };
}

/** People who meet again. */
function ours(redraw) {
  return h('ul', { class: 'rows' }, withGone('circles', circles()).map((one) => one.gone ? undoing(redraw)
    : h('li', { class: 'row' },
      h('a', { class: 'row-link', href: `#/c/${one.id}`, 'data-key': `circle-${one.id}` }, h('bdi', { class: 'row-name' }, one.name)),
      cross('circles', one, one.name, redraw))),
  h('li', { class: 'row' }, h('a', { class: 'row-link', href: '#/c', 'data-key': 'found-circle' }, icon('plus'), h('span', { class: 'row-name' }, t('start.found')))));
}

/** Evenings; the one that goes on comes first, several games of one evening stand together. */
function known(states, redraw) {
  const list = withGone('evenings', evenings());
  if (list.length === 0) return h('p', { class: 'empty' }, t('start.empty'));
  const on = list.find((one, place) => !one.gone && states.get(one.id)?.status === 'open' && !states.get(one.id).winner && (place === 0 || isRecent(one)));
  const goesOn = (one, small) => row(one, h('b', { class: 'going-on' }, t('front.continue', { number: states.get(one.id).deal.number })), small, null, redraw);
  const line = (one, name, small) => {
    if (one.gone) return undoing(redraw);
    return one === on ? goesOn(one, [...(small.length > 0 ? [name] : []), gameNamed(one.game)]) : row(one, name, small, result(one.id, states.get(one.id)), redraw);
  };
  return h('ul', { class: 'rows' }, together([on, ...list.filter((one) => one !== on)].filter(Boolean)).map(([first, ...others]) => {
    const date = shortDate(first.date);
    if (others.length === 0) return line(first, named(first), [gameNamed(first.game), date]);
    return h('li', { class: 'several' }, h('p', { class: 'row' }, named(first), h('span', { class: 'dim' }, date)),
      h('ul', { class: 'rows' }, [first, ...others].map((one) => line(one, gameNamed(one.game), []))));
  }));
}

const named = ({ title }) => h('bdi', {}, title || t('start.untitled'));
const isRecent = ({ date }) => Date.now() - Date.parse(date) < 2 * DAY; // evenings go on past midnight

const row = (one, name, small, came, redraw) => h('li', { class: 'row', 'data-row': one.id },
  h('a', { class: 'row-link', href: `#/s/${one.id}`, 'data-key': `evening-${one.id}` },
    h('span', { class: 'row-name' }, name, small.length > 0 && h('span', { class: 'dim by' }, small.flatMap((part, place) => (place > 0 ? [' · ', part] : [part]))),
      came && h('span', { class: 'came' }, came))),
  // what waits for it would be out of sight
  unsent(one.id).length > 0 ? h('span', { class: 'tag due' }, t('sync.waiting', { count: unsent(one.id).length }))
    : cross('evenings', one, `${one.title} ${gameNamed(one.game)}`.trim(), redraw));

const cross = (kind, one, title, redraw) => h('button', {
  class: 'round', type: 'button', 'data-key': `off-${one.id}`, 'aria-label': t('start.forget', { title }),
  onclick: () => {
    takeOff(kind, one.id);
    clearTimeout(gone?.timer);
    gone = { kind, id: one.id, title: title || t('start.untitled'), timer: setTimeout(() => leave(redraw), LONG) };
    redraw();
    document.querySelector('[data-key=put-back]')?.focus({ preventScroll: true });
    say(t('front.removed_one', { title: gone.title }));
  },
}, icon('cross'));

/** The undo goes when its time is up, but never from under a finger or a cursor that rests on it. */
function leave(redraw) {
  const button = document.querySelector('[data-key=put-back]');
  if (button && button === document.activeElement && button.matches(':focus-visible')) {
    gone.timer = setTimeout(() => leave(redraw), LONG);
    return;
  }
  gone = null;
  if (button) redraw();
}

/** The list as it was, with a gap where something was just taken off. */
function withGone(kind, list) {
  const one = gone?.kind === kind && removed().find(({ id }) => id === gone.id);
  return one ? list.toSpliced(one.place, 0, { ...one, gone: true }) : list;
}

const undoing = (redraw) => h('li', { class: 'row' },
  h('span', { class: 'row-name dim' }, t('front.removed_one', { title: gone.title })),
  h('button', { type: 'button', class: 'button', 'data-key': 'put-back', onclick: () => {
    const { id, title, timer } = gone;
    clearTimeout(timer);
    gone = null;
    putBack(id);
    redraw();
    document.querySelector(`[data-key="evening-${CSS.escape(id)}"], [data-key="circle-${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
    say(t('front.is_back', { title }));
  } }, icon('undo'), h('span', {}, t('undo.label'))));

/** What was removed earlier, folded, each with its way back. */
function goneBefore(redraw) {
  const list = removed().filter(({ id }) => id !== gone?.id);
  return list.length > 0 && h('details', { class: 'fold', 'data-key': 'removed', open: document.querySelector('[data-key=removed]')?.open },
    h('summary', {}, t('front.removed', { count: list.length })),
    h('p', { class: 'dim' }, t('front.removed_what')),
    h('ul', { class: 'rows' }, list.map((one) => {
      const title = one.name ?? (one.title || t('start.untitled'));
      return h('li', { class: 'row' },
        h('span', { class: 'row-name' }, h('bdi', {}, title), one.game && h('span', { class: 'dim by' }, [gameNamed(one.game), shortDate(one.date)].join(' · '))),
        h('button', { type: 'button', class: 'button', 'data-key': `back-${one.id}`, onclick: () => {
          putBack(one.id);
          redraw();
          say(t('front.is_back', { title }));
        } }, t('front.restore'), aside(`: ${title}`)));
    })));
}

/** Games of one title and one day, in the order in which they were last opened. */
function together(list) {
  const found = new Map();
  for (const one of list) {
    const name = `${one.date} ${one.title}`;
    found.set(name, [...(found.get(name) ?? []), one]);
  }
  return [...found.values()];
}
