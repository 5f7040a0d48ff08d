import type { Fault } from '../base/fault.ts';
import { isObject } from '../base/narrow.ts';
import { schemaCompiler } from '../base/schema-compiler.ts';
import { schemaFaults } from '../base/schema-faults.ts';
import { isHttpUrl } from '../catalog/checks/shape-record.ts';
import { FORMAT_DETAILS, isEmail, type SavedReportContext } from '../reports/saved-report.ts';
import { ALERT_KIND_NAMES } from '../catalog/model/alert-kinds.ts';
import type { AlertRecipient } from './recipient-store.ts';

const MAX_EMAILS = 20;

/** The schema of a recipient of alerts as it is sent. */
export const RECIPIENT_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    kinds: {
      type: 'array',
      items: { type: 'string', enum: ALERT_KIND_NAMES },
      minItems: 1,
      uniqueItems: true,
      default: ALERT_KIND_NAMES,
    },
    publisher_id: {
      type: ['integer', 'null'],
      minimum: 1,
      maximum: 2 ** 31 - 1,
      default: null,
      description: 'Only alerts of this publisher; null: of all, and of the installation',
    },
    emails: { type: 'array', items: { type: 'string', format: 'email', maxLength: 254 }, maxItems: MAX_EMAILS, default: [] },
    webhook: { type: ['string', 'null'], format: 'http-url', maxLength: 2048, default: null },
  },
} as const;

const validate = schemaCompiler({
  allErrors: true,
  allowUnionTypes: true,
  useDefaults: true,
  formats: { email: isEmail, 'http-url': isHttpUrl },
}).compile<AlertRecipient>(RECIPIENT_SCHEMA);

type Checked = { readonly ok: true; readonly record: AlertRecipient } | { readonly ok: false; readonly faults: readonly Fault[] };

/** Fields of answers, which a client may send back. */
const ANSWERED = new Set(['id', 'owner', 'last_at', 'last_fault', 'webhook_secret']);

/** A recipient with its defaults, or every fault. */
export const checkRecipient = (input: unknown, { hasMail, canSeal, webhookFault }: SavedReportContext): Checked => {
  if (!isObject(input)) return { ok: false, faults: [{ pointer: '', detail: 'must be a JSON object' }] };
  const record = structuredClone(Object.fromEntries(Object.entries(input).filter(([name]) => !ANSWERED.has(name))));
  if (!validate(record)) return { ok: false, faults: schemaFaults(validate.errors, FORMAT_DETAILS) };
  const { emails, webhook } = record;
  const faults: Fault[] = [];
  if ((emails.length === 0) === (webhook === null))
    faults.push({ pointer: '', detail: 'must have either e-mail addresses or a webhook: each is tried again apart' });
  if (emails.length > 0 && !hasMail) faults.push({ pointer: '/emails', detail: 'cannot be used: SMTP_URL is not set' });
  if (webhook !== null && !canSeal) faults.push({ pointer: '/webhook', detail: 'cannot be used: SEAL_KEYS is not set' });
  const refused = webhook === null ? undefined : webhookFault(webhook);
  if (refused !== undefined) faults.push({ pointer: '/webhook', detail: refused });
  return faults.length > 0 ? { ok: false, faults } : { ok: true, record };
};
