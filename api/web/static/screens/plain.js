// Over plain http a browser neither keeps the form nor the screen awake. Said once, and what would help.

import { h } from '../ui/elements.js';
import { remember } from '../core/device_storage.js';
import { speakAlso, t } from '../core/translator.js';

export async function fill(place) {
  await speakAlso('offline.');
  const understood = () => {
    remember('plain', true);
    place.replaceChildren();
  };
  place.replaceChildren(h('aside', { class: 'banner' }, h('p', {}, t('offline.plain')),
    h('button', { type: 'button', class: 'button quiet', 'data-key': 'understood', onclick: understood }, t('offline.understood'))));
}
