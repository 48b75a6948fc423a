// Joining without a link: the device sends the join code and its label, and waits until the host has
// answered. The code only finds the session.

import { createKey, sendRequest, sessionPath } from '../core/api_client.js';
import { keepTypedEntry, readItem, typedEntry, writeItem } from '../core/device_storage.js';
import { Problem } from '../core/request_errors.js';
import { t } from '../core/translator.js';
import { enterAsDevice } from '../features/access/access_rights.js';
import { JOIN_CODE_LENGTH, parseJoinCode } from '../features/access/join_requests.js';
import { keyPerRequest, sendWrite, warnOfError } from '../features/direct_requests.js';
import { buildElement, h } from '../ui/elements.js';
import { fieldError } from '../ui/fields.js';
import { actionButton, actionLink, announce, showScreen } from '../ui/page.js';

export async function joinScreen({ isCurrent }) {
  const stored = readItem('request-join'); // a reload while waiting repeats the same join request
  const joinRequest = stored && await sendJoinRequest(stored).catch((error) => {
    if (error instanceof Problem) writeItem('request-join', null);
    return null;
  });
  if (!isCurrent()) return null;
  const { code, label } = stored ?? typedEntry('join', { code: '', label: '' }) ?? {};
  const draft = { code: code ?? '', label: label ?? '' };
  const showForm = () => joinForm(draft, isCurrent);
  if (joinRequest) joinRequestScreen({ joinRequest, isCurrent, retry: showForm });
  else showForm();
  return {};
}

/**
 * The stored join request holds no token: it is of use only while the code is, and is removed with the
 * answer.
 */
const sendJoinRequest = ({ key, code, label }) => sendWrite('/v1/join-requests', { code, label }, { key });

function joinForm(draft, isCurrent) {
  const key = keyPerRequest();
  const code = buildElement(h('input', {
    type: 'text', class: 'join-code-input', value: draft.code, autocomplete: 'off',
    autocapitalize: 'characters', autocorrect: 'off', spellcheck: 'false', enterkeyhint: 'next',
    'data-key': 'join-code-input', 'data-pointer': '/code', oninput: () => tidyCode(code),
  }));
  const label = buildElement(h('input', {
    type: 'text', value: draft.label, maxlength: 40, autocomplete: 'off', autocapitalize: 'words',
    enterkeyhint: 'send',
    placeholder: t('access.label_example'), 'data-key': 'device-name', 'data-pointer': '/label',
  }));
  const form = buildElement(h('form', {
    class: 'stacked-form', novalidate: true,
    oninput: () => {
      fieldError(form);
      keepTypedEntry('join', { code: code.value, label: label.value });
    },
    onsubmit: (event) => { event.preventDefault(); submit(); },
    onkeydown: (event) => {
      if (event.key !== 'Enter') return;
      if (event.target === code) { event.preventDefault(); label.focus(); }
      else if (event.target === label) form.requestSubmit();
    },
  },
  h('p', { class: 'lead' }, t('access.what')),
  h('label', { class: 'field' }, h('span', {}, t('access.code')), code),
  h('label', { class: 'field' }, h('span', {}, t('access.label')), label,
    h('small', { class: 'muted' }, t('access.label_what')))));

  let isSending = false;
  async function submit() {
    if (isSending) return;
    Object.assign(draft, { code: parseJoinCode(code.value), label: label.value.trim() });
    fieldError(form);
    if (draft.code.length < JOIN_CODE_LENGTH) {
      fieldError(form, '/code', t('access.code_short', { count: JOIN_CODE_LENGTH }));
      return;
    }
    if (draft.label === '') { fieldError(form, '/label', t('access.label_missing')); return; }
    const storedRequest = readItem('request-join');
    const isSameRequest = storedRequest?.code === draft.code && storedRequest.label === draft.label;
    const request = isSameRequest ? storedRequest : { key: key(draft), ...draft };
    isSending = true;
    try {
      const joinRequest = await sendJoinRequest(request);
      writeItem('request-join', request);
      keepTypedEntry('join', null);
      if (isCurrent())
        joinRequestScreen({ joinRequest, isCurrent, retry: () => joinForm(draft, isCurrent) });
    } catch (error) {
      const isProblem = error instanceof Problem;
      if (isProblem && error.code === 'unknown_join_code') fieldError(form, '/code', error.message);
      else if (!isProblem || !error.errors.some(({ pointer, detail }) => fieldError(form, pointer, detail)))
        warnOfError(error);
    } finally {
      isSending = false;
    }
  }

  showScreen({
    title: t('access.title'), backHref: '#/', fresh: true, main: [form],
    bar: [actionButton('request-join', t('access.request'), () => form.requestSubmit(), { primary: true })],
  });
}

/** Shows the code in upper case and without gaps as it is typed; the caret stays where it was. */
function tidyCode(field) {
  const charactersBefore = parseJoinCode(field.value.slice(0, field.selectionStart)).length;
  const clean = parseJoinCode(field.value);
  if (field.value === clean) return;
  field.value = clean;
  field.setSelectionRange(charactersBefore, charactersBefore);
}

const JOIN_POLL_MS = 1_000;
const LONG_WAIT_MS = 30_000; // after this time the screen suggests speaking to the host

/** `retry()` draws the form again. */
function joinRequestScreen({ joinRequest, isCurrent, retry }) {
  const startedAt = Date.now();
  const key = createKey();
  let isOver = false;
  let shownStatus = '';
  const line = buildElement(h('p', { class: 'sentence', 'data-key': 'join-state' }));
  const showStatus = (text) => {
    if (text === shownStatus) return;
    shownStatus = text;
    line.textContent = text;
    announce(text);
  };

  const leave = () => { isOver = true; writeItem('request-join', null); };
  const authorization = { Authorization: `Bearer ${joinRequest.token}` };

  /**
   * Withdraws the request; an answer that the host has given in between stands, and arrives within a second.
   */
  async function withdraw() {
    try {
      await sendRequest('DELETE', sessionPath(joinRequest.session, '/join-request'),
        { headers: { ...authorization, 'Idempotency-Key': key } });
    } catch (error) {
      if (!(error instanceof Problem)) warnOfError(error);
      return;
    }
    if (isOver || !isCurrent()) return;
    leave();
    retry();
    announce(t('access.withdrawn'));
  }

  showScreen({
    title: t('access.waiting'), backHref: '#/', fresh: true,
    main: [
      h('div', { class: 'waiting-for-host' },
        h('span', { class: 'pulsing-light', 'aria-hidden': 'true' }), line,
        h('p', { class: 'muted' }, t('access.stay'))),
    ],
    bar: [actionButton('give-up', t('access.give_up'), withdraw)],
  });
  showStatus(t('access.waits'));

  async function pollAnswer() {
    if (isOver || !isCurrent()) return;
    try {
      const path = sessionPath(joinRequest.session, '/join-request');
      const { body: { status, token } } = await sendRequest('GET', path, { headers: authorization });
      if (isOver || !isCurrent()) return;
      if (status === 'approved') {
        await enterAsDevice(joinRequest.session, token);
        leave();
        announce(t('access.approved'));
        if (isCurrent()) location.replace(`#/s/${joinRequest.session}`);
        return;
      }
      if (status === 'refused') {
        leave();
        joinRequestRefused(retry);
        return;
      }
      if (status === 'withdrawn') {
        leave();
        retry();
        return;
      }
      showStatus(Date.now() - startedAt < LONG_WAIT_MS ? t('access.waits') : t('access.waits_long'));
    } catch (error) {
      if (isOver || !isCurrent()) return;
      if (error instanceof Problem) {
        leave();
        joinRequestRefused(retry);
        return;
      }
      showStatus(t(error.busy ? 'queue.busy' : 'queue.offline'));
    }
    setTimeout(pollAnswer, JOIN_POLL_MS);
  }
  pollAnswer();
}

function joinRequestRefused(retry) {
  showScreen({
    title: t('access.refused'), backHref: '#/', fresh: true,
    main: [h('p', { class: 'lead' }, t('access.refused_what'))],
    bar: [actionLink('home', t('load_error.home'), '#/'),
      actionButton('request-again', t('access.again'), retry, { primary: true })],
  });
  announce(t('access.refused_what'));
}
