// Which screen is on: the address after # decides, and a link's token is traded away at once.

import { enter, evening, leave, onEvening, refresh } from '../core/session_store.js';
import { gameOf } from '../games/registry.js';
import { loadHelp } from '../ui/help.js';
import { draft, dropDraft, evenings, keepDraft, phoneIn, rememberRole } from '../core/device_storage.js';
import { closeSheets, unwarn, warn } from '../ui/page.js';
import { dealOf, onQueue, refusedIn, resume } from '../core/sync_queue.js';
import { exchange, Problem } from '../core/api_client.js';
import { lost } from '../screens/lost.js';
import { result } from '../screens/result.js';
import { start } from '../screens/start.js';
import { table } from '../screens/table.js';
import { loadUndoNames } from '../features/undo.js';
import { preferred, speak, t } from '../core/translator.js';
import { GAMES } from '../domain/games.js';

// What an evening is made of comes with the page; the rest is fetched when first wanted, or before,
// in a quiet moment, so that no screen depends on the network just then; not by a phone told to save.
const LATER = {
  opening: () => import('../screens/opening.js').then((file) => file.opening),
  deals: () => import('../screens/history.js').then((file) => file.history),
  correct: () => import('../screens/correcting.js').then((file) => file.correcting),
  settlement: () => import('../screens/settlement.js').then((file) => file.settlement),
  share: () => import('../screens/share.js').then((file) => file.share),
  players: () => import('../screens/seating.js').then((file) => file.seating),
  close: () => import('../screens/closing.js').then((file) => file.closing),
  statement: () => import('../screens/statement.js').then((file) => file.statement),
  rules: () => import('../screens/rules.js').then((file) => file.rules),
  winner: () => import('../screens/winner.js').then((file) => file.winner),
  board: () => import('../screens/board.js').then((file) => file.board),
  pictures: () => import('../screens/pictures.js').then((file) => file.pictures),
  circles: () => import('./group_router.js').then((file) => file.inCircle),
  joining: () => import('../screens/groups/join_group.js').then((file) => file.joining),
  door: () => import('../screens/join.js').then((file) => file.coming),
};
const rules = () => import('../core/rulebook.js').then((file) => file.rulebook());
const menu = () => import('../screens/menu.js').then((file) => file.ready());
const front = () => import('../screens/start_rows.js').then((file) => file.ready());
const offline = [menu, front, () => import('../core/session_forecast.js').then((file) => file.ready()), () => import('../games/recorder/offline.js'), () => import('../features/conflicts/refused_deal.js')];
const later = (name) => async (context) => (await LATER[name]())(context);
const warm = () => navigator.connection?.saveData || setTimeout(() => [...Object.values(LATER), rules, loadHelp, ...offline].forEach((load) => load().catch(() => null)), 3_000);

const IN_EVENING = {
  '': table, record: (context) => context.game.record(context), deal: result,
  deals: later('deals'), correct: later('correct'), settlement: later('settlement'), share: later('share'),
  players: later('players'), close: later('close'), statement: later('statement'), rules: later('rules'),
  winner: later('winner'), board: later('board'), pictures: later('pictures'), circle: later('joining'),
};

let turn = 0;
let screen = null;
const beside = (context) => import('../features/others.js').then((file) => file.watch(context)).catch(() => null);
const shine = (playing) => import('./awake.js').then((file) => file.awake(playing)).catch(() => null);

async function route() {
  const mine = ++turn;
  const here = location.hash;
  const [, place, id, third = '', argument] = here.split('/');
  screen = null;
  unwarn();
  closeSheets();
  const still = () => mine === turn;
  try {
    if (place === 'c') {
      leave();
      keep(await later('circles')({ still, id, place: third }), still);
      return;
    }
    if (place !== 's' || !id) {
      leave();
      shine(false);
      const open = place === 'new' ? later('opening') : place === 'rules' || place === 'door' ? later(place) : start;
      keep(await open({ still, back: '#/', again: id === 'again' }), still);
      return;
    }
    if (third !== '' && !Object.hasOwn(IN_EVENING, third)) {
      if (!phoneIn(id) || !await (await import('../features/access/access_rights.js')).stays(id, third)) {
        try {
          await exchange(id, third);
          rememberRole(id, third);
        } catch (trouble) { // or another right
          if (trouble.code !== 'unknown_session' || !evenings().some((one) => one.id === id)) throw trouble;
        }
      }
      if (!still() || location.hash !== here) return; // a tap has gone on
      history.replaceState(null, '', `#/s/${id}`); // no screenshot shows the token
    }
    const home = `#/s/${id}`;
    const before = evenings().find((one) => one.id === decodeURIComponent(id))?.game;
    if (Object.hasOwn(GAMES, before ?? '')) gameOf(before).catch(() => null); // while the evening itself is asked for
    const named = Promise.race([loadUndoNames(), new Promise((done) => setTimeout(done, 1_000))]); // ms; without them it goes on
    await enter(decodeURIComponent(id));
    if (!still()) return;
    const [game] = await Promise.all([gameOf(evening().game), named]);
    if (!still()) return;
    const open = Object.hasOwn(IN_EVENING, third) ? IN_EVENING[third] : table;
    keep(await open({ id, game, home, back: home, argument, still }), still);
    askAbout(id);
    const on = open === table ? '' : third; // a link's token stood there, too
    if (['', 'record', 'board'].includes(on)) beside({ id: evening()?.id, recording: on === 'record', still });
    shine(['', 'record', 'deal', 'winner', 'board'].includes(on) && evening()?.status === 'open');
  } catch (trouble) {
    if (!still()) return;
    lost({ trouble, id, still, again: route, back: place === 's' && third !== '' ? `#/s/${id}` : '#/' });
  }
}

function keep(opened, still) {
  if (still()) screen = opened ?? null;
}

const refreshScreen = () => screen?.update?.(evening());

onEvening((state, news) => {
  if (news?.out) leftOutside(state.id, news.out);
  else if (news?.renamed) route();
  else refreshScreen();
});

/** Until now it let this phone in. */
function leftOutside(id, trouble) {
  const mine = ++turn;
  screen = null;
  closeSheets();
  lost({ trouble, id, still: () => mine === turn, again: route, back: '#/' });
}

/** A refused deal that others wait behind: a person decides. */
function askAbout(id) {
  if (evening()?.id === id && refusedIn(id)) import('../features/conflicts/refused_deal.js').then((file) => file.question(id)).catch(() => null);
}

// What is answered after a reload has nobody on this page waiting for it. Accepted: the taps have done
// their work. Refused: bring them back, and say why.
onQueue(({ entry, settled, orphan, stopped }) => {
  if (stopped) refresh().then(() => askAbout(stopped));
  if (orphan && !(settled instanceof Problem) && entry.note.taps && draft(entry.session)?.number === dealOf(entry)) dropDraft(entry.session);
  if (orphan && settled instanceof Problem) {
    const { taps, base, what } = entry.note;
    const number = dealOf(entry);
    if (taps && settled.code === 'deal_taken' && evening()?.id === entry.session) {
      refresh().then(() => import('../features/conflicts/taken_number.js')).then((file) => file.taken({ number, taps, theirs: settled.body.deal, home: `#/s/${entry.session}` }));
    } else {
      if (taps) keepDraft(entry.session, { number, base, taps });
      const title = evenings().find((one) => one.id === entry.session)?.title;
      warn(t('queue.refused', { title: [title, what].filter(Boolean).join(', '), reason: settled.message }));
    }
  }
  refreshScreen();
});

addEventListener('hashchange', route);

/** Nobody is in the middle of anything. */
const resting = () => location.hash.length < 3 && !document.querySelector('dialog');
const contrast = matchMedia('(forced-colors: active)');
const contrasted = () => contrast.matches && import('../core/stylesheets.js').then((file) => file.styled('/form/static/styles/contrast.css')).catch(() => null);
contrast.addEventListener('change', contrasted);
const stay = () => import('./installed.js').then((file) => file.install(resting)).catch(() => null);

async function begin() {
  try {
    await speak(preferred());
  } catch {
    setTimeout(begin, 1_500); // nothing can be said yet
    return;
  }
  await resume(); // what was recorded here belongs to what is shown
  await route();
  warm();
  stay();
  contrasted();
}

begin();
