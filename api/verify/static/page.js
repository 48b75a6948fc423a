// The page: reads what was chosen, here and nowhere else, and says what is to be said of it.

import { readDocument } from './document.js';
import { verifyDocument } from './verification.js';

const form = document.querySelector('form');
const verdictNode = document.querySelector('#verdict');
const sentences = document.querySelector('#words').content;

const sentence = (code, operands) =>
  sentences.querySelector(`[data-code="${code}"]`).textContent.replace(/{(\w+)}/g,
    (_, name) => operands[name]);

function paragraph(tag, text) {
  const node = document.createElement(tag);
  node.textContent = text;
  return node;
}

async function chosenFile(input) {
  const [file] = input.files;
  return file ? new Uint8Array(await file.arrayBuffer()) : null;
}

function hideVerdict() {
  verdictNode.className = '';
  verdictNode.replaceChildren();
}

async function check() {
  hideVerdict(); // what was said was said of other bytes
  const { file, export: events, earlier, key } = form.elements;
  let bytes;
  let old;
  let exported;
  try {
    [bytes, exported, old] = [await chosenFile(file), await chosenFile(events), await chosenFile(earlier)];
  } catch { // changed or gone since it was chosen
    verdictNode.className = 'unread';
    verdictNode.replaceChildren(
      paragraph('h2', sentences.querySelector('[data-outcome="unread"]').textContent),
      paragraph('p', sentence('changed', {})));
    return;
  }
  const givenKey = key.value.trim() || null;
  const [exit, code, version] = verifyDocument(bytes, old, givenKey, exported);
  const outcome = ['holds', 'fails', 'unread', 'adds_up'][exit];
  const shownKey = exit === 1 || exit === 2 ? null : readDocument(bytes).key;
  const codes = exit === 1 || exit === 2 ? [code] : [code, ...(old ? ['earlier'] : [])];
  const witnessed = exit === 1 || exit === 2 ? null : readDocument(bytes).witnessed ?? null;
  if (witnessed) codes.push('witnessed');
  if (shownKey) codes.push(givenKey ? 'given' : 'own');
  const operands = { version, key: shownKey, confirmed: witnessed?.version,
    witnesses: [...new Set(witnessed?.cosignatures.map(({ player }) => player))].join(', ') };
  verdictNode.className = outcome;
  verdictNode.replaceChildren(
    paragraph('h2', sentences.querySelector(`[data-outcome="${outcome}"]`).textContent),
    ...codes.map((code) => paragraph('p', sentence(code, operands))),
  );
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  check();
});
form.addEventListener('input', hideVerdict); // it was about another choice
form.querySelector('button').disabled = false; // sent before this was there, the form would have led nowhere
