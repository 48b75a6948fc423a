// What stands on the table about who is let in: for the host that somebody knocks; for who came by a link, once, whose phone this is.

import { h } from '../../ui/elements.js';
import { dressed } from '../../core/stylesheets.js';
import { evening } from '../../core/session_store.js';
import { roleIn } from '../../core/device_storage.js';
import { act } from '../../ui/page.js';
import { get, session } from '../../core/api_client.js';
import { t } from '../../core/translator.js';
import { ajar } from './join_code.js';
import { announcer, knocking } from './join_requests.js';
import { asked, mayAsk } from './access_rights.js';
import { section } from '../../ui/section.js';
import { names } from './whose.js';

const CALM = 2_000; // ms between looks at the door, while it is open or somebody waits

/** Fills the place that the table keeps for it; throws when it cannot. */
export async function fill(place, { id, home, still }) {
  const role = roleIn(id);
  if (role === 'host') await knocker(place, { id, home, still });
  else if (role === 'scorer' && mayAsk(id) && evening()?.status === 'open') await offer(place, { id, still });
}

async function offer(place, { id, still }) {
  const [{ pins }] = await Promise.all([get(session(id, '/phones')), dressed('door')]);
  if (!still()) return;
  const gone = () => {
    place.hidden = true;
    place.replaceChildren();
    document.querySelector('h1').focus({ preventScroll: true });
  };
  place.replaceChildren(h('section', { class: 'offer' },
    h('h2', {}, t('door.whose')),
    h('p', { class: 'dim' }, t('door.whose_what')),
    names({ id, pins, done: () => dispatchEvent(new HashChangeEvent('hashchange')) }), // the table is turned to who holds the phone
    act('whose-skip', t('door.not_now'), () => { asked(id); gone(); })));
  place.hidden = false;
}

async function knocker(place, { id, home, still }) {
  if (!await ajar(id)) return;
  await dressed('door');
  const announce = announcer();
  const sign = section((list) => list.length > 0
    && h('a', { class: 'at-door', href: `${home}/share`, 'data-key': 'at-door' }, h('span', { class: 'lantern', 'aria-hidden': 'true' }), knocking(list)));
  place.replaceChildren(sign.node);
  let list = [];
  while (still() && (list.length > 0 || await ajar(id).catch(() => true))) {
    if (!document.hidden) list = await get(session(id, '/knocks')).then((told) => told.knocks, () => list);
    if (!still()) return;
    announce(list);
    place.hidden = list.length === 0;
    sign.tell(list);
    await later();
  }
}

const later = () => new Promise((done) => { setTimeout(done, CALM); });
