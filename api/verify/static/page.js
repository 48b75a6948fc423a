// The page: reads what was chosen, here and nowhere else, and says what is to be said of it.

import { read } from './document.js';
import { judge } from './judge.js';

const form = document.querySelector('form');
const verdict = document.querySelector('#verdict');
const words = document.querySelector('#words').content;

const sentence = (code, operands) =>
  words.querySelector(`[data-code="${code}"]`).textContent.replace(/{(\w+)}/g, (_, name) => operands[name]);

function line(tag, text) {
  const node = document.createElement(tag);
  node.textContent = text;
  return node;
}

async function chosen(input) {
  const [file] = input.files;
  return file ? new Uint8Array(await file.arrayBuffer()) : null;
}

function silence() {
  verdict.className = '';
  verdict.replaceChildren();
}

async function check() {
  silence(); // what was said was said of other bytes
  const { file, export: events, earlier, key } = form.elements;
  let found;
  let old;
  let exported;
  try {
    [found, exported, old] = [await chosen(file), await chosen(events), await chosen(earlier)];
  } catch { // changed or gone since it was chosen
    verdict.className = 'unread';
    verdict.replaceChildren(
      line('h2', words.querySelector('[data-outcome="unread"]').textContent), line('p', sentence('changed', {})));
    return;
  }
  const given = key.value.trim() || null;
  const [exit, code, version] = judge(found, old, given, exported);
  const outcome = ['holds', 'fails', 'unread', 'adds_up'][exit];
  const shown = exit === 1 || exit === 2 ? null : read(found).key;
  const codes = exit === 1 || exit === 2 ? [code] : [code, ...(old ? ['earlier'] : [])];
  if (shown) codes.push(given ? 'given' : 'own');
  const operands = { version, key: shown };
  verdict.className = outcome;
  verdict.replaceChildren(
    line('h2', words.querySelector(`[data-outcome="${outcome}"]`).textContent),
    ...codes.map((one) => line('p', sentence(one, operands))),
  );
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  check();
});
form.addEventListener('input', silence); // it was about another choice
form.querySelector('button').disabled = false; // sent before this was there, the form would have led nowhere
