import type { Answered } from '../api/api.ts';

export type AvailabilityRow = Answered<'GET', '/availability'>[number];

/** How the days are gathered. */
export const SPANS = ['weeks', 'days'] as const;
export type Span = (typeof SPANS)[number];

/** Days that are shown together, the first and the last. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** What a placement has in a period, in impressions. */
export interface AvailabilityCell extends Period {
  readonly available: number;
  readonly sold: number;
  readonly free: number;
}

export interface AvailabilityLine {
  /** undefined: all that are shown. */
  readonly placement: string | undefined;
  readonly cells: readonly AvailabilityCell[];
}

export interface AvailabilityGrid {
  readonly periods: readonly Period[];
  readonly lines: readonly AvailabilityLine[];
}

const DAYS_A_WEEK = 7;

/** Placements by periods, those with most sold first, below their sum. @param isShown whether a placement is among them */
export const availabilityGrid = (
  rows: readonly AvailabilityRow[],
  span: Span,
  isShown: (placement: string) => boolean,
): AvailabilityGrid => {
  const days = [...new Set(rows.map(({ day }) => day))].sort();
  const step = span === 'weeks' ? DAYS_A_WEEK : 1;
  // What is left of a week at the end is part of the one before.
  const count = Math.max(Math.floor(days.length / step), Math.min(days.length, 1));
  const periods = Array.from({ length: count }, (_, i) => ({
    from: days[i * step]!,
    to: (i === count - 1 ? days.at(-1) : days[(i + 1) * step - 1])!,
  }));
  const byPlacement = new Map<string, AvailabilityRow[]>();
  for (const row of rows) if (isShown(row.placement)) byPlacement.set(row.placement, [...(byPlacement.get(row.placement) ?? []), row]);
  const cellsOf = (some: readonly AvailabilityRow[]): readonly AvailabilityCell[] =>
    periods.map(({ from, to }) => {
      const within = some.filter(({ day }) => day >= from && day <= to);
      const sum = (of: 'available' | 'sold' | 'free'): number => within.reduce((all, row) => all + row[of], 0);
      return { from, to, available: sum('available'), sold: sum('sold'), free: sum('free') };
    });
  const lines = [...byPlacement].map(([placement, some]) => ({ placement, cells: cellsOf(some) }));
  const all = { placement: undefined, cells: cellsOf([...byPlacement.values()].flat()) };
  const sorted = lines.sort((a, b) => soldShare(b.cells) - soldShare(a.cells) || a.placement.localeCompare(b.placement));
  return { periods, lines: lines.length > 1 ? [all, ...sorted] : sorted };
};

/** 0 to 1; 0 where there is nothing to sell. */
export const shareSold = ({ available, sold }: Pick<AvailabilityCell, 'available' | 'sold'>): number =>
  available > 0 ? Math.min(sold / available, 1) : 0;

const soldShare = (cells: readonly AvailabilityCell[]): number =>
  shareSold(cells.reduce((all, { available, sold }) => ({ available: all.available + available, sold: all.sold + sold }), NONE));
const NONE = { available: 0, sold: 0 };

/** The grid as a file, one row a cell. */
export const availabilityCsv = ({ lines }: AvailabilityGrid): string =>
  [
    'placement,from,to,available,sold,free',
    ...lines.flatMap(({ placement, cells }) =>
      placement === undefined
        ? []
        : cells.map(({ from, to, available, sold, free }) => [quoted(placement), from, to, available, sold, free].join(',')),
    ),
  ].join('\r\n');

/** RFC 4180; a spreadsheet would run what begins like a formula. */
const quoted = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
