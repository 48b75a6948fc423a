// Nothing to show: a link that is no longer good, or no way to the server. Says which, and what to do.

import { h } from '../ui/elements.js';
import { evenings } from '../core/device_storage.js';
import { act, go, show } from '../ui/page.js';
import { Problem, Unreached } from '../core/api_client.js';
import { t } from '../core/translator.js';

const LOOK = 3_000; // ms

export async function lost({ trouble, again, back, id, still }) {
  if (trouble.code === 'unknown_session' && evenings().some((one) => one.id === id)) {
    const drawn = await import('./lost_access.js').then((file) => file.out({ id, again, still })).catch(() => false);
    if (drawn || !still()) return;
  }
  const deal = trouble.code === 'unknown_deal' && `#/s/${id}`;
  const known = trouble instanceof Problem;
  if (!known && !trouble.busy) comeBack(again, still);
  if (!known && !(trouble instanceof Unreached)) console.error(trouble);
  show({
    title: deal ? trouble.message : known ? t('lost.gone_title') : t(trouble.busy ? 'lost.busy_title' : 'lost.offline_title'),
    back: deal || (known ? '#/' : back),
    fresh: true,
    main: deal ? [] : [h('p', { class: 'lead' }, known ? t('lost.gone') : t(trouble.busy ? 'lost.busy' : 'lost.offline')),
      known && h('p', { class: 'dim' }, trouble.message)],
    bar: [deal ? go('table', t('record.to_table'), deal, { big: true }) : known ? go('home', t('lost.home'), '#/', { big: true }) : act('again', t('lost.again'), again, { big: true })],
  });
}

/** A network is no promise that it leads anywhere yet: the server is asked for a sign of life. */
function comeBack(again, still) {
  const look = async () => {
    if (!still()) { clearInterval(timer); return; }
    if (document.hidden) return;
    const lives = await fetch('/healthz', { cache: 'no-store' }).then((answer) => answer.ok, () => false);
    if (lives && still()) again();
  };
  const timer = setInterval(look, LOOK);
  addEventListener('online', look, { once: true });
}
