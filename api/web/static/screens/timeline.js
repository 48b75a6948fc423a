// Back in time: the table as it stood after any step of the evening, and what happened in that step.
// Only looks: nothing is changed by going back, and leaving it shows the table as it stands now.

import { h, icon } from '../ui/elements.js';
import { evening } from '../core/session_store.js';
import { happened } from '../ui/happened.js';
import { writerOf } from '../core/money_format.js';
import { forPoints } from '../domain/points.js';
import { say, warn } from '../ui/page.js';
import { scoreboard } from '../ui/scoreboard.js';
import { absent, apart, round, stack } from './table.js';
import { get, session } from '../core/api_client.js';
import { moment, t } from '../core/translator.js';

const PAGE = 1_000; // events asked for at once

/** `moved(past)` when it leaves the present or comes back to it. */
export function timeline({ id, game, moved }) {
  let last = evening().version;
  let at = last;
  let events = [];
  const tables = new Map();

  const slider = h('input', { type: 'range', min: 1, max: last, value: last, class: 'slider', 'data-key': 'slider', 'aria-label': t('then.slider'), oninput: () => go(Number(slider.value)) });
  slider.value = last; // only now that it knows how far it reaches
  const step = (key, label, name, way) => h('button', { type: 'button', class: 'round', 'data-key': key, 'aria-label': label, onclick: () => go(at + way) }, icon(name));
  const earlier = step('earlier', t('then.earlier'), 'minus', -1);
  const later = step('later', t('then.later'), 'plus', 1);
  const when = h('p', { class: 'dim' });
  const sentence = h('p', { class: 'said then-said' });
  const stood = h('div', { class: 'stood', hidden: true });
  const node = h('section', { class: 'timeline' }, h('h2', {}, t('then.title')),
    h('div', { class: 'steps' }, earlier, slider, later), when, sentence, stood);

  async function go(version) {
    const was = at;
    at = Math.min(last, Math.max(1, version));
    slider.value = at;
    if ((was === last) !== (at === last)) moved(at !== last);
    if (at === last) { present(); return; }
    try {
      const mine = at;
      const [, then] = await Promise.all([told(mine), tableAt(mine)]);
      if (mine === at) draw(then);
    } catch {
      warn(t('queue.offline'));
    }
  }

  /** All that has happened so far, fetched on the first step back. */
  async function told(version) {
    while (events.length < version) {
      const { events: more } = await get(session(id, `/events?after=${events.length}&limit=${PAGE}`));
      if (more.length === 0) return;
      // versions have no holes, but two steps in a row may both have asked
      events = [...events, ...more.filter((event) => event.version > events.length)];
    }
  }

  async function tableAt(version) {
    if (!tables.has(version)) tables.set(version, await get(session(id, `?at=${version}`)));
    return tables.get(version);
  }

  function draw(then) {
    const event = events[at - 1];
    const money = writerOf(then);
    const words = event ? happened(event, money) : '';
    when.textContent = [event && moment(event.at), then.deal.phase !== 'waiting' && t('result.title', { number: then.deal.number }), t('then.place', { place: at, all: last })].filter(Boolean).join(' · ');
    sentence.textContent = words;
    slider.setAttribute('aria-valuetext', words);
    say(words);
    const figures = h('div', { hidden: true });
    if (apart(then)) import('../features/settling/balances_summary.js').then((file) => file.fill(figures, { still: () => true, quiet: true, of: () => then })).catch(() => null);
    stood.hidden = false;
    stood.replaceChildren(...[
      h('p', { class: 'banner' }, t('then.stood')),
      round(then, game, money), absent(then, money), figures, game.stack && stack(then, money), forPoints(then) && scoreboard(then, game),
      h('button', { type: 'button', class: 'button big', 'data-key': 'now', onclick: () => { go(last); slider.focus(); } }, t('then.now')),
    ].filter(Boolean));
    ends(at <= 1, false);
  }

  /** Which way nothing more lies. A button that is no use any more gives the focus to the slider. */
  function ends(first, present) {
    if ((first && earlier === document.activeElement) || (present && later === document.activeElement)) slider.focus();
    [earlier.disabled, later.disabled] = [first, present];
  }

  function present() {
    stood.hidden = true;
    stood.replaceChildren();
    when.textContent = t('then.is_now');
    sentence.textContent = '';
    slider.setAttribute('aria-valuetext', t('then.is_now'));
    ends(at <= 1, true);
  }

  present();
  return {
    node,
    past: () => at !== last,
    /** The evening went on: the end of the line moves, whoever looks back stays where he is. */
    grow(version) {
      const here = at === last;
      last = version;
      slider.max = version;
      if (here) { at = last; slider.value = last; }
    },
  };
}
