// The page /verify: reads the chosen files, which never leave the browser, and shows the verdict.

import { cosignerSentences } from './cosigner_sentences.js';
import { readDocument, splitContradiction } from './document.js';
import { assignFields } from './dropped_files.js';
import { namesMovedIn } from './receipt_check.js';
import { isCutOff } from './strict_json.js';
import { label } from './summary.js';
import { apartLine, firstLine, paragraph, playerWords, sentence } from './verdict.js';
import { verifyDocument } from './verification.js';

const form = document.querySelector('form');
const verdictNode = document.querySelector('#verdict');

// What is said of two files of which each may hold by itself.
const MISMATCH_CODES = ['export_other', 'export_short', 'other_session', 'not_shown', 'keys_differ'];

async function chosenFile(input) {
  const [file] = input.files;
  return file ? new Uint8Array(await file.arrayBuffer()) : null;
}

function hideVerdict() {
  verdictNode.className = '';
  verdictNode.replaceChildren();
}

function showVerdict([outcome, heading], sentences) {
  verdictNode.className = outcome;
  verdictNode.replaceChildren(heading, ...sentences.map((nodes) => paragraph('p', ...nodes)));
  verdictNode.scrollIntoView({ block: 'nearest' });
}

async function check() {
  hideVerdict(); // the old verdict was about other bytes
  const { file, export: events, earlier, key } = form.elements;
  let bytes;
  let old;
  let exported;
  try {
    [bytes, exported, old] = [await chosenFile(file), await chosenFile(events), await chosenFile(earlier)];
  } catch { // a file was changed or removed after it was chosen
    showVerdict(firstLine(2), [sentence('changed')]);
    return;
  }
  const isOfSeveral = old !== null || exported !== null;
  if (old === null) [bytes, old] = splitContradiction(bytes) ?? [bytes, null];
  const givenKey = key.value.trim() || null;
  const [exit, firstCode, version] = verifyDocument(bytes, old, givenKey, exported);
  const areKeysDifferent = isOfSeveral && firstCode === 'other_key'
    && verifyDocument(bytes, null, givenKey)[1] !== 'other_key';
  const code = areKeysDifferent ? 'keys_differ' : firstCode;
  const isValid = exit === 0 || exit === 3;
  const doc = exit === 2 ? null : readDocument(bytes);
  const labels = isValid && exported ? readDocument(exported) : null;
  const isAboutNames = code === 'names_moved' || code === 'names_agree';
  const codes = isAboutNames ? namesSentences(doc) : [[code, { version }]]; // [code, operands]
  if (isValid && !isAboutNames) {
    if (old) codes.push(['earlier']);
    codes.push(...cosignerSentences(doc, labels ?? doc, playerWords));
    if (doc.key) codes.push([givenKey ? 'given' : 'own', { key: doc.key }]);
  }
  const files = { unreadable: bytes, earlier_unreadable: old, export_unreadable: exported };
  const hint = hintCode(files[code]);
  if (hint) codes.push([hint]);
  // An earlier document was given with names, with which nothing can be compared; none of them has moved.
  const isUncompared = code === 'unsigned' && doc.kind === 'names';
  const heading = isOfSeveral && MISMATCH_CODES.includes(code) ? apartLine()
    : firstLine(exit, isUncompared ? null : doc, bytes, labels);
  showVerdict(heading, codes.map((codeAndOperands) => sentence(...codeAndOperands)));
}

// What to do with a file that is unreadable, by its first two bytes.
const HINTS = { '50,4b': 'archive', '1f,8b': 'compressed', 'ff,fe': 'utf_16', 'fe,ff': 'utf_16' };

// The code of what to do with a file that is unreadable, if its bytes show that.
function hintCode(bytes) {
  if (!bytes) return null;
  const firstBytes = Array.from(bytes.slice(0, 2), (byte) => byte.toString(16)).join();
  return HINTS[firstBytes] ?? (isCutOff(bytes) ? 'cut_off' : null);
}

// The sentences about names that have moved, and about what such a file cannot prove.
function namesSentences(doc) {
  const moved = namesMovedIn(doc).map(({ player, name, owner }) => ['names_moved',
    { who: playerWords(player, null), name: label(name) ?? '?', owner: playerWords(owner, null) }]);
  return [...(moved.length > 0 ? moved : [['names_agree']]), ['names_unsigned']];
}

// Puts these files into the fields, or into `aimedField` alone, and checks them.
async function placeFiles(files, aimedField = null) {
  hideVerdict();
  const fileByField = aimedField ? { [aimedField.name]: files[0] } : await assignFields(files);
  if (fileByField === null) {
    showVerdict(firstLine(2), [sentence('ambiguous')]);
    return;
  }
  for (const field of aimedField ? [aimedField] : form.querySelectorAll('[type=file]')) {
    const transfer = new DataTransfer();
    if (fileByField[field.name]) transfer.items.add(fileByField[field.name]);
    field.files = transfer.files;
  }
  if (form.elements.file.files.length) await check();
}

const SHARED_CACHE_NAME = 'shared-files'; // the service worker (api/web/static/sw.js) stores them there

// The files that another app has shared with this one; they are read once.
async function takeSharedFiles() {
  if (!('caches' in window) || !await caches.has(SHARED_CACHE_NAME)) return []; // plain http has no caches
  const cache = await caches.open(SHARED_CACHE_NAME);
  const responses = await Promise.all((await cache.keys()).map((request) => cache.match(request)));
  await caches.delete(SHARED_CACHE_NAME);
  return Promise.all(responses.map(async (response) =>
    new File([await response.blob()], decodeURIComponent(response.headers.get('X-File-Name')))));
}

const showDropping = (isDropping) => document.body.classList.toggle('dropping', isDropping);

const bringsFiles = (event) => event.dataTransfer?.types.includes('Files');

form.addEventListener('submit', (event) => {
  event.preventDefault();
  check();
});
form.addEventListener('input', hideVerdict); // the old verdict was about other files

addEventListener('dragover', (event) => {
  if (!bringsFiles(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'copy';
  showDropping(true);
});
addEventListener('dragleave', (event) => { if (event.relatedTarget === null) showDropping(false); });
addEventListener('drop', (event) => {
  if (!bringsFiles(event)) return;
  event.preventDefault(); // otherwise the browser would open the file
  showDropping(false);
  const { files } = event.dataTransfer;
  const field = event.target.closest('label')?.querySelector('[type=file]');
  if (files.length) placeFiles(files, files.length === 1 ? field : null);
});
addEventListener('paste', (event) => {
  const { files } = event.clipboardData;
  if (!files.length) return; // pasted text, such as the key
  event.preventDefault();
  placeFiles(files);
});

form.querySelector('button').disabled = false; // without this script, it would lead nowhere
takeSharedFiles().then((files) => { if (files.length) placeFiles(files); });
