// Evenings from before the book: what has been imported into the group, and for its host the way from a file
// to an import: the file, its columns and names, what does not add up, what will be recorded.

import { getJson, sendRequest } from '../../core/api_client.js';
import { roleInSession } from '../../core/device_storage.js';
import { Problem } from '../../core/request_errors.js';
import { formatDate, moneyWriter, t } from '../../core/translator.js';
import { forgetFile, keyPerRequest, readChosenFile, readingNote, sendWrite, warnOfError,
  withProgress } from '../../features/direct_requests.js';
import { groupPath } from '../../features/groups/group_client.js';
import { columnFields, currencyField, differenceRows, faultRows, nameFields, omittedRowList, recordedPart,
  warningRows } from '../../features/groups/import_preview.js';
import { timeZoneQuery } from '../../features/groups/period.js';
import { h } from '../../ui/elements.js';
import { fieldset } from '../../ui/fields.js';
import { actionButton, announce, clearWarning, confirmSheet, showScreen } from '../../ui/page.js';
import { memberName } from '../../ui/player_tokens.js';

const noChoices = (currency) => ({ file: null, fileName: '', currency, mapping: {}, members: {},
  omittedRows: [], differences: {}, settled: null });

export async function importsScreen({ id, group, home, isCurrent }) {
  const fetchImports = async () => (await getJson(groupPath(id, '/imports'))).imports;
  let imports = await fetchImports();
  if (!isCurrent()) return null;
  const isHost = roleInSession(id) === 'host';
  let key = keyPerRequest();
  const memberKey = keyPerRequest();
  const voidKey = keyPerRequest();
  const currency = group.sessions.at(-1)?.currency ?? 'SEK';
  let choices = noChoices(currency);
  let preview = null;
  let fileError = null; // why the file cannot be read
  let isStale = false; // whether a choice was made after the preview
  let isWaiting = false;
  let isRecording = false;
  let recordedNumber = null;
  let chosenFile = null;

  const showWaiting = (waits) => {
    isWaiting = waits;
    if (waits) draw();
  };

  /** Requests the preview again after each choice; resolves to whether this answer is shown. */
  const readFile = async () => {
    const requested = choices;
    let isAnswered = true;
    try {
      const { body } = await withProgress(() =>
        sendRequest('POST', groupPath(id, `/imports/preview?${new URLSearchParams(timeZoneQuery())}`),
          { body: requestBody(requested) }), showWaiting);
      if (requested !== choices || !isCurrent()) return false; // another choice was made in between
      [preview, fileError, isStale] = [body, null, false];
    } catch (error) {
      if (requested !== choices || !isCurrent()) return false;
      isAnswered = error instanceof Problem && error.status === 422;
      if (isAnswered) [preview, fileError] = [null, error];
      else warnOfError(error);
    }
    draw();
    return isAnswered;
  };

  const change = (changes) => {
    choices = { ...choices, ...changes };
    isStale = true;
    clearWarning();
    draw();
    return readFile();
  };

  const chooseFile = async (file) => {
    if (!file) return;
    recordedNumber = null;
    chosenFile = file;
    const { content, message } = await readChosenFile(file);
    if (file !== chosenFile || !isCurrent()) return; // another file was chosen meanwhile
    if (content === null) {
      choices = { ...noChoices(choices.currency), fileName: file.name };
      [preview, fileError] = [null, { message }];
      draw();
      return;
    }
    if (await change({ ...noChoices(choices.currency), file: content, fileName: file.name }))
      announce(fileError?.message ?? t('imports.file_read', { name: file.name }));
  };

  const addMember = async (name) => {
    try {
      const member = await sendWrite(groupPath(id, '/members'), { name }, { key: memberKey(name) });
      group.members.push(member);
      await change({ members: { ...choices.members, [name]: member.id } });
    } catch (error) {
      warnOfError(error);
      draw();
    }
  };

  const record = async () => {
    if (isRecording) return;
    isRecording = true;
    draw();
    try {
      const body = { ...requestBody(choices), settled: choices.settled };
      const { number } = await withProgress(() =>
        sendWrite(groupPath(id, '/imports'), body, { key: key(body) }), showWaiting);
      imports = await fetchImports();
      key = keyPerRequest();
      [recordedNumber, preview, choices] = [number, null, noChoices(choices.currency)];
      announce(t('imports.recorded', { number }));
    } catch (error) {
      warnOfError(error);
    }
    isRecording = false;
    if (isCurrent()) draw(recordedNumber !== null);
  };

  const voidImport = async (number) => {
    try {
      await sendWrite(groupPath(id, `/imports/${number}`), undefined,
        { method: 'DELETE', key: voidKey(number) });
      imports = await fetchImports();
      announce(t('imports.voided', { number }));
    } catch (error) {
      warnOfError(error);
    }
    if (isCurrent()) draw();
  };

  const askVoid = (number) => confirmSheet({
    title: t('imports.void_ask', { number }), words: [t('imports.void_what')],
    cancelLabel: t('void.back'), confirmLabel: t('imports.void_yes'),
    onConfirm: () => voidImport(number),
  });

  const draw = (fresh = false) => isCurrent() && showScreen({
    title: t('imports.title'), backHref: home, fresh,
    main: [
      recordedNumber !== null && h('p', { class: 'banner', 'data-key': 'recorded' },
        t('imports.recorded', { number: recordedNumber })),
      importList(imports, group.members, isHost && askVoid),
      isHost && h('fieldset', { class: 'stack', style: { gap: '1.25rem' }, disabled: isRecording },
        fileField(choices, chooseFile),
        isWaiting && readingNote(),
        fileError && h('p', { class: 'wrong', role: 'alert', 'data-key': 'file-error' }, fileError.message),
        preview && importSteps({ preview, choices, members: group.members, change, addMember })),
    ],
    bar: [preview && actionButton('import', t('imports.record', { count: readyCount(preview) }), record,
      { primary: true, disabled: !preview.ready || isStale || choices.settled === null || isRecording })],
  });
  draw(true);
  return {};
}

const readyCount = ({ evenings }) => evenings.filter(({ results }) => Object.keys(results).length > 0).length;

const requestBody = ({ file, currency, mapping, members, omittedRows, differences }) => ({
  file, currency, mapping, members, omitted_rows: omittedRows,
  differences: Object.entries(differences).map(([row, member]) => ({ row: Number(row), member })),
});

function importSteps({ preview, choices, members, change, addMember }) {
  const money = moneyWriter(choices.currency,
    preview.evenings.flatMap(({ results, difference }) => [difference, ...Object.values(results)]));
  const context = { preview, choices, members, change, addMember, money };
  return [
    preview.imported_as !== null && h('p', { class: 'wrong', role: 'alert', 'data-key': 'imported-as' },
      t('imports.same_file', { number: preview.imported_as })),
    fieldset(t('imports.columns'), null, columnFields(context), currencyField(context)),
    preview.names.length > 0 && fieldset(t('join_group.who'), null, nameFields(context)),
    faultRows(context),
    differenceRows(context),
    warningRows(context),
    omittedRowList(context),
    recordedPart(context),
  ];
}

/** A field for the file, onto which a file can be dropped too. */
function fileField({ fileName }, chooseFile) {
  const drop = (event) => {
    event.preventDefault();
    return chooseFile(event.dataTransfer.files[0]);
  };
  return h('section', { class: 'file-drop', ondragover: (event) => event.preventDefault(), ondrop: drop },
    h('label', { class: 'field' }, h('span', {}, t('imports.file')),
      h('input', { type: 'file', accept: '.csv,.tsv,.txt,text/csv,text/plain', 'data-key': 'file',
        'aria-describedby': 'file-help', onclick: forgetFile,
        onchange: (event) => chooseFile(event.target.files[0]) })),
    h('p', { class: 'muted', id: 'file-help' }, fileName ? t('imports.chosen', { name: fileName })
      : t('imports.file_help')));
}

function importList(imports, members, askVoid) {
  if (imports.length === 0) return h('p', { class: 'empty' }, t('imports.none'));
  return h('ol', { class: 'rows' }, imports.map((entry) => {
    const { number, currency, status, settled, totals, evening_count: count } = entry;
    const money = moneyWriter(currency, Object.values(totals));
    const state = status === 'voided' ? 'voided' : settled ? 'settled' : 'open';
    return h('li', { class: 'row', 'data-key': `import-${number}` },
      h('span', { class: 'row-name', style: { 'flex-basis': '11rem' } }, t('imports.one', { number, count }),
        h('span', { class: 'muted row-note' }, `${formatDate(entry.from)} – ${formatDate(entry.to)}`)),
      h('span', { class: state === 'open' ? 'tag first' : 'tag' }, t(`imports.state.${state}`)),
      h('p', { class: 'amounts muted', style: { 'flex-basis': '100%' } },
        Object.entries(totals).map(([member, amount]) =>
          h('span', {}, `${memberName(members, member)} ${money.signed(amount)}`))),
      askVoid && status !== 'voided' && actionButton(`void-${number}`, t('imports.void'),
        () => askVoid(number), { name: t('imports.void_ask', { number }) }));
  }));
}
