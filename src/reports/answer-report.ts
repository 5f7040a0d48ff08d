import type { Scope } from '../access/scope.ts';
import { nextPageLink } from '../api/page-of-rows.ts';
import { answer, fileReply, refuse, type Asked, type Refused, type Reply } from '../api/route.ts';
import type { ReportAnswer, SHARED_REPORT_API } from './report-api.ts';
import { columnsOf } from './report-fields.ts';
import { readReportQuestion, type ReportQuestion } from './report-question.ts';
import type { ReportPage, ReportRefusal, Reports } from './run-report.ts';
import { writeTable } from './write-report.ts';

/** The question of a request, with the days of the publishers that it names or, of a caller for some, of those. */
export const askedOf = async (
  reports: Pick<Reports, 'today'>,
  search: URLSearchParams,
  scope: Scope,
): Promise<ReturnType<typeof readReportQuestion>> => {
  const ids = search.getAll('filter[publisher]').flatMap((text) => text.split(','));
  // Other values are faults of the question.
  const publishers = ids.filter((text) => /^\d{1,9}$/.test(text)).map(Number);
  return readReportQuestion(search, await reports.today(scope.publishers ?? (publishers.length > 0 ? publishers : null)), scope);
};

/** Who asks, how the answer is written, and at which address its next page is. */
export interface ReportCall extends Asked<(typeof SHARED_REPORT_API)['getSharedReport']> {
  readonly person: string;
  /** Path and query as they were sent. */
  readonly url: string;
  /** Whether the answer names other advertisers, which pay for a campaign now or did. */
  readonly namesPayers: boolean;
}

/** Answers a question with a page of JSON, or with all rows as a file. */
export const answerReport = async (
  reports: Reports,
  question: ReportQuestion,
  { person, url, format, limit, offset, namesPayers }: ReportCall,
): Promise<Reply<ReportAnswer>> => {
  if (format === 'json') {
    const result = await reports.page(person, question, { limit, offset });
    if (!result.ok) return refusalOf(result.refusal);
    const { rows, rowCount } = result.value;
    const more = rows.length > 0 && offset + rows.length < rowCount;
    const page = namesPayers ? result.value : { ...result.value, payerChanges: [] };
    return answer(reportJson(question, page), nextPageLink(url, { rows, more }, { limit, offset }));
  }
  return fileReply(async (begin) => {
    const { metrics, from, to } = question;
    const file = { name: `report_${from}_${to}`, format, instead: INSTEAD };
    const result = await reports.all(person, question, (parts, { groupBy, currency }) =>
      writeTable(begin, { ...file, columns: columnsOf(groupBy, metrics), currency }, parts),
    );
    return result.ok ? result.value : refusalOf(result.refusal);
  });
};

const INSTEAD = 'choose CSV, fewer days or fewer dimensions';

/** The JSON of a page of a report. */
export const reportJson = (
  { metrics, filters, from, to }: ReportQuestion,
  { groupBy, currency, completeUntil, source, sourceNote, rowCount, rows, totals, totalsByCurrency, timeZone, payerChanges }: ReportPage,
): ReportAnswer => ({
  ...{ from, to, time_zone: timeZone, currency, group_by: groupBy, metrics },
  filter: Object.fromEntries(filters.map(({ dimension, values }) => [dimension, values])),
  columns: columnsOf(groupBy, metrics),
  ...{ complete_until: completeUntil.toISOString(), source, source_note: sourceNote, row_count: rowCount, rows, totals },
  ...{ totals_by_currency: totalsByCurrency, payer_changes: payerChanges },
});

/** Why a report is not answered, as a problem. */
export const refusalOf = (refusal: ReportRefusal): Refused => {
  switch (refusal.why) {
    case 'busy':
      return refuse('too_many_requests', 'Another report of yours is running. Ask again when it has ended.', undefined, {
        'Retry-After': '1',
      });
    case 'timeout':
      return refuse('unavailable', 'The report took too long. Choose fewer days or fewer dimensions.');
    case 'faults':
      return refuse('invalid_request', CANNOT_ANSWER, refusal.faults);
  }
};

export const CANNOT_ANSWER = 'The report cannot be answered.';
