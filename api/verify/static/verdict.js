// The verdict in the reader's language: sentences from the page, with text from the file isolated.

import { label, numberOf, summarize } from './summary.js';

const OUTCOMES = ['holds', 'fails', 'unread', 'adds_up']; // by exit code
const sentences = document.querySelector('#words').content;
const { lang } = document.documentElement;
const dates = new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang,
  { dateStyle: 'long', timeZone: 'Europe/Stockholm' });

const template = (selector) => sentences.querySelector(selector).textContent;

const fill = (text, operands) => text.replace(/{(\w+)}/g, (_, name) => operands[name]);

// A sentence as nodes; an operand may be a list.
export const sentence = (code, operands = {}) => nodes(template(`[data-code="${code}"]`), operands);

// A player by name, or by number where the name is unknown or erased.
export const playerWords = (player, name) =>
  label(name) ?? fill(template('[data-nameless="player"]'), { number: numberOf(player) });

export function paragraph(tag, ...content) {
  const node = document.createElement(tag);
  node.append(...content);
  return node;
}

// Returns the name of the outcome, and the first line as nodes. `doc` is null for a file about which nothing
// can be said; `labels` is an export whose names have been checked.
export function firstLine(exit, doc, bytes, labels) {
  const outcome = OUTCOMES[exit];
  const summary = doc === null || outcome === 'unread' ? null : summarize(doc, bytes, labels);
  if (summary === null) return unnamedLine(outcome);
  const text = template(`[data-subject="${summary.subject}"][data-outcome="${outcome}"]`);
  return [outcome, paragraph('h2', ...nodes(text, wordOperands(summary)))];
}

// The same for files that do not go together.
export const apartLine = () => unnamedLine('apart');

const unnamedLine = (outcome) =>
  [outcome, paragraph('h2', template(`[data-outcome="${outcome}"]:not([data-subject])`))];

// The operands as text: missing names get substitutes, times become dates.
function wordOperands({ subject, operands }) {
  const { evening, group, player, id, number, version, date, from, to } = operands;
  const nameless = template(`[data-nameless="${subject.startsWith('member') ? 'member' : 'player'}"]`);
  return {
    version, group,
    who: player ?? fill(nameless, { number }),
    evening: evening ?? fill(template('[data-nameless="evening"]'), { id }),
    date: date && dates.format(new Date(date)),
    period: from && dates.formatRange(new Date(from), new Date(to)),
  };
}

// Operands that are text from the file.
const FOREIGN = ['who', 'evening', 'group', 'witnesses', 'name', 'owner'];

// Text from the file is put into `bdi` elements, so that its direction does not reorder the text around it.
function nodes(text, operands) {
  return text.split(/({\w+})/).flatMap((part) => {
    const name = /^{(\w+)}$/.exec(part)?.[1];
    if (!name) return part;
    const values = [operands[name]].flat();
    return FOREIGN.includes(name) ? separated(values.map((value) => paragraph('bdi', value)))
      : values.join(', ');
  });
}

const separated = (elements) => elements.flatMap((element, i) => (i === 0 ? element : [', ', element]));
