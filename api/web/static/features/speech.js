// The result of a deal, spoken by the device in the reader's language once its owner has switched that on.

import { readItem, writeItem } from '../core/device_storage.js';
import { language, loadAllSentences, t } from '../core/translator.js';
import { buildElement, h } from '../ui/elements.js';

const LOCALES = { sv: 'sv-SE', en: 'en-GB', da: 'da-DK', de: 'de-DE' };

const isSpeechOn = () => readItem('speech') === true;

function speak(sentence) {
  const utterance = new SpeechSynthesisUtterance(sentence);
  utterance.lang = LOCALES[language()];
  speechSynthesis.cancel(); // what is new matters more than the end of what was before
  speechSynthesis.speak(utterance);
}

/** Speaks the sentence that the screen shows about a deal, if it is over and came after `shownNumber`. */
export function speakResult(deal, shownNumber = 0) {
  if (!isSpeechOn() || !deal?.outcome?.text || deal.status === 'open' || deal.number <= shownNumber) return;
  speak(deal.outcome.text);
}

/** Whether a voice for the reader's language is missing; a browser may list its voices late. */
function isVoiceMissing() {
  const voices = speechSynthesis.getVoices();
  return voices.length > 0 && !voices.some(({ lang }) => lang.toLowerCase().startsWith(language()));
}

/** The switch in the menu; null where the browser cannot speak. */
export async function speechSwitch() {
  if (!('speechSynthesis' in window)) return null;
  await loadAllSentences();
  const note = buildElement(h('small', { class: 'muted' }, t('speech.what')));
  const change = ({ target }) => {
    writeItem('speech', target.checked || null);
    speechSynthesis.cancel();
    if (!target.checked) return;
    if (isVoiceMissing()) note.textContent = t('speech.no_voice');
    // Some browsers let a page speak by itself only after it has spoken at a tap.
    speak(t('speech.sample'));
  };
  return h('label', { class: 'toggle' },
    h('span', {}, t('speech.switch'), note),
    h('input', { type: 'checkbox', role: 'switch', 'data-key': 'speech', checked: isSpeechOn(),
      onchange: change }));
}
