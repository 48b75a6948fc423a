// Check this evening, or every evening of a group: runs the whole proof on this device, shows its progress,
// and then the result in one sentence. The reasons, a line for each step or evening, are behind a fold.

import { sessionState } from '../core/session_store.js';
import { refreshSession } from '../core/session_sync.js';
import { formatDay, t } from '../core/translator.js';
import { fetchGroupSession, tokenOfSession } from '../features/groups/group_client.js';
import { keyLine } from '../features/proofs/kept_proofs.js';
import { STEPS, checkSession } from '../features/proofs/session_check.js';
import { redrawSyncStatus, syncStatus } from '../features/sync_status.js';
import { h, icon } from '../ui/elements.js';
import { actionButton, announce, showScreen } from '../ui/page.js';

const OUTCOME_ICONS = { holds: 'check', fault: 'cross', unchecked: 'minus' };

export function checkScreen({ id, home, isCurrent }) {
  const draw = (main, fresh = false, bar = []) => showScreen({
    title: t('menu.check'), backHref: home, headerEnd: syncStatus(), fresh, main, bar });

  async function run(fresh) {
    const onStep = (step) => draw([stepProgress(step)], fresh && step === STEPS[0]);
    const result = await checkSession({ id, readState, onStep, isCurrent });
    if (result === null) return;
    draw([verdictLine(result, verdictSentence(result)), stepsFold(result),
      result.key && keyLine(result.key)], false,
      [actionButton('again', t('proof.again'), () => run(false), { primary: true })]);
  }
  run(true);
  return { update: redrawSyncStatus };
}

/** What this device shows: the newest state, without the writes that wait. */
async function readState() {
  await refreshSession();
  return sessionState().confirmed;
}

function stepProgress(step) {
  const number = STEPS.indexOf(step) + 1;
  const label = t(`proof.step.${step}`);
  return progressBar({ number, count: STEPS.length,
    text: t('proof.progress', { number, count: STEPS.length, step: label }) });
}

/** The bar is named by its text. */
const progressBar = ({ number, count, text }) => h('label', { class: 'check-progress' },
  h('span', {}, text), h('progress', { value: number - 1, max: count }));

/** The result of a check in one sentence, which is read aloud as well. */
function verdictLine({ outcome }, sentence) {
  announce(sentence);
  return h('p', { class: `lead verdict-${outcome}`, 'data-outcome': outcome },
    icon(OUTCOME_ICONS[outcome]), h('span', {}, sentence));
}

/** The one sentence for a session, or for one of its steps. */
function verdictSentence({ outcome, code, version, events }) {
  if (outcome === 'holds') return t('proof.holds', { count: events });
  return outcome === 'fault' ? t(`proof.fault.${code}`, { version }) : t(`proof.unchecked.${code}`);
}

const stepsFold = ({ steps }) => reasonsFold(t('proof.steps'), steps.map((result) => reasonRow(result,
  t(`proof.step.${result.step}`), result.outcome === 'holds'
    ? t(`proof.done.${result.code ?? result.step}`) : verdictSentence(result))));

const reasonsFold = (title, rows) => h('details', { class: 'disclosure' }, h('summary', {}, title),
  h('ul', { class: 'rows' }, rows));

const reasonRow = ({ outcome }, title, sentence) => h('li', { class: 'row' },
  h('span', { class: 'row-name' }, title, h('span', { class: 'row-note muted' }, sentence)),
  icon(OUTCOME_ICONS[outcome]));

/** Checks the sessions of a group one after the other. */
export async function groupCheckScreen({ group: { sessions }, home, isCurrent }) {
  if (sessions.length === 0) {
    showScreen({ title: t('group.check'), backHref: home, fresh: true,
      main: [h('p', { class: 'empty' }, t('group.none_yet'))] });
    return {};
  }
  const draw = (main, fresh = false, bar = []) => showScreen({
    title: t('group.check'), backHref: home, fresh, main, bar });

  async function run(fresh) {
    const results = [];
    for (const groupSession of sessions) {
      const [number, count] = [results.length + 1, sessions.length];
      draw([progressBar({ number, count, text: t('proof.group.progress', { number, count }) })],
        fresh && number === 1);
      const result = await checkSession({ id: groupSession.session, token: tokenOfSession(groupSession),
        readState: () => fetchGroupSession(groupSession), onStep: () => null, isCurrent });
      if (result === null) return;
      results.push({ ...result, groupSession });
    }
    const rows = results.map((result) => reasonRow(result, sessionTitle(result.groupSession),
      verdictSentence(result)));
    draw([groupVerdictLine(results), reasonsFold(t('group.evenings'), rows)], false,
      [actionButton('again', t('proof.again'), () => run(false), { primary: true })]);
  }
  run(true);
  return {};
}

const sessionTitle = ({ title, created_at: startedAt }) => [h('bdi', {}, title || t('start.untitled')),
  h('span', { class: 'row-note muted' }, formatDay(startedAt))];

/** A fault counts more than an evening that could not be checked. */
function groupVerdictLine(results) {
  const outcome = ['fault', 'unchecked'].find((name) => results.some((result) => result.outcome === name))
    ?? 'holds';
  const count = results.filter((result) => result.outcome === outcome).length;
  return verdictLine({ outcome }, t(`proof.group.${outcome}`, { count }));
}
