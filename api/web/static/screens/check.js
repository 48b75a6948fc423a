// Check this evening: the whole proof on this device, with its progress, and what it comes to in one
// sentence. The reasons, a line for each step, are behind a fold.

import { sessionState } from '../core/session_store.js';
import { refreshSession } from '../core/session_sync.js';
import { loadAllSentences, t } from '../core/translator.js';
import { STEPS, checkSession } from '../features/proofs/session_check.js';
import { redrawSyncStatus, syncStatus } from '../features/sync_status.js';
import { h, icon } from '../ui/elements.js';
import { actionButton, showScreen } from '../ui/page.js';

const OUTCOME_ICONS = { holds: 'check', fault: 'cross', unchecked: 'minus' };

export async function checkScreen({ id, home, isCurrent }) {
  await loadAllSentences();
  if (!isCurrent()) return null;
  const draw = (main, fresh = false, bar = []) => showScreen({
    title: t('menu.check'), backHref: home, headerEnd: syncStatus(), fresh, main, bar });

  async function run(fresh) {
    const onStep = (step) => draw([stepProgress(step)], fresh && step === STEPS[0]);
    const result = await checkSession({ id: decodeURIComponent(id), readState, onStep, isCurrent });
    if (result === null) return;
    draw([verdictLine(result, verdictSentence(result)), stepsFold(result)], false,
      [actionButton('again', t('proof.again'), () => run(false), { big: true })]);
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
const progressBar = ({ number, count, text }) => h('label', { class: 'checking' },
  h('span', {}, text), h('progress', { value: number - 1, max: count }));

export const verdictLine = ({ outcome }, sentence) => h('p', { class: `lead verdict-${outcome}`,
  'data-outcome': outcome, role: 'status' }, icon(OUTCOME_ICONS[outcome]), h('span', {}, sentence));

/** The one sentence that a check comes to. */
export function verdictSentence({ outcome, code, version, events }) {
  if (outcome === 'holds') return t('proof.holds', { count: events });
  return outcome === 'fault' ? t(`proof.fault.${code}`, { version }) : t(`proof.unchecked.${code}`);
}

const stepsFold = ({ steps }) => h('details', { class: 'fold' }, h('summary', {}, t('proof.steps')),
  h('ul', { class: 'rows' }, steps.map((result) => h('li', { class: 'row' },
    h('span', { class: 'row-name' }, t(`proof.step.${result.step}`),
      h('span', { class: 'by dim' }, result.outcome === 'holds'
        ? t(`proof.done.${result.code ?? result.step}`) : verdictSentence(result))),
    icon(OUTCOME_ICONS[result.outcome])))));
