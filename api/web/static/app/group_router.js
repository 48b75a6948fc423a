// Every place of a circle: the address says which. A link's token is traded away at once.

import { h } from '../ui/elements.js';
import { dressed } from '../core/stylesheets.js';
import { rememberCircle } from '../core/device_storage.js';
import { go, show } from '../ui/page.js';
import { circle } from '../screens/groups/group.js';
import { founding } from '../screens/groups/new_group.js';
import { season } from '../screens/groups/season.js';
import { get, Problem } from '../core/api_client.js';
import { t } from '../core/translator.js';
import { at, letIn } from '../features/groups/group_client.js';
import { allHeard, heardAfterAll } from '../features/groups/ending.js';
import { inviting } from '../screens/groups/links.js';
import { members } from '../screens/groups/members.js';
import { tonight } from '../screens/groups/new_session.js';

const PLACES = {
  '': circle, tonight, season, members, share: inviting,
  statement: (context) => import('../screens/groups/statement.js').then((file) => file.statement(context)), // brings words of its own
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
