import { pointerStep, type Fault } from '../base/fault.ts';
import { isObject } from '../base/narrow.ts';
import { schemaCompiler } from '../base/schema-compiler.ts';
import { schemaFaults } from '../base/schema-faults.ts';
import { isHttpUrl } from '../catalog/checks/shape-record.ts';
import { readReportQuestion } from './report-question.ts';

/** When and where a saved report is sent. */
export interface ReportSchedule {
  /** Each day; each Monday; each first day of a month. */
  readonly every: (typeof INTERVALS)[number];
  /** At this hour of `time_zone`. */
  readonly hour: number;
  readonly time_zone: string;
  readonly format: (typeof SENT_FORMATS)[number];
  readonly emails: readonly string[];
  readonly webhook: string | null;
}

export interface SavedReport {
  readonly name: string;
  /** The parameters of GET /api/reports. */
  readonly query: string;
  readonly schedule: ReportSchedule | null;
}

export const INTERVALS = ['day', 'week', 'month'] as const;
export const SENT_FORMATS = ['csv', 'xlsx', 'json'] as const;
const MAX_EMAILS = 20;

/** The schema of a saved report as it is sent; `time-zone`, `email` and `http-url` are formats. */
export const SAVED_REPORT_SCHEMA = {
  type: 'object',
  required: ['name', 'query'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 128 },
    query: {
      type: 'string',
      maxLength: 4096,
      description: 'The parameters of GET /api/reports, such as group_by=campaign&range=last_week',
    },
    schedule: {
      type: ['object', 'null'],
      default: null,
      required: ['every'],
      additionalProperties: false,
      properties: {
        every: { type: 'string', enum: INTERVALS, description: 'day, week (Mondays) or month (its first day)' },
        hour: { type: 'integer', minimum: 0, maximum: 23, default: 7 },
        time_zone: { type: 'string', format: 'time-zone', default: 'UTC' },
        format: { type: 'string', enum: SENT_FORMATS, default: 'csv' },
        emails: { type: 'array', items: { type: 'string', format: 'email', maxLength: 254 }, maxItems: MAX_EMAILS, default: [] },
        webhook: { type: ['string', 'null'], format: 'http-url', maxLength: 2048, default: null },
      },
    },
  },
} as const;

/** An address that mail is sent to: one mailbox, without a name, a comment or a line break. */
export const isEmail = (text: string): boolean => /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+\.[^\s@<>,;:"()[\]\\]+$/.test(text);
const isTimeZone = (text: string): boolean => text === 'UTC' || Intl.supportedValuesOf('timeZone').includes(text);

export const FORMAT_DETAILS = {
  email: 'must be an e-mail address, such as sales@gazette.example',
  'time-zone': 'must be the IANA name of a time zone, such as Europe/Berlin, or UTC',
  'http-url': 'must be an http or https URL',
};

const validate = schemaCompiler({
  allErrors: true,
  allowUnionTypes: true,
  useDefaults: true,
  formats: { email: isEmail, 'time-zone': isTimeZone, 'http-url': isHttpUrl },
}).compile<SavedReport>(SAVED_REPORT_SCHEMA);

export interface SavedReportContext {
  /** Whether mail can be sent (SMTP_URL). */
  readonly hasMail: boolean;
  /** Whether secrets can be stored (SEAL_KEYS): a webhook has one. */
  readonly canSeal: boolean;
  /** Why a webhook may not be called; undefined: it may. */
  readonly webhookFault: (url: string) => string | undefined;
}

type Checked = { readonly ok: true; readonly record: SavedReport } | { readonly ok: false; readonly faults: readonly Fault[] };

/** Fields of answers, which a client may send back. */
const ANSWERED = new Set(['id', 'owner', 'due_at', 'last_at', 'last_fault', 'webhook_secret']);

/** A saved report with its defaults, or every fault. Its query is checked as GET /api/reports would. */
export const checkSavedReport = (input: unknown, { hasMail, canSeal, webhookFault }: SavedReportContext): Checked => {
  if (!isObject(input)) return { ok: false, faults: [{ pointer: '', detail: 'must be a JSON object' }] };
  const record = structuredClone(Object.fromEntries(Object.entries(input).filter(([name]) => !ANSWERED.has(name))));
  if (!validate(record)) return { ok: false, faults: schemaFaults(validate.errors, FORMAT_DETAILS) };
  const faults: Fault[] = [];
  const asked = readReportQuestion(new URLSearchParams(record.query), 20_000);
  if (!asked.ok) faults.push(...asked.faults.map(({ pointer, detail }) => ({ pointer: '/query', detail: `${pointer}: ${detail}` })));
  const { schedule } = record;
  if (schedule) {
    const at = (name: string): string => `/schedule${pointerStep(name)}`;
    if (schedule.emails.length === 0 && schedule.webhook === null)
      faults.push({ pointer: '/schedule', detail: 'must have an e-mail address or a webhook' });
    if (schedule.emails.length > 0 && !hasMail) faults.push({ pointer: at('emails'), detail: 'cannot be used: SMTP_URL is not set' });
    if (schedule.webhook !== null && !canSeal) faults.push({ pointer: at('webhook'), detail: 'cannot be used: SEAL_KEYS is not set' });
    const refused = schedule.webhook === null ? undefined : webhookFault(schedule.webhook);
    if (refused !== undefined) faults.push({ pointer: at('webhook'), detail: refused });
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, record };
};
