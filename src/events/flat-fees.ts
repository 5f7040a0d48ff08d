import { dateOfDay, dayOf, MS_PER_DAY } from '../base/utc-day.ts';

/** The fee of a Flat line item and the flight that it is for: epoch ms, the end exclusive. */
export interface FlatFee {
  readonly campaignId: number;
  readonly lineItemId: number;
  readonly lineItem: string;
  readonly feeMicros: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** What a row of a report has for it. */
interface EarningRow {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly lineItemId: number;
  readonly creativeId: number | null;
  readonly impressions: number;
  readonly spendMicros: number;
}

/**
 * Adds to the rows of a report what each line item earns by its fee in the days `from` to `to`
 * (YYYY-MM-DD, both included). A fee is earned evenly over its flight, whether or not ads are
 * delivered; a day that is only partly in the flight earns its part. The days of a whole flight sum
 * to the fee, to the micro.
 *
 * The creatives of a day share its part by their impressions, so they have the same eCPM. A day
 * without rows gets one: `emptyRow`.
 *
 * @returns rows ordered by day, line item and creative
 */
export const addFlatFees = <Row extends EarningRow>(
  rows: readonly Row[],
  fees: readonly FlatFee[],
  { from, to }: { readonly from: string; readonly to: string },
  emptyRow: (date: string, fee: FlatFee) => Row,
): readonly Row[] => {
  if (fees.length === 0) return rows;
  const earning = new Map<string, Row[]>();
  const keyOf = (date: string, lineItemId: number): string => `${date} ${lineItemId}`;
  const feeIds = new Set(fees.map(({ lineItemId }) => lineItemId));
  for (const row of rows) {
    if (!feeIds.has(row.lineItemId)) continue;
    const key = keyOf(row.date, row.lineItemId);
    earning.set(key, [...(earning.get(key) ?? []), row]);
  }
  const earned = fees.flatMap((fee) => {
    const [first, last] = [Math.max(dayOf(Date.parse(from)), dayOf(fee.startMs)), Math.min(dayOf(Date.parse(to)), dayOf(fee.endMs - 1))];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
      const date = dateOfDay(first + i);
      const key = keyOf(date, fee.lineItemId);
      const ofDay = earning.get(key) ?? [emptyRow(date, fee)];
      earning.delete(key);
      return shareOut(earnedOn(first + i, fee), ofDay);
    }).flat();
  });
  const others = rows.filter((row) => !feeIds.has(row.lineItemId));
  return [...others, ...[...earning.values()].flat(), ...earned].sort(byDay);
};

/** What a fee earns on one day, in whole micros. */
const earnedOn = (day: number, { feeMicros, startMs, endMs }: FlatFee): number => {
  const passed = (atMs: number): number => Math.min(Math.max(atMs, startMs), endMs) - startMs;
  return partOf(feeMicros, passed(day * MS_PER_DAY), passed((day + 1) * MS_PER_DAY), endMs - startMs);
};

const shareOut = <Row extends EarningRow>(micros: number, rows: readonly Row[]): readonly Row[] => {
  const impressions = rows.reduce((sum, row) => sum + row.impressions, 0);
  let before = 0;
  return rows.map((row, i) => {
    // Without impressions the first row gets all of it.
    const [weight, whole] = impressions > 0 ? [row.impressions, impressions] : [i === 0 ? 1 : 0, 1];
    const part = partOf(micros, before, before + weight, whole);
    before += weight;
    return { ...row, spendMicros: row.spendMicros + part };
  });
};

/**
 * The part of an amount that lies between two points of a whole, in whole units. Parts that follow
 * one another sum to the amount exactly, because each point is rounded once. The products exceed
 * 2^53.
 */
const partOf = (amount: number, from: number, to: number, whole: number): number => {
  const upTo = (point: number): bigint => (BigInt(amount) * BigInt(point)) / BigInt(whole);
  return Number(upTo(to) - upTo(from));
};

const byDay = (a: EarningRow, b: EarningRow): number =>
  a.date < b.date ? -1 : a.date > b.date ? 1 : a.lineItemId - b.lineItemId || (a.creativeId ?? 0) - (b.creativeId ?? 0);
