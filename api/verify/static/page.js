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
  const { file, earlier, key } = form.elements;
  let found;
  let old;
  try {
    [found, old] = [await chosen(file), await chosen(earlier)];
  } catch { // changed or gone since it was chosen
    verdict.className = 'unread';
    verdict.replaceChildren(
      line('h2', words.querySelector('[data-outcome="unread"]').textContent), line('p', sentence('changed', {})));
    return;
  }
  const given = key.value.trim() || null;
  const [exit, code, version] = judge(found, old, given);
  const outcome = ['holds', 'fails', 'unread'][exit];
  const codes = exit ? [code] : [code, ...(old ? ['earlier'] : []), given ? 'given' : 'own'];
  const operands = { version, key: exit ? null : read(found).key };
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
