// Two versions of one deal, the recorded one and this phone's: whether they agree, and where they differ.
// A deal of five tricks is compared trick by trick, any other sentence by sentence.

import { playerName } from '../../core/session_store.js';
import { listNames, t } from '../../core/translator.js';
import { TRICKS, differentTricks, playedActions, samePlayers, versionOfRecord,
  versionOfTaps } from '../../domain/deal.js';
import { actionSentences } from '../../ui/action_sentences.js';
import { h, hiddenText } from '../../ui/elements.js';
import { hueOfPlayer, tokenOfPlayer } from '../../ui/player_tokens.js';

/** The recorded version and this phone's, side by side; what differs is marked in both. */
export function versionsSideBySide(actions, record, state, terms, sentences) {
  const [theirs, mine] = terms && record?.outcome?.type
    ? [versionOfRecord(record, terms), versionOfTaps(actions, state, terms)].map((one, place, both) => [
      !samePlayers(both[0].declarers, both[1].declarers) && one.declarers.length > 0
        && h('p', { class: 'changed' }, t('record.declared',
          { names: listNames(one.declarers.map(playerName)) })),
      versionSlots(state, one, differentTricks(both[1], both[0])),
    ])
    : [record ? playedActions(record) : [], actions].map(actionSentences)
      .map((said, place, both) => sentenceList(said, both[1 - place]));
  return h('div', { class: 'twofold' },
    versionHalf(t('taken.theirs'), sentences.theirs, theirs),
    versionHalf(t('taken.mine'), sentences.mine, mine));
}

const versionHalf = (title, sentence, content) =>
  h('section', { class: 'half' }, h('h3', {}, title), h('p', { class: 'said' }, sentence), content);

/** Five tricks as the recorder shows them. */
function versionSlots(state, { tricks }, differ) {
  if (tricks.length === 0) return null;
  const trick = (number, name) => t('record.said_trick', { number, name });
  return h('ol', { class: 'slots', 'aria-label': t('record.slots') },
    Array.from({ length: TRICKS }, (_, place) => {
    const winner = tricks[place];
    const kind = [winner && hueOfPlayer(state, winner), differ.includes(place) && 'differs'].filter(Boolean)
      .join(' ');
    return h('li', { class: `slot ${kind}` },
      winner ? tokenOfPlayer(state, winner) : h('span', { 'aria-hidden': 'true' }, place + 1),
      hiddenText(trick(place + 1, winner ? playerName(winner) : '–')),
      differ.includes(place) && hiddenText(` (${t('offline.differs')})`));
  }));
}

/** What was said, one sentence after the other. */
const sentenceList = (said, other) => said.length > 0 && h('ol', { class: 'told' },
  said.map((sentence, place) => h('li', { class: sentence === other[place] ? null : 'changed' }, sentence)));
