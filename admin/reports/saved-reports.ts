import { html, nothing, type TemplateResult } from 'lit-html';
import type { SavedReport, ReportSchedule } from '../../src/trafficking/reports/saved-report.ts';
import { input } from '../fields/input.ts';
import type { Page } from '../page.ts';
import { button, card, problemNote } from '../parts/parts.ts';
import { table } from '../parts/table.ts';
import type { Problem } from '../service/wire.ts';
import { moment } from '../words/formats.ts';
import { select } from './report-controls.ts';

/** A saved report, as the API answers it. */
export type SavedWire = SavedReport & {
  readonly id: number;
  readonly owner: string;
  readonly due_at: string | null;
  readonly last_at: string | null;
  readonly last_fault: string | null;
  readonly webhook_secret?: string;
};

export interface SavedReportsOptions {
  /** Opens a saved report. */
  readonly open: (query: string) => void;
  /** The parameters that are shown now. */
  readonly query: () => string;
  /** Shows the secret of a webhook, once. */
  readonly showSecret: (secret: string) => Promise<unknown>;
}

export interface SavedReports {
  load(): Promise<void>;
  /** Opens the form for what is shown now. */
  add(): void;
  /** The form, while it is open. */
  form(): TemplateResult | typeof nothing;
  list(): TemplateResult | typeof nothing;
}

const EVERY = [
  ['', 'Not sent'],
  ['day', 'Every day'],
  ['week', 'Mondays'],
  ['month', 'On the first of the month'],
] as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => [String(hour), `${String(hour).padStart(2, '0')}:00`] as const);
const FORMATS = [
  ['csv', 'CSV'],
  ['xlsx', 'Excel'],
  ['json', 'JSON'],
] as const;

/** What the form holds: texts as typed. */
interface Draft {
  readonly id: number | undefined;
  readonly name: string;
  readonly query: string;
  readonly every: string;
  readonly hour: string;
  readonly timeZone: string;
  readonly format: string;
  readonly emails: string;
  readonly webhook: string;
}

/** The saved reports with their schedules, and the form for one of them. */
export const createSavedReports = (page: Page, { open, query, showSecret }: SavedReportsOptions): SavedReports => {
  let saved: readonly SavedWire[] = [];
  let problem: Problem | undefined;
  let draft: Draft | undefined;

  const load = async (): Promise<void> => {
    const answer = await page.api.get<readonly SavedWire[]>('/saved_reports');
    if (answer.ok) saved = answer.value;
    else page.complain(answer.problem);
    page.redraw();
  };
  const edit = (next: Draft | undefined): void => {
    draft = next;
    problem = undefined;
    page.redraw();
    if (next) queueMicrotask(() => document.querySelector<HTMLElement>('.save-report input')?.focus());
  };
  const write = (change: Partial<Draft>): void => {
    draft = draft && { ...draft, ...change };
    page.redraw();
  };
  const store = async (): Promise<void> => {
    if (!draft) return;
    const { id } = draft;
    const answer = await page.api.send<SavedWire>(
      id === undefined ? 'POST' : 'PUT',
      `/saved_reports${id === undefined ? '' : `/${id}`}`,
      recordOf(draft),
    );
    if (!answer.ok) {
      problem = answer.problem;
      return page.redraw();
    }
    edit(undefined);
    page.toast(`“${answer.value.name}” is saved.`, { tone: 'good' });
    if (answer.value.webhook_secret !== undefined) await showSecret(answer.value.webhook_secret);
    await load();
  };
  const send = async ({ id, name }: SavedWire): Promise<void> => {
    const answer = await page.api.send('POST', `/saved_reports/${id}/send`);
    if (!answer.ok) return page.complain(answer.problem);
    page.toast(`“${name}” will be sent within a minute.`, { tone: 'good' });
  };
  const remove = async ({ id, name }: SavedWire): Promise<void> => {
    const question = { title: `Delete “${name}”?`, text: 'It is not sent any more.', yes: 'Delete', dangerous: true };
    if (!(await page.confirm(question))) return;
    const answer = await page.api.send('DELETE', `/saved_reports/${id}`);
    if (!answer.ok) return page.complain(answer.problem);
    await load();
  };

  return {
    load,
    add: () => edit({ ...NEW, query: query(), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
    form: () => (draft ? saveForm(draft, problem, { write, cancel: () => edit(undefined), store }) : nothing),
    list: () =>
      saved.length === 0
        ? nothing
        : card(
            'Saved reports',
            table({
              caption: 'Saved reports',
              rows: saved,
              columns: [
                {
                  label: 'Name',
                  cell: (one) => html`<button type="button" class="cell-link" @click=${() => open(one.query)}>${one.name}</button>`,
                },
                { label: 'Sent', cell: scheduleWords },
                { label: 'Last', cell: lastWords },
                { label: 'By', cell: ({ owner }) => owner, minor: true },
              ],
              actions: (one) =>
                html`${one.schedule ? button('Send now', () => send(one), 'quiet', `Send ${one.name} now`) : nothing}
                ${button('Edit', () => edit(draftOf(one)), 'quiet', `Edit ${one.name}`)}
                ${button('Delete', () => remove(one), 'quiet', `Delete ${one.name}`)}`,
            }),
          ),
  };
};

const NEW: Omit<Draft, 'query' | 'timeZone'> = { id: undefined, name: '', every: '', hour: '7', format: 'csv', emails: '', webhook: '' };

const draftOf = ({ id, name, query, schedule }: SavedWire): Draft => ({
  ...NEW,
  ...{ id, name, query, timeZone: schedule?.time_zone ?? 'UTC' },
  ...(schedule && {
    ...{ every: schedule.every, hour: String(schedule.hour), format: schedule.format },
    ...{ emails: schedule.emails.join(', '), webhook: schedule.webhook ?? '' },
  }),
});

const recordOf = ({ name, query, every, hour, timeZone, format, emails, webhook }: Draft) => ({
  name: name.trim(),
  query,
  schedule:
    every === ''
      ? null
      : {
          ...{ every, hour: Number(hour), time_zone: timeZone.trim(), format },
          emails: emails.split(/[\s,;]+/).filter(Boolean),
          webhook: webhook.trim() === '' ? null : webhook.trim(),
        },
});

interface FormActions {
  readonly write: (change: Partial<Draft>) => void;
  readonly cancel: () => void;
  readonly store: () => Promise<void>;
}

const saveForm = (draft: Draft, problem: Problem | undefined, { write, cancel, store }: FormActions): TemplateResult => {
  const field = (label: string, name: keyof Draft, placeholder = '', help = ''): TemplateResult =>
    html`<label
      >${label}${input({ value: String(draft[name] ?? ''), placeholder, onInput: (typed) => write({ [name]: typed }) })}
      ${help ? html`<small>${help}</small>` : nothing}</label
    >`;
  return card(
    draft.id === undefined ? 'Save this report' : 'Edit the saved report',
    html`<form
      class="save-report"
      novalidate
      @submit=${(event: Event) => {
        event.preventDefault();
        void store();
      }}
    >
      ${
        problem
          ? html`${problemNote(problem)}
              <ul class="faults">
                ${[...new Set(problem.errors.map(({ pointer, detail }) => faultWords(pointer, detail)))].map((words) => html`<li>${words}</li>`)}
              </ul>`
          : nothing
      }
      ${field('Name', 'name', 'Campaigns of the week')}
      <label>Send${select('Send', draft.every, EVERY, (every) => write({ every }))}</label>
      ${
        draft.every === ''
          ? nothing
          : html`<div class="save-times">
                <label>At${select('At', draft.hour, HOURS, (hour) => write({ hour }))}</label>
                ${field('Time zone', 'timeZone', 'Europe/Berlin')}
                <label>As${select('As', draft.format, FORMATS, (format) => write({ format }))}</label>
              </div>
              ${field('E-mail addresses', 'emails', 'sales@gazette.example, boss@gazette.example')}
              ${field('Webhook', 'webhook', 'https://gazette.example/reports', 'The file is posted to this address, signed with a secret that is shown once.')}`
      }
      <div class="row">${button('Cancel', cancel, 'secondary')}<button>Save</button></div>
    </form>`,
  );
};

const FIELD_WORDS: Readonly<Record<string, string>> = {
  '/name': 'Name',
  '/query': 'Report',
  '/schedule': 'Send',
  '/schedule/time_zone': 'Time zone',
  '/schedule/emails': 'E-mail addresses',
  '/schedule/webhook': 'Webhook',
};
const faultWords = (pointer: string, detail: string): string =>
  `${FIELD_WORDS[pointer] ?? FIELD_WORDS[pointer.replace(/\/\d+$/, '')] ?? pointer}: ${detail}`;

const scheduleWords = ({ schedule, due_at }: SavedWire): TemplateResult | string => {
  if (!schedule) return 'Not sent';
  return html`${whenWords(schedule)}<br /><small
      >${[...schedule.emails, ...(schedule.webhook === null ? [] : ['webhook'])].join(', ')}${due_at ? `, next ${moment(due_at)} UTC` : ''}</small
    >`;
};
const whenWords = ({ every, hour, time_zone, format }: ReportSchedule): string =>
  `${EVERY.find(([name]) => name === every)?.[1] ?? every}, ${String(hour).padStart(2, '0')}:00 (${time_zone}), ${FORMATS.find(([name]) => name === format)?.[1] ?? format}`;

const lastWords = ({ last_at, last_fault }: SavedWire): TemplateResult | string => {
  if (last_at === null) return '–';
  return last_fault === null ? `${moment(last_at)} UTC` : html`<span class="pill bad">failed</span> <small>${last_fault}</small>`;
};
