// A row that fetches a file when tapped; from the first second on it says how far it has come, and can be stopped.

import { h, icon } from './elements.js';
import { say, warn } from './page.js';
import { Problem } from '../core/api_client.js';
import { language, t } from '../core/translator.js';
import { Broken, fetched, keep } from './file_download.js';

const LONG = 1_000; // ms; what comes sooner needs no telling

/** `address()` is asked at the tap; `fallback()` names a file that the server does not; `lines`: whether it is read by lines. */
export function taking({ key, title, what, address, fallback, lines = false }) {
  let stop = null;
  const far = h('span', { class: 'far' });
  const cancel = h('button', { type: 'button', class: 'round', 'aria-label': t('taking.stop'), 'data-key': `stop-${key}`, onclick: () => stop?.abort() }, icon('cross'));
  const coming = h('div', { class: 'coming', hidden: true }, h('progress', { 'aria-label': title }), far, cancel);

  async function take() {
    if (stop !== null) return;
    stop = new AbortController();
    const long = setTimeout(() => { coming.hidden = false; say(t('taking.begun', { title })); }, LONG);
    const told = (bytes, count) => { far.textContent = lines ? t('taking.lines', { count, amount: count.toLocaleString(language()), size: size(bytes) }) : size(bytes); };
    far.textContent = '';
    try {
      const file = await fetched(address(), { name: fallback(), told, signal: stop.signal });
      if (file === null) { say(t('taking.stopped')); return; }
      keep(file);
      say(t('taking.done', { title }));
    } catch (trouble) {
      warn(sentence(trouble));
    } finally {
      clearTimeout(long);
      coming.hidden = true;
      stop = null;
    }
  }

  return h('li', { class: 'row taking' },
    h('button', { type: 'button', class: 'row-link', 'data-key': `take-${key}`, onclick: take }, named(title, what), icon('down')), coming);
}

/** The same row for what is looked at instead: a page of its own. */
export const looking = ({ key, title, what, address }) => h('li', { class: 'row taking' },
  h('a', { class: 'row-link', href: address, target: '_blank', rel: 'noopener', 'data-key': `take-${key}` }, named(title, what), icon('on')));

const named = (title, what) => h('span', { class: 'row-name' }, title, h('span', { class: 'by dim' }, what));

function sentence(trouble) {
  if (trouble instanceof Problem) return trouble.errors[0]?.detail ?? trouble.message;
  return t(trouble instanceof Broken ? 'taking.broken' : 'queue.offline');
}

function size(bytes) {
  const [unit, worth] = bytes < 1e6 ? ['kilobyte', 1e3] : ['megabyte', 1e6];
  return new Intl.NumberFormat(language(), { style: 'unit', unit, maximumFractionDigits: 1 }).format(bytes / worth);
}
