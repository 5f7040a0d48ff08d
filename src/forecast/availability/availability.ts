import type { BaseFigures } from '../base-figures.ts';

/** What availability can be told by. */
export const AVAILABILITY_GROUPS = ['placement', 'country', 'size', 'targeting'] as const;
export type AvailabilityGroup = (typeof AVAILABILITY_GROUPS)[number];

/** The part of the traffic that is asked about; undefined: all of it. */
export interface AvailabilityFilter {
  readonly placement?: string | undefined;
  readonly country?: string | undefined;
  /** Such as 300x250. */
  readonly size?: string | undefined;
  /** The id of a shared targeting. */
  readonly targeting?: number | undefined;
}

export interface AvailabilityQuestion extends AvailabilityFilter {
  readonly publisherId: number;
  readonly nowMs: number;
  /** null: as a whole, with the bookings behind it. */
  readonly by: AvailabilityGroup | null;
}

/** A part of the traffic, with what of it is sold, by the days of the forecast. */
export interface AvailabilityCut {
  /** The placement, country, size or targeting; '': a country that is not known, or the whole. */
  readonly key: string;
  readonly available: readonly number[];
  readonly sold: readonly number[];
  /** Impressions by line item, of the whole. */
  readonly bookings: ReadonlyMap<number, readonly number[]>;
}

export interface Availability {
  readonly days: readonly string[];
  readonly cuts: readonly AvailabilityCut[];
}

/** Only the replay of all bookings is needed to answer: the sample is not. */
export const isOfPlacements = ({ by, country, size, targeting }: AvailabilityQuestion): boolean =>
  (by === 'placement' || by === null) && country === undefined && size === undefined && targeting === undefined;

/** Of placements as a whole. */
export const availabilityOf = (
  { days, placements = {}, bookings = {} }: BaseFigures,
  by: 'placement' | null,
  placement?: string,
): Availability => {
  const named = Object.entries(placements).filter(([name]) => placement === undefined || name === placement);
  if (by === 'placement')
    return { days, cuts: named.map(([key, { available, sold }]) => ({ key, available, sold, bookings: new Map<number, number[]>() })) };
  const sums = new Map<number, number[]>();
  for (const [name] of named) {
    for (const [id, counts] of Object.entries(bookings[name] ?? {})) {
      const sum = sums.get(Number(id)) ?? days.map(() => 0);
      sums.set(
        Number(id),
        sum.map((count, i) => count + (counts[i] ?? 0)),
      );
    }
  }
  const total = (of: 'available' | 'sold'): number[] =>
    days.map((_, i) => named.reduce((sum, [, figures]) => sum + (figures[of][i] ?? 0), 0));
  return { days, cuts: [{ key: '', available: total('available'), sold: total('sold'), bookings: sums }] };
};
