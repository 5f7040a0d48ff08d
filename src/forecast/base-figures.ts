import type { Baseline } from './asked-forecast.ts';
import { countRange, type Range } from './replay/delivery-range.ts';

/** What all bookings of a publisher are expected to deliver, as it is stored. */
export interface BaseFigures {
  /** Of the catalog. */
  readonly version: number;
  readonly days: readonly string[];
  /** By placement: impressions that pages ask for, and those that are sold, by day. */
  readonly placements: Readonly<Record<string, PlacementFigures>>;
  /** By line item and day. */
  readonly lineItems: Readonly<Record<string, { readonly [name in keyof Range]: readonly number[] }>>;
  /** By placement and line item: the impressions that it gets, by day. */
  readonly bookings: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>;
  readonly warning: string | null;
  /** That of the ranges (errors/forecast-errors.ts). */
  readonly widening: number;
}

export interface PlacementFigures {
  readonly available: readonly number[];
  /** The range of what is available, of which it is the middle. */
  readonly p10: readonly number[];
  readonly p90: readonly number[];
  readonly sold: readonly number[];
}

/** @param dateOf the date of a day, since the epoch */
export const figuresOf = (
  { version, prediction, available, sold, winnersByDay, widening }: Baseline,
  dateOf: (day: number) => string,
): BaseFigures => {
  const { coming, lineItems } = prediction;
  const days = coming.days(() => 1).map(({ day }) => day);
  const row = (of: ReadonlyMap<number, number> | undefined): readonly number[] =>
    days.map((day) => Math.round((of?.get(day) ?? 0) * coming.scale));
  return {
    version,
    days: days.map(dateOf),
    placements: Object.fromEntries(
      [...available].map(([placement, byDay]) => {
        const all = row(byDay);
        const ranges = all.map((count, ahead) =>
          countRange(count, { spread: coming.spreadOfDay(ahead), countNoise: coming.countNoise, widening }),
        );
        return [
          placement,
          { available: all, p10: ranges.map(({ p10 }) => p10), p90: ranges.map(({ p90 }) => p90), sold: row(sold.get(placement)) },
        ];
      }),
    ),
    lineItems: Object.fromEntries(
      [...lineItems].map(([id, { byDay }]) => [
        String(id),
        { p10: byDay.map(({ p10 }) => p10), p50: byDay.map(({ p50 }) => p50), p90: byDay.map(({ p90 }) => p90) },
      ]),
    ),
    bookings: Object.fromEntries(
      [...winnersByDay].map(([placement, of]) => [placement, Object.fromEntries([...of].map(([id, byDay]) => [String(id), row(byDay)]))]),
    ),
    warning: coming.plan.warning ?? null,
    widening,
  };
};
