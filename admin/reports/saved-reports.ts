import { html, nothing, type TemplateResult } from 'lit-html';
import type { ReportSchedule, SavedWire } from '../../src/reports/saved-report-api.ts';
import type { Page } from '../page.ts';
import { button, card } from '../parts/parts.ts';
import { table } from '../parts/table.ts';
import { moment } from '../words/dates.ts';
import { addressesOf, addressFields, lastWords, recordForm, typedField, typedOf, type TypedAddresses } from './delivery-form.ts';
import { createOwnRecords, type OwnRecords } from './own-records.ts';
import { select } from '../parts/select.ts';
import { t } from '../words/texts.ts';

export interface SavedReportsOptions {
  /** Opens a saved report. */
  readonly open: (query: string) => void;
  /** The parameters that are shown now. */
  readonly query: () => string;
}

const EVERY = [
  ['', t`Not sent`],
  ['day', t`Every day`],
  ['week', t`Mondays`],
  ['month', t`On the first of the month`],
] as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => [String(hour), `${String(hour).padStart(2, '0')}:00`] as const);
const FORMATS = [
  ['csv', 'CSV'],
  ['xlsx', 'Excel'],
  ['json', 'JSON'],
] as const;

/** What the form holds: texts as typed. */
interface Draft extends TypedAddresses {
  readonly id: number | undefined;
  readonly name: string;
  readonly query: string;
  readonly every: (typeof EVERY)[number][0];
  readonly hour: string;
  readonly timeZone: string;
  readonly format: (typeof FORMATS)[number][0];
}

/** The saved reports with their schedules, and the form for one of them. */
export const createSavedReports = (page: Page, { open, query }: SavedReportsOptions) => {
  const records = createOwnRecords<SavedWire, Draft>({
    ...{ page, signatureHeader: 'X-Report-Signature' },
    list: () => page.api.get('/saved_reports'),
    save: (draft) =>
      draft.id === undefined
        ? page.api.send('POST', '/saved_reports', { body: recordOf(draft) })
        : page.api.send('PUT', '/saved_reports/{id}', { id: draft.id, body: recordOf(draft) }),
    drop: (id) => page.api.send('DELETE', '/saved_reports/{id}', { id }),
    storedWords: ({ name }) => t`“${name}” is saved.`,
  });
  const send = async ({ id, name }: SavedWire): Promise<void> => {
    const answer = await page.api.send('POST', '/saved_reports/{id}/send', { id });
    if (!answer.ok) return page.complain(answer.problem);
    page.toast(t`“${name}” will be sent within a minute.`, { tone: 'good' });
  };
  const questionFor = ({ name }: SavedWire) => ({ title: t`Delete “${name}”?`, text: t`It is not sent any more.` });

  return {
    load: async () => {
      if (page.rights.may('GET', '/saved_reports')) await records.load();
    },
    /** Opens the form for what is shown now. */
    add: () => records.edit({ ...NEW, query: query(), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
    /** The form, while it is open. */
    form: () => {
      const draft = records.draft();
      return draft ? saveForm(draft, records) : nothing;
    },
    list: () =>
      records.all().length === 0
        ? nothing
        : card(
            t`Saved reports`,
            table({
              caption: t`Saved reports`,
              rows: records.all(),
              columns: [
                {
                  label: t`Name`,
                  cell: (one) => html`<button type="button" class="cell-link" @click=${() => open(one.query)}>${one.name}</button>`,
                },
                { label: t`Sent`, cell: scheduleWords },
                { label: t`Last`, cell: lastWords },
                { label: t`By`, cell: ({ owner }) => owner, minor: true },
              ],
              actions: (one) =>
                !page.rights.may('PUT', '/saved_reports/{id}')
                  ? html``
                  : html`${one.schedule ? button(t`Send now`, () => send(one), 'quiet', t`Send now: ${one.name}`) : nothing}
                    ${button(t`Edit`, () => records.edit(draftOf(one)), 'quiet', t`Edit ${one.name}`)}
                    ${button(t`Delete`, () => records.remove(one, questionFor(one)), 'quiet', t`Delete ${one.name}`)}`,
            }),
          ),
  };
};

const NEW: Omit<Draft, 'query' | 'timeZone'> = { id: undefined, name: '', every: '', hour: '7', format: 'csv', emails: '', webhook: '' };

const draftOf = ({ id, name, query, schedule }: SavedWire): Draft => ({
  ...NEW,
  ...{ id, name, query, timeZone: schedule?.time_zone ?? 'UTC' },
  ...(schedule && { every: schedule.every, hour: String(schedule.hour), format: schedule.format, ...typedOf(schedule) }),
});

const recordOf = (draft: Draft) => {
  const { name, query, every, hour, timeZone, format } = draft;
  const sent = { hour: Number(hour), time_zone: timeZone.trim(), format, ...addressesOf(draft) };
  return { name: name.trim(), query, schedule: every === '' ? null : { every, ...sent } };
};

const saveForm = (draft: Draft, records: OwnRecords<SavedWire, Draft>): TemplateResult => {
  const { write } = records;
  return recordForm(
    draft.id === undefined ? t`Save this report` : t`Edit the saved report`,
    records,
    FIELD_WORDS,
    html`${typedField(t`Name`, draft.name, (name) => write({ name }), { placeholder: t`Campaigns of the week` })}
      <label>${t`Send`}${select(t`Send`, draft.every, EVERY, (every) => write({ every }))}</label>
      ${
        draft.every === ''
          ? nothing
          : html`<div class="save-times">
                <label>${t`At`}${select(t`At`, draft.hour, HOURS, (hour) => write({ hour }))}</label>
                ${typedField(t`Time zone`, draft.timeZone, (timeZone) => write({ timeZone }), { placeholder: t`Europe/Berlin` })}
                <label>${t`As`}${select(t`As`, draft.format, FORMATS, (format) => write({ format }))}</label>
              </div>
              ${addressFields({
                ...{ typed: draft, write, webhookSample: 'https://gazette.example/reports' },
                webhookHelp: t`The file is posted to this address, signed with a secret that is shown once.`,
              })}`
      }`,
  );
};

const FIELD_WORDS: Readonly<Record<string, string>> = {
  '/name': t`Name`,
  '/query': t`Report`,
  '/schedule': t`Send`,
  '/schedule/time_zone': t`Time zone`,
  '/schedule/emails': t`E-mail addresses`,
  '/schedule/webhook': t`Webhook`,
};

const scheduleWords = ({ schedule, due_at }: SavedWire): TemplateResult | string => {
  if (!schedule) return t`Not sent`;
  return html`${whenWords(schedule)}<br /><small
      >${[...schedule.emails, ...(schedule.webhook === null ? [] : [t`webhook`])].join(', ')}${due_at ? t`, next ${moment(due_at)}` : ''}</small
    >`;
};
const whenWords = ({ every, hour, time_zone, format }: ReportSchedule): string =>
  `${EVERY.find(([name]) => name === every)?.[1] ?? every}, ${String(hour).padStart(2, '0')}:00 (${time_zone}), ${FORMATS.find(([name]) => name === format)?.[1] ?? format}`;
