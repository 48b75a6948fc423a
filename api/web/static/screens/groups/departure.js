// A member leaves the group: who, what becomes of open balances, what will be recorded, and the confirmation.
// Those who have left stand below, and can be taken back.

import { getJson, sendRequest } from '../../core/api_client.js';
import { Problem } from '../../core/request_errors.js';
import { moneyWriter, t } from '../../core/translator.js';
import { keyPerRequest, sendWrite, warnOfError } from '../../features/direct_requests.js';
import { groupPath } from '../../features/groups/group_client.js';
import { buildElement, h, icon } from '../../ui/elements.js';
import { choiceField, fieldset, pillGroup } from '../../ui/fields.js';
import { actionButton, actionLink, announce, refillPart, showScreen } from '../../ui/page.js';
import { memberLabel, memberName } from '../../ui/player_tokens.js';

const AGREEMENTS = ['settle', 'hand_over', 'write_off'];

export async function departureScreen({ id, group: loaded, home, isCurrent }) {
  let group = loaded;
  let figures = await getJson(groupPath(id, '/open-balances'));
  if (!isCurrent()) return null;
  let key = keyPerRequest();
  const choice = { member: null, agreement: 'settle', recipient: null, bearers: new Set() };
  const preview = buildElement(h('div', { 'data-key': 'preview', 'aria-live': 'polite' }));
  let recordedSentence = null;
  let isRecording = false;
  let previewNumber = 0;

  const present = () => group.members.filter((member) => !member.has_left);
  const memberAmounts = () => figures.currencies.flatMap(({ currency, balances }) => balances
    .filter((row) => row.id === choice.member && row.amount !== 0)
    .map(({ amount }) => ({ currency, amount })));
  const path = () => groupPath(id, `/members/${choice.member}/departure`);
  const requestBody = () => (memberAmounts().length === 0 ? {} : { agreement: choice.agreement,
    ...(choice.agreement === 'hand_over' && { recipient: choice.recipient }),
    ...(choice.agreement === 'write_off' && { borne_by: [...choice.bearers] }) });

  function choose(member) {
    const bearers = present().map((bearer) => bearer.id).filter((bearer) => bearer !== member);
    Object.assign(choice,
      { member, agreement: 'settle', recipient: bearers[0] ?? null, bearers: new Set(bearers) });
  }

  /** Asks the server what would be recorded; shows that, or why it is refused. */
  async function showPreview() {
    previewNumber += 1;
    const ownNumber = previewNumber;
    const isLatest = () => ownNumber === previewNumber && isCurrent();
    try {
      const { body } = await sendRequest('POST', `${path()}/preview`, { body: requestBody() });
      if (isLatest()) refillPart(preview, previewList(body.events, group.members));
    } catch (error) {
      if (!isLatest()) return;
      if (!(error instanceof Problem)) { warnOfError(error); return; }
      const words = error.errors?.[0]?.detail ?? error.message;
      refillPart(preview, h('p', { class: 'wrong', role: 'alert' }, words));
    }
  }

  async function write(request, message) {
    if (isRecording) return;
    isRecording = true;
    draw();
    try {
      figures = await request();
      group = await getJson(groupPath(id));
      key = keyPerRequest();
      recordedSentence = message;
      choice.member = null;
      announce(message);
    } catch (error) {
      warnOfError(error);
    }
    isRecording = false;
    if (isCurrent()) draw();
  }

  const leave = () => {
    const body = requestBody();
    const request = () =>
      sendWrite(path(), body, { key: key({ member: choice.member, ...body }) });
    return write(request, t('departure.done', { name: memberName(group.members, choice.member) }));
  };
  const readmit = (member) => {
    const request = () => sendWrite(groupPath(id, `/members/${member.id}/departure`), undefined,
      { method: 'DELETE', key: key({ readmitted: member.id }) });
    return write(request, t('departure.back_done', { name: member.name }));
  };

  const formerMembers = (former) => h('section', {}, h('h2', {}, t('departure.former')),
    h('ul', { class: 'rows' }, former.map((member) => h('li', { class: 'row' },
      memberLabel(group.members, member.id),
      actionButton(`back-${member.id}`, t('departure.back'), () => readmit(member),
        { name: t('departure.back_name', { name: member.name }) })))));

  function draw(fresh = false) {
    const members = present();
    const former = group.members.filter((member) => member.has_left);
    showScreen({
      title: t('departure.title'), backHref: `${home}/members`, fresh,
      main: [
        recordedSentence !== null
          && h('p', { class: 'confirmation' }, icon('check'), h('span', {}, recordedSentence)),
        h('p', { class: 'muted' }, t('departure.what')),
        h('fieldset', { disabled: isRecording }, h('div', { class: 'stack', style: { gap: '1.25rem' } },
          members.length > 0 && choiceField({ name: 'member', words: t('departure.who'),
            values: [[null, t('departure.choose')], ...members.map((member) => [member.id, member.name])],
            value: choice.member,
            pick: (member) => { choose(member); draw(); } }),
          choice.member !== null && openAmounts(memberAmounts(), memberName(members, choice.member)),
          memberAmounts().length > 0 && agreementFields(choice, members, draw),
          choice.member !== null && h('section', {}, h('h2', {}, t('departure.recorded')), preview),
          former.length > 0 && formerMembers(former))),
      ],
      bar: [actionLink('balances', t('open_balances.title'), `${home}/balances`),
        choice.member !== null && actionButton('confirm-leave',
          t('departure.confirm', { name: memberName(members, choice.member) }), leave,
          { primary: true, disabled: isRecording })],
    });
    if (choice.member !== null && !isRecording) showPreview();
  }
  draw(true);
  return {};
}

const openAmounts = (amounts, name) => (amounts.length === 0
  ? h('p', {}, t('departure.even', { name }))
  : h('ul', { class: 'rows' }, amounts.map(({ currency, amount }) => h('li', { class: 'row' },
    h('b', {}, t(amount > 0 ? 'departure.is_owed' : 'departure.owes', { name,
      amount: moneyWriter(currency, [amount]).plain(Math.abs(amount)) }))))));

function agreementFields(choice, members, draw) {
  const otherMembers = members.filter(({ id }) => id !== choice.member);
  const toggle = (id) => {
    if (!choice.bearers.delete(id)) choice.bearers.add(id);
    draw();
  };
  return [
    fieldset(t('departure.agreement'), null,
      pillGroup('agreement', AGREEMENTS.map((kind) => [kind, t(`departure.${kind}`)]), choice.agreement,
        (kind) => { choice.agreement = kind; draw(); }),
      h('p', { class: 'muted' }, t(`departure.${choice.agreement}.what`))),
    choice.agreement === 'hand_over' && choiceField({ name: 'recipient', words: t('departure.recipient'),
      values: otherMembers.map(({ id, name }) => [id, name]), value: choice.recipient,
      pick: (id) => { choice.recipient = id; draw(); } }),
    choice.agreement === 'write_off' && fieldset(t('departure.bearers'), null,
      otherMembers.map(({ id, name }) => h('label', { class: 'option' },
        h('input', { type: 'checkbox', name: 'bearer', value: id, 'data-key': `bearer-${id}`,
          checked: choice.bearers.has(id), onchange: () => toggle(id) }),
        h('span', {}, h('bdi', {}, name))))),
  ];
}

/** The events as sentences, each with its amount. */
function previewList(events, members) {
  const name = (id) => memberName(members, id);
  const amountsIn = (currency) => events.filter((event) => event.currency === currency).flatMap((event) =>
    [event.amount, ...(event.borne_by ?? []).map((share) => share.amount)]);
  const rows = events.flatMap((event) => {
    const { type, member, currency, amount } = event;
    const money = (sum) => moneyWriter(currency, amountsIn(currency)).plain(Math.abs(sum));
    switch (type) {
      case 'group_transfer_recorded':
        return t('departure.event.pays',
          { from: name(event.payer), to: name(event.payee), amount: money(amount) });
      case 'balance_handed_over':
        return t(amount > 0 ? 'departure.event.gets_instead' : 'departure.event.owes_instead',
          { name: name(event.recipient), member: name(member), amount: money(amount) });
      case 'balance_written_off':
        return event.borne_by.filter((share) => share.amount !== 0).map((share) =>
          t(amount > 0 ? 'departure.event.keeps' : 'departure.event.bears',
            { name: name(share.member), amount: money(share.amount) }));
      default:
        return t('departure.event.leaves', { name: name(member) });
    }
  });
  return h('ul', { class: 'rows' }, rows.map((row) => h('li', { class: 'row' }, row)));
}
