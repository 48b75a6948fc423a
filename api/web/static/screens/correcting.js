// A deal was played otherwise, or never counted: what was recorded is changed row by row, or told again from the
// beginning, and then sent once with its reason. What is changed here stays on the phone until then.

import { anew } from '../games/recorder/retelling.js';
import { oneMore, rows } from '../features/correcting/action_rows.js';
import { draftName, record } from '../features/correcting/draft.js';
import { mayCorrect } from '../features/correcting/may.js';
import { laterBreak, neverCounted, playedLikeThis } from '../features/correcting/questions.js';
import { reason } from '../features/correcting/reason.js';
import { played } from '../domain/deal.js';
import { h, icon } from '../ui/elements.js';
import { deal, evening, refresh, write } from '../core/session_store.js';
import { held } from '../features/held.js';
import { recall, remember } from '../core/device_storage.js';
import { act, say, show, warn } from '../ui/page.js';
import { forPoints } from '../domain/points.js';
import { unsent } from '../core/sync_queue.js';
import { get, Problem, session } from '../core/api_client.js';
import { meanwhile, sync } from '../features/sync_status.js';
import { speakAlso, t } from '../core/translator.js';

export async function correcting({ game, home, argument, still }) {
  const number = Number.parseInt(argument, 10);
  const { id } = evening();
  const here = `${home}/correct/${number}`;
  const there = `${home}/deal/${number}`;
  let known = await deal(number);
  const [{ deals }] = await Promise.all([get(session(id, '/deals')), speakAlso('effect.')]); // heard also when the network goes
  if (!still()) return null;
  if (!mayCorrect(evening(), known)) { location.replace(there); return null; }

  const place = draftName(id);
  let before = record(known);
  const kept = recall(place);
  const view = { sending: false, wrong: null, actions: played(known), reason: '' };
  if (kept?.number === number && kept.before === before) Object.assign(view, { actions: kept.actions, reason: kept.reason });
  const keep = () => remember(place, { number, before, actions: view.actions, reason: view.reason });
  const state = () => asItWas(evening(), game, known, deals);

  if (location.hash.endsWith('/anew')) {
    return anew({ state: state(), game, back: here, done: (actions) => { view.actions = actions; keep(); location.replace(here); } });
  }

  const draw = (fresh = false) => {
    const changed = JSON.stringify(view.actions) !== JSON.stringify(played(known));
    const more = oneMore(view.actions, game);
    const blind = view.sending || unsent(id).length > 0;
    show({
      title: t('correct.title', { number }), back: there, aside: sync(), kind: 'correct', fresh,
      main: blind ? [held(view.sending)] : [
        h('p', { class: 'said' }, known.outcome?.text ?? ''),
        h('p', { class: 'dim' }, t('correct.how')),
        h('a', { class: 'button quiet', href: `${here}/anew`, 'data-key': 'anew' }, icon('pen'), h('span', {}, t('correct.anew'))),
        rows({ state: state(), game, actions: view.actions, change, wrong: view.wrong }),
        more && h('button', { type: 'button', class: 'button quiet', 'data-key': 'one-more', onclick: () => change(more) }, icon('plus'), h('span', {}, t('correct.one_more'))),
        reason({ suggested: [t('correct.tapped'), t('correct.trick'), t('correct.remembered')], text: view.reason, changed: (text) => { view.reason = text; keep(); } }),
        h('button', { type: 'button', class: 'button quiet', 'data-key': 'never', onclick: () => never('') }, icon('cross'), h('span', {}, t('never.label'))),
      ],
      bar: blind ? [meanwhile(home, view.sending)] : [
        changed && act('as-it-was', t('correct.as_it_was'), () => change(played(known)), { mark: 'undo', shy: true }),
        h('button', { type: 'button', class: 'button big', 'data-key': 'correct', disabled: !changed || view.actions.length === 0, onclick: correct }, t('correct.send')),
      ],
    });
  };

  function change(actions) {
    Object.assign(view, { actions, wrong: null });
    keep();
    draw();
  }

  const put = (version, later) => send('PUT', `/deals/${number}`, { actions: view.actions, ...asked(view.reason, later) }, version, correct, (on) => put(on, 'void'));
  const strike = (why, version, later) => send('DELETE', `/deals/${number}?${new URLSearchParams(asked(why, later))}`, undefined, version, () => never(why), (on) => strike(why, on, 'void'));

  /** What it changes is seen before it is sent. */
  function correct() {
    playedLikeThis({ number, actions: view.actions, sure: put, refused: (trouble) => refused(trouble, view.actions, (on) => put(on, 'void')) });
  }

  function never(text) {
    neverCounted({ number, text, sure: strike, refused: (trouble, why) => refused(trouble, null, (on) => strike(why, on, 'void')) });
  }

  function refused(trouble, actions, letGo) {
    if (!still()) return;
    if (!(trouble instanceof Problem)) throw trouble;
    const at = trouble.body.action;
    view.wrong = actions && Number.isInteger(at) && at >= 0 ? { place: at, text: trouble.message } : null;
    draw();
    if (trouble.code === 'later_deals_break') laterBreak({ number, actions, broken: trouble.body.deals, deals, letGo, refused: (other) => warn(other.message) });
    else if (view.wrong === null) warn(trouble.message);
    else document.querySelector('.wrong')?.scrollIntoView({ block: 'center' });
  }

  /** Somebody else may have recorded a deal meanwhile; as long as this one is the same, `anew` asks again. */
  async function send(method, rest, body, version, anew, letGo) {
    view.sending = true;
    draw();
    try {
      await write(rest, body, { method, note: { correct: number, what: t('correct.title', { number }) }, ...(version && { ifMatch: version }) });
    } catch (trouble) {
      if (!(trouble instanceof Problem)) throw trouble;
      await refresh();
      const now = await deal(number).catch(() => known);
      if (!still()) return;
      view.sending = false;
      if (trouble.status === 412 && record(now) === before) { draw(); anew(); return; }
      refused(trouble, body?.actions ?? null, letGo);
      return;
    }
    remember(place, null);
    if (!still()) return;
    say(t('correct.done', { number }));
    location.replace(there);
  }

  draw(true);
  return {
    async update() {
      if (view.sending) { draw(); return; }
      const now = await deal(number).catch(() => known);
      if (!still() || view.sending || record(now) === before) return;
      if (!mayCorrect(evening(), now)) { location.replace(there); return; }
      known = now;
      before = record(now);
      Object.assign(view, { actions: played(now), wrong: null });
      remember(place, null);
      warn(t('record.moved_on'));
      draw();
    },
  };
}

/** What goes along with the actions; the server takes no empty reason. */
const asked = (why, later) => ({ ...(why.trim() && { reason: why.trim() }), ...(later && { later }) });

/** The table when the deal was dealt: who sat, who dealt, what it was for, and the sheet as the deals before it left it. */
function asItWas(state, game, known, deals) {
  const { number, dealer, seats } = known;
  return {
    ...state, seats, winner: null, overtricks: null, amount_played_for: known.amount_played_for,
    scores: forPoints(state) ? sheetBefore(state, game, deals, number) : state.scores,
    deal: { number, dealer, phase: 'waiting' }, legal_actions: [],
  };
}

function sheetBefore(state, game, deals, number) {
  const scores = Object.fromEntries(Object.keys(state.scores).map((keeper) => [keeper, game.course(state).start]));
  for (const one of deals) {
    if (one.number >= number || one.status !== 'closed') continue;
    for (const [keeper, points] of Object.entries(one.outcome?.points ?? {})) scores[keeper] += points;
  }
  return scores;
}
