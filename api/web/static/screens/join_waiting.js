// At the door: what is happening, every second, until the host has answered or whoever waits takes it back.

import { told as warned } from '../features/groups/group_client.js';
import { h } from '../ui/elements.js';
import { remember } from '../core/device_storage.js';
import { act, go, say, show } from '../ui/page.js';
import { newKey, Problem, request, session } from '../core/api_client.js';
import { t } from '../core/translator.js';
import { comeIn } from '../features/access/access_rights.js';

const CALM = 1_000;   // ms between questions
const LONG = 30_000;  // ms after which somebody should say something across the table

/** `again()` draws the question anew; `wish` is what was asked with. */
export function waiting({ wish, knocked, still, again }) {
  const since = Date.now();
  const key = newKey();
  let over = false;
  let told = '';
  const line = h('p', { class: 'said', 'data-key': 'hears' });
  const tell = (text) => {
    if (text === told) return;
    told = text;
    line.textContent = text;
    say(text);
  };

  const leave = () => { over = true; remember('knock', null); };
  const mine = { Authorization: `Bearer ${knocked.token}` };

  /** What the host has said meanwhile stands, and is heard within a second. */
  async function takeBack() {
    try {
      await request('DELETE', session(knocked.session, '/knock'), { headers: { ...mine, 'Idempotency-Key': key } });
    } catch (trouble) {
      if (!(trouble instanceof Problem)) warned(trouble);
      return;
    }
    if (over || !still()) return;
    leave();
    again();
    say(t('door.taken_back'));
  }

  show({
    title: t('door.waiting'), back: '#/', fresh: true,
    main: [
      h('div', { class: 'at-the-door' }, h('span', { class: 'lantern', 'aria-hidden': 'true' }), line, h('p', { class: 'dim' }, t('door.stay'))),
    ],
    bar: [act('give-up', t('door.give_up'), takeBack)],
  });
  tell(t('door.waits'));

  async function listen() {
    if (over || !still()) return;
    try {
      const { body: { status, token } } = await request('GET', session(knocked.session, '/knock'), { headers: mine });
      if (over || !still()) return;
      if (status === 'let_in') {
        await comeIn(knocked.session, token);
        leave();
        say(t('door.in'));
        if (still()) location.replace(`#/s/${knocked.session}`);
        return;
      }
      if (status === 'refused') {
        leave();
        refused(again);
        return;
      }
      if (status === 'withdrawn') {
        leave();
        again();
        return;
      }
      tell(Date.now() - since < LONG ? t('door.waits') : t('door.waits_long'));
    } catch (trouble) {
      if (over || !still()) return;
      if (trouble instanceof Problem) {
        leave();
        refused(again);
        return;
      }
      tell(t('queue.offline'));
    }
    setTimeout(listen, CALM);
  }
  listen();
}

function refused(again) {
  show({
    title: t('door.refused'), back: '#/', fresh: true,
    main: [h('p', { class: 'lead' }, t('door.refused_what'))],
    bar: [go('home', t('lost.home'), '#/'), act('knock-again', t('door.again'), again, { big: true })],
  });
  say(t('door.refused_what'));
}
