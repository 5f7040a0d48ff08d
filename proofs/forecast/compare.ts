import type { Prediction } from '../../src/forecast/replay/predict.ts';
import type { ReplayResult } from '../../src/forecast/replay/run-replay.ts';
import { FORECAST_DAYS, type BackTest } from './back-test.ts';
import { RULES, type Blindness } from './blindness.ts';

/** Line items that deliver less than this are not compared: of few impressions the error is chance. */
const MIN_COMPARED = 100;
/** A rule is seen when the error without it is so many times that with it. */
const SEEN_TIMES = 1.2;

export interface Comparison {
  readonly compared: number;
  readonly median: number;
  readonly ninetieth: number;
  /** The part of line items within P10 to P90. */
  readonly held: number;
  readonly impossible: string;
  readonly lines: readonly string[];
  readonly meanError: number;
  /** How far the impressions that pages asked for were off. */
  readonly available: number;
  /** How far the forecast says that they may be off: a standard deviation, in the middle of its days. */
  readonly spread: number;
  displacedBy(without: Comparison): { readonly named: readonly number[]; readonly fellShort: number };
  readonly predicted: ReadonlyMap<number, number>;
}

const total = (counts: ReadonlyMap<unknown, number> = new Map()): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

const deliveredOf = ({ delivered, firstDay }: BackTest, id: number): number =>
  [...(delivered.get(id) ?? [])].reduce((sum, [day, count]) => (day >= firstDay ? sum + count : sum), 0);

/** Of the line items that are compared; none is off by more than twice what it delivers. */
const meanErrorOf = (test: BackTest, expected: (id: number) => number): number => {
  const errors = test.catalog.rows.line_items
    .map((row) => ({ is: deliveredOf(test, Number(row['id'])), said: expected(Number(row['id'])) }))
    .filter(({ is, said }) => Math.max(is, said) >= MIN_COMPARED)
    .map(({ is, said }) => Math.min(Math.abs(said - is) / Math.max(is, 1), 2));
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
};

/** How far the impressions that pages were to ask for are off. */
const trafficErrorOf = ({ asked }: BackTest, { opportunities }: Pick<ReplayResult, 'opportunities'>): number =>
  Math.abs(opportunities / total(asked) - 1);

/** What was forecast against what was played. */
export const comparisonOf = (test: BackTest, { lineItems, coming, middle }: Prediction): Comparison => {
  const { delivered, catalog } = test;
  const actualOf = (id: number): number => deliveredOf(test, id);
  const ids = [...new Set([...delivered.keys(), ...lineItems.keys()])];
  const rows = ids
    .map((id) => ({ id, actual: actualOf(id), range: lineItems.get(id) ?? { p10: 0, p50: 0, p90: 0 } }))
    .filter(({ actual, range }) => Math.max(actual, range.p50) >= MIN_COMPARED)
    .map((row) => ({ ...row, error: Math.abs(row.range.p50 - row.actual) / Math.max(row.actual, 1) }));
  const errors = rows.map(({ error }) => error).sort((a, b) => a - b);
  const at = (part: number): number => errors[Math.min(Math.floor(part * errors.length), errors.length - 1)] ?? 0;
  const held = rows.filter(({ actual, range }) => actual >= range.p10 && actual <= range.p90).length / rows.length;
  const worst = [...rows].sort((a, b) => b.error - a.error).slice(0, 8);
  const goalOf = (id: number): number => Number(catalog.rows.line_items.find((row) => row['id'] === id)?.['goal_impressions'] ?? 0);
  const impossible = lineItems.get(catalog.impossibleId);
  return {
    compared: rows.length,
    ...{ median: at(0.5), ninetieth: at(0.9), held },
    meanError: meanErrorOf(test, (id) => lineItems.get(id)?.p50 ?? 0),
    available: trafficErrorOf(test, middle),
    spread: coming.plan.spread(FORECAST_DAYS / 2),
    impossible: (impossible?.p90 ?? 0) < goalOf(catalog.impossibleId) * 0.9 ? 'called so' : 'not seen',
    predicted: new Map([...lineItems].map(([id, { p50 }]) => [id, p50])),
    lines: [
      `spread of traffic ${(100 * coming.plan.spread(FORECAST_DAYS / 2)).toFixed(1)} %, weekly growth ${(100 * coming.plan.weeklyGrowth).toFixed(2)} %`,
      ...worst.map(({ id, actual, range }) => {
        const row = catalog.rows.line_items.find((one) => one['id'] === id);
        return `line item ${id} (${String(row?.['pacing'])}, priority ${String(row?.['priority'])}): ${actual} delivered, ${range.p10} to ${range.p90} forecast, ${range.p50} in the middle`;
      }),
    ],
    displacedBy: (without) => {
      const named = ids
        .map((id) => ({ id, before: without.predicted.get(id) ?? 0, now: lineItems.get(id)?.p50 ?? 0 }))
        .filter(({ id, before, now }) => id !== catalog.draftId && before - now > Math.max(0.1 * before, 4 * Math.sqrt(before)))
        .sort((a, b) => b.before - b.now - (a.before - a.now));
      return { named: named.map(({ id }) => id), fellShort: named.filter(({ id, before }) => actualOf(id) < before * 0.97).length };
    },
  };
};

/** Where a rule shows: how far a forecast without it is off there, and one with it. */
const errorsOf = async (
  test: BackTest,
  whole: Comparison,
  rule: Blindness,
): Promise<readonly [without: number, known: number, of: string]> => {
  // An evening changes little of what is delivered in two weeks.
  if (rule === 'event') return [await test.eventError(rule), await test.eventError(), 'in requests for its placements on its day'];
  const blind = await test.middleWithout(rule);
  // More traffic is more for those who take what is left: with a goal or a cap it changes nothing.
  if (rule === 'trend') return [trafficErrorOf(test, blind), whole.available, 'in requests'];
  return [meanErrorOf(test, (id) => total(blind.lineItems.get(id)?.impressions)), whole.meanError, 'in the mean'];
};

/** The forecast without each of the rules: whether the comparison sees that it is missing. */
export const ruleRuns = async (test: BackTest, whole: Comparison) => {
  const runs: { readonly rule: Blindness; readonly words: string; readonly isSeen: boolean }[] = [];
  for (const rule of RULES) {
    const [error, before, of] = await errorsOf(test, whole, rule);
    runs.push({ rule, isSeen: error > SEEN_TIMES * before, words: `off by ${percent(error)} ${of}, against ${percent(before)}` });
  }
  return runs;
};

export const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
