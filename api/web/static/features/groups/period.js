// Periods of two dates, with the time zone in which their days begin and end; the period of a group's
// statistics (all time, this year, or between two days), and their currency. Amounts of different currencies
// are never shown together.

import { getJson } from '../../core/api_client.js';
import { currencyName, t } from '../../core/translator.js';
import { h } from '../../ui/elements.js';
import { fieldset, pillGroup } from '../../ui/fields.js';
import { showScreen } from '../../ui/page.js';
import { warnOfError } from '../direct_requests.js';

const today = () => new Date().toLocaleDateString('sv'); // in Swedish, a day is written as in ISO 8601

/** Edits `choice.from` and `choice.to`, and calls `changed`; an empty field is no bound. */
export const dayFields = (choice, changed) => h('div', { class: 'fields' }, ['from', 'to'].map((bound) =>
  h('label', { class: 'field', 'data-pointer': bound }, h('span', {}, t(`statement.${bound}`)),
    h('input', { type: 'date', name: bound, value: choice[bound], max: today(), 'data-key': bound,
      onchange: (event) => { choice[bound] = event.target.value; changed(); } }))));

/** The time zone of this device, as a query parameter; without one the server uses its own. */
export function timeZoneQuery() {
  const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return tz?.includes('/') && !tz.startsWith('Etc/') ? { tz } : {};
}

/** Whether a moment lies before the end of a day; without a day it always does. */
export function isWithin(iso, day) {
  const [year, month, date] = day.split('-').map(Number);
  return day === '' || new Date(iso) < new Date(year, month - 1, date + 1);
}

/** Whether a period of two days ends before it begins. */
export const isBackwards = ({ from: start, to: end }) => start !== '' && end !== '' && start > end;

/** Why there is nothing to show; `unplayed`: what to say of a new group. */
export const emptyPeriod = (choice, unplayed) => h('p', { class: 'empty' }, choice.span === 'all' ? unplayed
  : choice.span === 'own' && isBackwards(choice) ? t('statement.backwards') : t('season.empty_period'));

/** The query string for a period, with this device's time zone, which decides where a day begins. */
function periodQuery({ span, from: start, to: end }) {
  const query = new URLSearchParams(timeZoneQuery());
  if (span === 'year') query.set('from', `${new Date().getFullYear()}-01-01`);
  if (span === 'own' && start) query.set('from', start);
  if (span === 'own' && end) query.set('to', end);
  return query.toString();
}

/** Edits `choice`: {span: 'all', 'year' or 'own', from, to}; calls `changed()` after every edit. */
const periodFields = (choice, changed) => fieldset(t('season.period'), null,
  pillGroup('span', ['all', 'year', 'own'].map((span) => [span, t(`span.${span}`)]), choice.span,
    (span) => { choice.span = span; changed(); }),
  choice.span === 'own' && dayFields(choice, changed));

/**
 * A screen of the figures of the chosen period, which the server has at `path`. `screenOf(figures, draw)`
 * describes what stands below the period; a change of it that fails is followed by a warning.
 */
export async function showPeriodScreen({ path, choice, isCurrent, screenOf }) {
  const fetchFigures = () => getJson(`${path}?${periodQuery(choice)}`);
  let figures = await fetchFigures();
  if (!isCurrent()) return null;
  const draw = (fresh = false) => {
    const { main, ...screen } = screenOf(figures, draw);
    showScreen({ ...screen, fresh, main: [periodFields(choice, changePeriod), main] });
  };
  async function changePeriod() {
    const query = periodQuery(choice);
    try {
      const newFigures = await fetchFigures();
      if (query !== periodQuery(choice)) return; // another period was chosen in between
      figures = newFigures;
    } catch (error) {
      if (isCurrent()) warnOfError(error);
    }
    if (isCurrent()) draw();
  }
  draw(true);
  return {};
}

/** The currencies of the sessions played for money, each once, the one of the latest session last. */
export const usedCurrencies = (sessions) => [...new Set(sessions
  .filter(({ results }) => results !== null).map(({ currency }) => currency).reverse())].reverse();

/** The currencies of a group's open balances (`figures`), the one of the latest session last. */
export function balanceCurrencies(figures, sessions) {
  const codes = figures.currencies.map(({ currency }) => currency);
  const played = usedCurrencies(sessions).filter((code) => codes.includes(code));
  return [...codes.filter((code) => !played.includes(code)), ...played];
}

/** The chosen currency if it is in use, else the latest one, or null. */
export const chosenCurrency = (used, chosen) => (used.includes(chosen) ? chosen : used.at(-1) ?? null);

/** Pills for the currency, or false if there are fewer than two. */
export const currencyChoice = (used, chosen, pick) => used.length > 1
  && fieldset(t('opening.currency'), null,
  pillGroup('currency', used.map((code) => [code, currencyName(code)]), chosen, pick));
