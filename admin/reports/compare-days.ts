import { percent } from '../words/formats.ts';
import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import { t } from '../words/texts.ts';

const SUMMED = ['requests', 'unfilled', 'impressions', 'viewable', 'clicks', 'revenue'] as const;
type Sums = Record<(typeof SUMMED)[number], number>;

/** A row of a report by the hour. `hour`: RFC 3339 with the offset of the report's time zone. */
export type HourRow = Readonly<Sums> & { readonly hour: string; /** Where publishers have several. */ readonly currency?: string };

/** One figure of today and of two earlier days, up to the same time of day. */
export interface DayComparison {
  readonly label: string;
  readonly unit: 'count' | 'share' | 'money';
  /** Of requests for ads, which belong to no booking. */
  readonly isOfRequests: boolean;
  /** false: a share of nothing. */
  readonly isKnown: boolean;
  readonly today: number;
  readonly yesterday: number;
  readonly lastWeek: number;
  /** By the hour: today's up to now, and all of yesterday's. */
  readonly hours: readonly number[];
  readonly hoursBefore: readonly number[];
}

const NOTHING: Sums = { requests: 0, unfilled: 0, impressions: 0, viewable: 0, clicks: 0, revenue: 0 };

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

const FIGURES: readonly {
  readonly label: string;
  readonly unit: DayComparison['unit'];
  readonly of: (sums: Sums) => number;
  readonly whole?: keyof Sums;
}[] = [
  { label: t`Requests`, unit: 'count', of: ({ requests }) => requests },
  { label: t`Fill`, unit: 'share', whole: 'requests', of: ({ requests, unfilled }) => share(requests - unfilled, requests) },
  { label: t`Impressions`, unit: 'count', of: ({ impressions }) => impressions },
  { label: t`Viewability`, unit: 'share', whole: 'impressions', of: ({ viewable, impressions }) => share(viewable, impressions) },
  { label: 'CTR', unit: 'share', whole: 'impressions', of: ({ clicks, impressions }) => share(clicks, impressions) },
  { label: t`Revenue`, unit: 'money', of: ({ revenue }) => revenue },
];

const OF_REQUESTS: readonly string[] = [t`Requests`, t`Fill`];

/**
 * Today's figures and those of yesterday and a week ago up to the same time; the current hour counts as
 * far as it has passed. Pure.
 */
export const compareDays = (rows: readonly HourRow[], timeZone: string, nowMs: number): readonly DayComparison[] => {
  const local = (atMs: number): string =>
    new Date(atMs).toLocaleString('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).replace(' ', 'T');
  const byHour = new Map<string, Sums>();
  for (const { hour, currency: _, ...sums } of rows) {
    const key = hour.slice(0, 13);
    byHour.set(key, plus(byHour.get(key) ?? NOTHING, sums, 1));
  }
  const hoursOf = (date: string, count: number): readonly Sums[] =>
    Array.from({ length: count }, (_, hour) => byHour.get(`${date}T${String(hour).padStart(2, '0')}`) ?? NOTHING);
  const [today, time] = local(nowMs).split('T') as [string, string];
  const [hourNow, minute] = time.split(':').map(Number) as [number, number];
  const until = (date: string): Sums =>
    hoursOf(date, hourNow + 1).reduce((sum, hour, i) => plus(sum, hour, i < hourNow ? 1 : minute / 60), NOTHING);
  const all = hoursOf(today, hourNow + 1);
  const before = local(nowMs - MS_PER_DAY).slice(0, 10);
  const sums = {
    today: all.reduce((sum, hour) => plus(sum, hour, 1), NOTHING),
    yesterday: until(before),
    lastWeek: until(local(nowMs - 7 * MS_PER_DAY).slice(0, 10)),
  };
  const wholeDayBefore = hoursOf(before, 24);
  return FIGURES.map(({ label, unit, of, whole }) => ({
    isKnown: whole === undefined || sums.today[whole] > 0,
    isOfRequests: OF_REQUESTS.includes(label),
    ...{ label, unit, today: of(sums.today), yesterday: of(sums.yesterday), lastWeek: of(sums.lastWeek) },
    hours: all.map(of),
    hoursBefore: wholeDayBefore.map(of),
  }));
};

/** From here on a percentage says less than that there was nearly nothing before. */
const TENFOLD = 10;

/** `▲ 12% on yesterday`, `as yesterday`, `▲ over tenfold on yesterday`, `nothing yesterday`. */
export const changeWords = (now: number, before: number, day: 'yesterday' | 'last week'): string => {
  const than = day === 'yesterday' ? t`yesterday` : t`last week`;
  if (before === 0) return t`nothing ${than}`;
  const grown = now / before - 1;
  if (Math.abs(grown) < 0.005) return t`as ${than}`;
  if (now / before > TENFOLD) return t`▲ over tenfold on ${than}`;
  return t`${grown > 0 ? '▲' : '▼'} ${percent(Math.round(Math.abs(grown) * 100) / 100)} on ${than}`;
};

const plus = (a: Sums, b: Sums, part: number): Sums => {
  const sum = { ...a };
  for (const figure of SUMMED) sum[figure] += b[figure] * part;
  return sum;
};
