import { createHmac } from 'node:crypto';
import { XLSX_TYPE } from '../api/openapi-document.ts';
import type { GuardedDispatchers } from '../bidders/calls/guarded-dispatcher.ts';
import type { SentFile } from '../mail/send-mail.ts';
import { reportJson } from './answer-report.ts';
import { columnsOf } from './report-fields.ts';
import type { ReportQuestion } from './report-question.ts';
import type { ReportHead, Reports, ReportPage } from './run-report.ts';
import type { ReportRow } from './shown-row.ts';
import type { ReportSchedule } from './saved-report-api.ts';
import { reportCsv, reportXlsx } from './write-report.ts';

/** Bytes of a file that is sent: mail servers refuse more. */
export const MAX_SENT_BYTES = 10 * 1024 * 1024;
const WEBHOOK_MS = 15_000;

/**
 * The rows of a report as a file.
 *
 * @throws when the report is refused or the file is too large; the message is for staff
 */
export const reportFile = async (
  reports: Reports,
  person: string,
  question: ReportQuestion,
  format: ReportSchedule['format'],
): Promise<SentFile> => {
  const name = `report_${question.from}_${question.to}.${format}`;
  const result = await reports.all(person, question, (parts, head) => {
    const columns = columnsOf(head.groupBy, question.metrics);
    return format === 'xlsx'
      ? reportXlsx(columns, parts, head.currency)
      : whole(format === 'csv' ? reportCsv(columns, parts) : jsonParts(question, parts, head));
  });
  if (!result.ok) throw new Error(WORDS[result.refusal.why]);
  const content = result.value;
  if (!content || content.length > MAX_SENT_BYTES)
    throw new Error('The report has too many rows to be sent: choose fewer days or dimensions.');
  const type = format === 'xlsx' ? XLSX_TYPE : format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json';
  return { name, type, content };
};

const WORDS = {
  busy: 'The report is running already.',
  timeout: 'The report took too long: choose fewer days or dimensions.',
  faults: 'The report names records that are gone.',
} as const;

/** undefined: longer than MAX_SENT_BYTES. */
const whole = async (parts: AsyncIterable<string>): Promise<Buffer | undefined> => {
  const buffers: Buffer[] = [];
  let bytes = 0;
  for await (const part of parts) {
    const buffer = Buffer.from(part);
    bytes += buffer.length;
    if (bytes > MAX_SENT_BYTES) return undefined;
    buffers.push(buffer);
  }
  return Buffer.concat(buffers);
};

async function* jsonParts(question: ReportQuestion, parts: AsyncIterable<readonly ReportRow[]>, head: ReportHead): AsyncGenerator<string> {
  const rows: ReportRow[] = [];
  for await (const part of parts) rows.push(...part);
  const {
    totals: _,
    totals_by_currency: __,
    ...page
  } = reportJson(question, {
    rowCount: rows.length,
    rows,
    totals: {},
    totalsByCurrency: [],
    ...head,
    payerChanges: [],
  } satisfies ReportPage);
  yield JSON.stringify(page);
}

export interface WebhookCall {
  /** What is delivered; it is in the names of the headers. */
  readonly what: 'report' | 'alerts';
  readonly url: URL;
  readonly secret: string;
  /** The same for each attempt to deliver one file: the receiver can drop repeats. */
  readonly deliveryId: string;
  readonly file: SentFile;
  readonly nowMs: number;
}

/**
 * Posts a file. `X-Report-Signature: t=<seconds>,v1=<hex>` is the HMAC-SHA256 of `<seconds>.<body>` with
 * the secret of the webhook; alerts have `X-Alerts-…`. Rejects unless the receiver answers 2xx.
 */
export const callWebhook = async (
  dispatchers: GuardedDispatchers,
  { what, url, secret, deliveryId, file, nowMs }: WebhookCall,
): Promise<void> => {
  const seconds = Math.floor(nowMs / 1000);
  await postBody(dispatchers, url, file.content, {
    'content-type': file.type,
    'content-disposition': `attachment; filename="${file.name}"`,
    [`x-${what}-id`]: deliveryId,
    [`x-${what}-signature`]: `t=${seconds},v1=${signatureOf(secret, seconds, file.content)}`,
  });
};

/** Posts to an address that has been checked. Rejects unless the receiver answers 2xx. */
export const postBody = async (
  dispatchers: GuardedDispatchers,
  url: URL,
  content: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<void> => {
  const signal = AbortSignal.timeout(WEBHOOK_MS);
  const { statusCode, body } = await dispatchers.of(url).request({
    ...{ origin: url.origin, path: url.pathname + url.search, method: 'POST', signal, body: content, headers },
  });
  await body.dump({ limit: 16 * 1024, signal });
  if (statusCode < 200 || statusCode > 299) throw new Error(`The webhook answered ${statusCode}.`);
};

export const signatureOf = (secret: string, seconds: number, body: Buffer): string =>
  createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
