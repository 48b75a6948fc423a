// Which screen is on: the address after # decides, and a link's token is traded away at once.

import { enter, evening, leave, onEvening } from './evening.js';
import { dropDraft, evenings, keepDraft, rememberRole } from './memory.js';
import { closeSheets, show, unwarn, warn } from './page.js';
import { onQueue, resume } from './queue.js';
import { exchange, Problem } from './server.js';
import { closing } from './screens/closing.js';
import { history as deals } from './screens/history.js';
import { opening } from './screens/opening.js';
import { record } from './screens/record.js';
import { result } from './screens/result.js';
import { rules } from './screens/rules.js';
import { seating } from './screens/seating.js';
import { settlement } from './screens/settlement.js';
import { share } from './screens/share.js';
import { start } from './screens/start.js';
import { statement } from './screens/statement.js';
import { table } from './screens/table.js';
import { lost } from './screens/lost.js';
import { preferred, speak, t } from './words.js';

const IN_EVENING = {
  '': table, record, deal: result, deals, settlement, share, players: seating, close: closing, statement, rules,
};

let turn = 0;
let screen = null;

async function route() {
  const mine = ++turn;
  const [, place, id, third = '', argument] = location.hash.split('/');
  screen = null;
  unwarn();
  closeSheets();
  const still = () => mine === turn;
  try {
    if (place !== 's' || !id) {
      leave();
      const open = place === 'new' ? opening : place === 'rules' ? rules : start;
      keep(await open({ still, back: '#/' }), still);
      return;
    }
    if (third !== '' && !Object.hasOwn(IN_EVENING, third)) {
      await exchange(id, third);
      rememberRole(id, third);
      history.replaceState(null, '', `#/s/${id}`); // the token must not stay where a screenshot shows it
    }
    const home = `#/s/${id}`;
    await enter(decodeURIComponent(id));
    if (!still()) return;
    const open = Object.hasOwn(IN_EVENING, third) ? IN_EVENING[third] : table;
    keep(await open({ id, home, back: home, argument, still }), still);
  } catch (trouble) {
    if (!still()) return;
    lost({ trouble, again: route });
  }
}

function keep(opened, still) {
  if (still()) screen = opened ?? null;
}

const refreshScreen = () => screen?.update?.(evening());

onEvening(refreshScreen);

// What is answered after a reload has nobody on this page waiting for it. Accepted: the taps have done
// their work. Refused: bring them back, and say why.
onQueue(({ entry, settled, orphan }) => {
  if (orphan && !(settled instanceof Problem) && entry.note.taps) dropDraft(entry.session);
  if (orphan && settled instanceof Problem) {
    const { number, taps } = entry.note;
    if (taps && settled.code !== 'deal_taken') keepDraft(entry.session, { number, base: entry.note.base, taps });
    const known = evenings().find((one) => one.id === entry.session);
    warn(t('queue.refused', { title: known?.title ?? '', reason: settled.message }));
  }
  refreshScreen();
});

addEventListener('hashchange', route);

async function begin() {
  try {
    await speak(preferred());
  } catch {
    setTimeout(begin, 1_500); // without words there is nothing to show yet
    return;
  }
  show({ title: 'Vola', main: [] });
  await route();
  resume();
}

begin();

export { route };
