import { columnsOf, type ReportColumn } from './report-fields.ts';
import type { ReportQuestion } from './report-question.ts';

export type ReportRow = Readonly<Record<string, string | number | null>>;

/** From what Postgres sends: sums as text, hours as moments. */
export const shownRow = ({ groupBy, metrics }: ReportQuestion, timeZone: string): ((row: ReportRow) => ReportRow) => {
  const columns = columnsOf(groupBy, metrics);
  const hourIn = hourWriter(timeZone);
  return (row) => Object.fromEntries(columns.map(({ name, kind }) => [name, shownValue(row[name] ?? null, kind, hourIn)]));
};

const shownValue = (value: unknown, kind: ReportColumn['kind'], hourIn: (at: Date) => string): string | number | null => {
  if (value === null) return null;
  if (kind === 'hour') return hourIn(new Date(value as string | Date));
  return kind === 'count' || kind === 'share' || kind === 'money' ? Number(value) : (value as string | number);
};

/** RFC 3339 with the offset of the zone: `2026-11-22T14:00+01:00`. Each hour is formatted once. */
const hourWriter = (timeZone: string): ((at: Date) => string) => {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
    ...{ hourCycle: 'h23', timeZoneName: 'longOffset' },
  });
  const known = new Map<number, string>();
  return (at) => {
    const before = known.get(at.getTime());
    if (before !== undefined) return before;
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const offset = (part['timeZoneName'] ?? '').replace(/^GMT(\+00:00)?/, '') || 'Z';
    const text = `${part['year']}-${part['month']}-${part['day']}T${part['hour']}:${part['minute']}${offset}`;
    known.set(at.getTime(), text);
    return text;
  };
};
