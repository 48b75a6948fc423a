// The recorded version of a deal beside this device's, with the differences marked.
// A deal of five tricks is compared trick by trick, any other sentence by sentence.

import { playerName } from '../../core/session_store.js';
import { listNames, t } from '../../core/translator.js';
import { TRICKS, differentTricks, playedActions, samePlayers, versionOfRecord,
  versionOfTaps } from '../../domain/deal.js';
import { actionSentences } from '../../ui/action_sentences.js';
import { h, hiddenText } from '../../ui/elements.js';
import { hueOfPlayer, tokenOfPlayer } from '../../ui/player_tokens.js';

/** `actions`: this device's; `record`: the server's, or null; `sentences`: {theirs, mine}, the summaries. */
export function versionsSideBySide(actions, record, state, terms, sentences) {
  const [theirs, mine] = terms && record?.outcome?.type
    ? fiveTricksVersions(state, versionOfRecord(record, terms), versionOfTaps(actions, state, terms))
    : [record ? playedActions(record) : [], actions].map(actionSentences)
      .map((lines, place, versions) => sentenceList(lines, versions[1 - place]));
  return h('div', { class: 'twofold' },
    versionHalf(t('taken.theirs'), sentences.theirs, theirs),
    versionHalf(t('taken.mine'), sentences.mine, mine));
}

/** Both versions of a deal of five tricks: the declarers, if they differ, and the tricks. */
function fiveTricksVersions(state, recorded, tapped) {
  const declarersDiffer = !samePlayers(recorded.declarers, tapped.declarers);
  const differ = differentTricks(tapped, recorded);
  return [recorded, tapped].map((version) => [
    declarersDiffer && version.declarers.length > 0 && h('p', { class: 'changed' },
      t('record.declared', { names: listNames(version.declarers.map(playerName)) })),
    versionSlots(state, version, differ),
  ]);
}

const versionHalf = (title, sentence, content) =>
  h('section', { class: 'half' }, h('h3', {}, title), h('p', { class: 'said' }, sentence), content);

/** Five tricks, drawn as in the recorder. `differ`: the places of those that differ. */
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

const sentenceList = (lines, otherLines) => lines.length > 0 && h('ol', { class: 'told' },
  lines.map((line, place) => h('li', { class: line === otherLines[place] ? null : 'changed' }, line)));
