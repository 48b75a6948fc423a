// Two versions of one deal, the recorded one and this phone's: whether they agree, and where they differ.
// A deal of five tricks is compared trick by trick, any other sentence by sentence.

import { certainWinner, played, read, TRICKS } from './deal.js';
import { aside, h } from '../ui/elements.js';
import { nameOf } from '../core/session_store.js';
import { hueOf, markerOf } from '../ui/player_tokens.js';
import { allInWords } from '../ui/action_sentences.js';
import { t, together } from '../core/translator.js';

/** What was tapped here; `winner` is undefined while it is open, `won` while an announced la vola is. */
function versionOfTaps(actions, state, terms) {
  const said = read(actions, { seats: state.seats, ...terms });
  const { passed, declarers, trump, tricks, result } = said;
  const call = result?.la_vola ?? result?.vole;
  const vola = call?.player ?? said.vola;
  const lost = tricks.some((winner) => winner !== vola);
  const won = call ? call.won : lost ? false : tricks.length === TRICKS || undefined;
  const winner = result ? result.winner : certainWinner(tricks, state.seats);
  return { passed, declarers, trump, tricks, vola, won, winner, whole: said.phase === 'closed' };
}

/** What the record says, at whichever depth it was recorded. */
function versionOfRecord(record, terms) {
  const { type, declarers = [], tricks = [], la_vola: vola = null, winner } = record.outcome;
  const { trump } = read(played(record), { seats: [], earlyEnd: false, ...terms });
  return { passed: type === 'all_pass', declarers, trump, tricks, vola, won: type === 'la_vola_won', winner, whole: true };
}

const samePlayers = (one, other) => one.toSorted().join() === other.toSorted().join();

/** Whether nothing that was tapped here says otherwise than the record. */
export function agree(actions, record, state, terms) {
  if (!record?.outcome?.type) return false; // not over, or out of the count
  if (!terms) {
    const theirs = played(record);
    return actions.every((action, place) => JSON.stringify(action) === JSON.stringify(theirs[place]));
  }
  const mine = versionOfTaps(actions, state, terms);
  const theirs = versionOfRecord(record, terms);
  if (mine.passed || theirs.passed) return mine.passed === theirs.passed;
  if (!samePlayers(mine.declarers, theirs.declarers) || (mine.trump && theirs.trump && mine.trump !== theirs.trump)) return false;
  if (differentTricks(mine, theirs).length > 0) return false;
  if (mine.vola ? mine.vola !== theirs.vola || ![undefined, theirs.won].includes(mine.won) : theirs.vola && mine.tricks.length > 2) return false;
  return mine.vola || theirs.vola || [undefined, theirs.winner].includes(mine.winner);
}

/** The tricks that both know and that fell to different players. */
const differentTricks = ({ tricks: mine }, { tricks: theirs }) =>
  [...mine.keys()].filter((place) => theirs[place] !== undefined && theirs[place] !== mine[place]);

/** This phone's actions, gone on with as the record does where they stop: what a correction begins with. */
export function completeFromRecord(actions, record, state, terms) {
  if (!terms || versionOfTaps(actions, state, terms).whole) return actions;
  const rest = played(record).filter(({ type }) => ['trick', 'finish'].includes(type));
  const { tricks } = versionOfTaps(actions, state, terms);
  if (rest.length === 0) return tricks.length > 0 ? actions : [...actions, ...played(record).filter(({ type }) => type === 'result')];
  return rest.slice(tricks.length).reduce((all, action) => (versionOfTaps(all, state, terms).whole ? all : [...all, action]), actions);
}

/** The recorded version and this phone's, side by side; what differs is marked in both. */
export function sideBySide(actions, record, state, terms, sentences) {
  const [theirs, mine] = terms && record?.outcome?.type
    ? [versionOfRecord(record, terms), versionOfTaps(actions, state, terms)].map((one, place, both) => [
      !samePlayers(both[0].declarers, both[1].declarers) && one.declarers.length > 0
        && h('p', { class: 'changed' }, t('record.declared', { names: together(one.declarers.map(nameOf)) })),
      slots(state, one, differentTricks(both[1], both[0])),
    ])
    : [record ? played(record) : [], actions].map(allInWords).map((said, place, both) => list(said, both[1 - place]));
  return h('div', { class: 'twofold' },
    half(t('taken.theirs'), sentences.theirs, theirs), half(t('taken.mine'), sentences.mine, mine));
}

const half = (title, sentence, content) => h('section', { class: 'half' }, h('h3', {}, title), h('p', { class: 'said' }, sentence), content);

/** Five tricks as the recorder shows them. */
function slots(state, { tricks }, differ) {
  if (tricks.length === 0) return null;
  const trick = (number, name) => t('record.said_trick', { number, name });
  return h('ol', { class: 'slots', 'aria-label': t('record.slots') }, Array.from({ length: TRICKS }, (_, place) => {
    const winner = tricks[place];
    const kind = [winner && hueOf(state, winner), differ.includes(place) && 'differs'].filter(Boolean).join(' ');
    return h('li', { class: `slot ${kind}` }, winner ? markerOf(state, winner) : h('span', { 'aria-hidden': 'true' }, place + 1),
      aside(trick(place + 1, winner ? nameOf(winner) : '–')), differ.includes(place) && aside(` (${t('offline.differs')})`));
  }));
}

/** What was said, one sentence after the other. */
const list = (said, other) => said.length > 0 && h('ol', { class: 'told' },
  said.map((sentence, place) => h('li', { class: sentence === other[place] ? null : 'changed' }, sentence)));
