import type { ReportAnswer } from '../../src/reports/report-api.ts';

/** Whether the last day of a report has not ended, in its time zone. */
export const endsToday = ({ to, time_zone: timeZone }: Pick<ReportAnswer, 'to' | 'time_zone'>, atMs = Date.now()): boolean =>
  new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(atMs) === to;
