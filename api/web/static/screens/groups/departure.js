// A member leaves the group: who, what becomes of open balances, what will be recorded, and the confirmation.
// Those who have left stand below, and can be taken back.

import { getJson, sendRequest } from '../../core/api_client.js';
import { Problem } from '../../core/request_errors.js';
import { loadAllSentences, moneyWriter, t } from '../../core/translator.js';
import { groupPath, keyPerRequest, warnOfTrouble,
  writeToGroup } from '../../features/groups/group_client.js';
import { buildElement, h, icon } from '../../ui/elements.js';
import { choiceField, fieldset, pillGroup } from '../../ui/fields.js';
import { actionButton, actionLink, announce, refillPart, showScreen } from '../../ui/page.js';
import { memberLabel, memberName } from '../../ui/player_tokens.js';

const AGREEMENTS = ['settle', 'hand_over', 'write_off'];

export async function departureScreen({ id, group: loaded, home, isCurrent }) {
  await loadAllSentences();
  let group = loaded;
  let figures = await getJson(groupPath(id, '/open-balances'));
  if (!isCurrent()) return null;
  const key = keyPerRequest();
  const wish = { member: null, agreement: 'settle', recipient: null, bearers: new Set() };
  const preview = buildElement(h('div', { 'data-key': 'preview', 'aria-live': 'polite' }));
  let recorded = null;
  let turn = 0;

  const present = () => group.members.filter((member) => !member.has_left);
  const owed = () => figures.currencies.flatMap(({ currency, balances }) => balances
    .filter((row) => row.id === wish.member && row.amount !== 0).map(({ amount }) => ({ currency, amount })));
  const path = () => groupPath(id, `/members/${wish.member}/departure`);
  const agreed = () => (owed().length === 0 ? {} : { agreement: wish.agreement,
    ...(wish.agreement === 'hand_over' && { recipient: wish.recipient }),
    ...(wish.agreement === 'write_off' && { borne_by: [...wish.bearers] }) });

  function choose(member) {
    const bearers = present().map((listed) => listed.id).filter((listed) => listed !== member);
    Object.assign(wish,
      { member, agreement: 'settle', recipient: bearers[0] ?? null, bearers: new Set(bearers) });
  }

  /** Asks the server what would be recorded; shows that, or why it is refused. */
  async function showPreview() {
    turn += 1;
    const mine = turn;
    try {
      const { body } = await sendRequest('POST', `${path()}/preview`, { body: agreed() });
      if (mine === turn) refillPart(preview, previewList(body.events, group.members));
    } catch (trouble) {
      if (!(trouble instanceof Problem)) { warnOfTrouble(trouble); return; }
      const words = trouble.errors?.[0]?.detail ?? trouble.message;
      if (mine === turn) refillPart(preview, h('p', { class: 'wrong', role: 'alert' }, words));
    }
  }

  async function write(request, message) {
    try {
      figures = await request();
      group = await getJson(groupPath(id));
      recorded = message;
      wish.member = null;
    } catch (trouble) {
      warnOfTrouble(trouble);
      return;
    }
    if (!isCurrent()) return;
    draw();
    announce(recorded);
  }

  const leave = () => {
    const body = agreed();
    const request = () => writeToGroup(path(), body, { key: key({ member: wish.member, ...body, figures }) });
    return write(request, t('departure.done', { name: memberName(group.members, wish.member) }));
  };
  const readmit = (member) => write(() => writeToGroup(groupPath(id, `/members/${member.id}/departure`),
    undefined, { method: 'DELETE' }), t('departure.back_done', { name: member.name }));

  function draw(fresh = false) {
    const members = present();
    const former = group.members.filter((member) => member.has_left);
    showScreen({
      title: t('departure.title'), backHref: `${home}/members`, fresh,
      main: [
        recorded !== null && h('p', { class: 'noted' }, icon('check'), h('span', {}, recorded)),
        h('p', { class: 'dim' }, t('departure.what')),
        members.length > 0 && choiceField({ name: 'member', words: t('departure.who'),
          values: [[null, t('departure.choose')], ...members.map((member) => [member.id, member.name])],
          value: wish.member,
          pick: (member) => { choose(member); draw(); } }),
        wish.member !== null && openAmounts(owed(), memberName(members, wish.member)),
        owed().length > 0 && agreementFields(wish, members, draw),
        wish.member !== null && h('section', {}, h('h2', {}, t('departure.recorded')), preview),
        former.length > 0 && h('section', {}, h('h2', {}, t('departure.former')),
          h('ul', { class: 'rows' }, former.map((member) => h('li', { class: 'row' },
            memberLabel(group.members, member.id),
            h('button', { type: 'button', class: 'button', 'data-key': `back-${member.id}`,
              'aria-label': t('departure.back_name', { name: member.name }),
              onclick: () => readmit(member) }, t('departure.back')))))),
      ],
      bar: [actionLink('balances', t('open_balances.title'), `${home}/balances`),
        wish.member !== null && actionButton('confirm-leave',
          t('departure.confirm', { name: memberName(members, wish.member) }), leave, { big: true })],
    });
    if (wish.member !== null) showPreview();
  }
  draw(true);
  return {};
}

const openAmounts = (amounts, name) => (amounts.length === 0
  ? h('p', {}, t('departure.even', { name }))
  : h('ul', { class: 'rows' }, amounts.map(({ currency, amount }) => h('li', { class: 'row' },
    h('b', {}, t(amount > 0 ? 'departure.is_owed' : 'departure.owes', { name,
      amount: moneyWriter(currency, [amount]).plain(Math.abs(amount)) }))))));

function agreementFields(wish, members, draw) {
  const otherMembers = members.filter(({ id }) => id !== wish.member);
  const toggle = (id) => {
    if (!wish.bearers.delete(id)) wish.bearers.add(id);
    draw();
  };
  return [
    fieldset(t('departure.agreement'), null,
      pillGroup('agreement', AGREEMENTS.map((kind) => [kind, t(`departure.${kind}`)]), wish.agreement,
        (kind) => { wish.agreement = kind; draw(); }),
      h('p', { class: 'dim' }, t(`departure.${wish.agreement}.what`))),
    wish.agreement === 'hand_over' && choiceField({ name: 'recipient', words: t('departure.recipient'),
      values: otherMembers.map(({ id, name }) => [id, name]), value: wish.recipient,
      pick: (id) => { wish.recipient = id; draw(); } }),
    wish.agreement === 'write_off' && fieldset(t('departure.bearers'), null,
      otherMembers.map(({ id, name }) => h('label', { class: 'option' },
        h('input', { type: 'checkbox', name: 'bearer', value: id, 'data-key': `bearer-${id}`,
          checked: wish.bearers.has(id), onchange: () => toggle(id) }),
        h('span', {}, h('bdi', {}, name))))),
  ];
}

/** The events as sentences, each with its amount. */
function previewList(events, members) {
  const name = (id) => memberName(members, id);
  const rows = events.flatMap((event) => {
    const { type, member, currency, amount } = event;
    const money = (sum) => moneyWriter(currency, [sum]).plain(Math.abs(sum));
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
