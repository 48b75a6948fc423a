// Every place of a circle: the address says which. A link's token is traded away at once.

import { h } from '../dom.js';
import { dressed } from '../dressed.js';
import { rememberCircle } from '../memory.js';
import { go, show } from '../page.js';
import { circle } from '../screens/circle.js';
import { founding } from '../screens/circles.js';
import { season } from '../screens/season.js';
import { get, Problem } from '../server.js';
import { t } from '../words.js';
import { at, letIn } from './book.js';
import { allHeard, heardAfterAll } from './ending.js';
import { inviting } from './inviting.js';
import { members } from './members.js';
import { tonight } from './tonight.js';

const PLACES = {
  '': circle, tonight, season, members, share: inviting,
  statement: (context) => import('./statement.js').then((file) => file.statement(context)), // brings words of its own
};

export async function inCircle({ id, place, still }) {
  const here = location.hash;
  await dressed('circle');
  if (!still()) return null;
  if (!id) return founding();
  try {
    if (!Object.hasOwn(PLACES, place)) {
      await letIn(id, place);
      if (!still() || location.hash !== here) return null; // a tap has gone on
      history.replaceState(null, '', `#/c/${id}`); // the token must not stay where a screenshot shows it
    }
    const found = await get(at(id)).catch(async (trouble) => {
      if (trouble instanceof Problem && await heardAfterAll(id)) return get(at(id));
      throw trouble;
    });
    allHeard(id);
    rememberCircle(found);
    if (!still()) return null;
    const open = Object.hasOwn(PLACES, place) ? PLACES[place] : circle;
    return await open({ id, circle: found, home: `#/c/${id}`, still });
  } catch (trouble) {
    if (!(trouble instanceof Problem) || !still()) throw trouble;
    return gone(trouble);
  }
}

function gone(trouble) {
  show({
    title: t('circle.gone_title'), back: '#/', fresh: true,
    main: [h('p', { class: 'lead' }, t('circle.gone')), h('p', { class: 'dim' }, trouble.message)],
    bar: [go('home', t('lost.home'), '#/', { big: true })],
  });
  return {};
}
