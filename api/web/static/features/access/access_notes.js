// The note about access on a session's table screen: pending join requests for the host; for a scorer who
// came by a link, a question, asked once, about whose device this is.

import { getJson, sessionPath } from '../../core/api_client.js';
import { roleInSession } from '../../core/device_storage.js';
import { currentSession } from '../../core/session_store.js';
import { loadAllSentences, t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';
import { actionButton, refillPart, section } from '../../ui/page.js';
import { mayAskForOwner, rememberOwnerAsked } from './access_rights.js';
import { ownerButtons } from './devices.js';
import { isJoinCodeOpen, joinRequestAnnouncer, joinRequestsSentence } from './join_requests.js';

const ACCESS_POLL_MS = 2_000; // between polls, while the join code is valid or requests are pending

/** Fills `place` with the note that applies, if any; throws if the server cannot be reached. */
export async function fillAccessNotes(place, { id, home, isCurrent }) {
  const role = roleInSession(id);
  if (role === 'host') await joinRequestNote(place, { id, home, isCurrent });
  else if (role === 'scorer' && mayAskForOwner(id) && currentSession()?.status === 'open')
    await deviceOwnerOffer(place, { id, isCurrent });
}

async function deviceOwnerOffer(place, { id, isCurrent }) {
  await loadAllSentences();
  if (!isCurrent()) return;
  const close = () => {
    place.hidden = true;
    refillPart(place);
  };
  refillPart(place, h('section', { class: 'offer' },
    h('h2', {}, t('door.whose')),
    h('p', { class: 'dim' }, t('door.whose_what')),
    // redraws the table with the owner's seat in front
    ownerButtons({ id, done: () => dispatchEvent(new HashChangeEvent('hashchange')) }),
    actionButton('whose-skip', t('door.not_now'), () => { rememberOwnerAsked(id); close(); })));
  place.hidden = false;
}

async function joinRequestNote(place, { id, home, isCurrent }) {
  if (!await isJoinCodeOpen(id)) return;
  await loadAllSentences();
  const announce = joinRequestAnnouncer();
  const notice = section((list) => list.length > 0
    && h('a', { class: 'at-door', href: `${home}/share`, 'data-key': 'at-door' },
      h('span', { class: 'lantern', 'aria-hidden': 'true' }), joinRequestsSentence(list)));
  refillPart(place, notice.node);
  let list = [];
  while (isCurrent() && (list.length > 0 || await isJoinCodeOpen(id).catch(() => true))) {
    if (!document.hidden) {
      list = await getJson(sessionPath(id, '/join-requests'))
        .then((answer) => answer.join_requests, () => list);
    }
    if (!isCurrent()) return;
    announce(list);
    place.hidden = list.length === 0;
    notice.tell(list);
    await pollDelay();
  }
}

const pollDelay = () => new Promise((resolve) => { setTimeout(resolve, ACCESS_POLL_MS); });
