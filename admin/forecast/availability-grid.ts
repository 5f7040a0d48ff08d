import { groupBy } from '../../src/base/group-by.ts';
import type { Answered } from '../api/api.ts';
import { csvLine } from '../words/csv-line.ts';

export type AvailabilityRow = Answered<'GET', '/availability'>[number];

/** How the days are gathered. */
export const SPANS = ['weeks', 'days'] as const;
export type Span = (typeof SPANS)[number];

/** What lines are of. */
export const GROUPS = ['placement', 'country', 'size', 'targeting'] as const;
export type Group = (typeof GROUPS)[number];

/** Days that are shown together, the first and the last. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** What a line has in a period, in impressions. */
export interface AvailabilityCell extends Period {
  readonly available: number;
  readonly sold: number;
  readonly free: number;
}

export interface AvailabilityLine {
  /** The placement, country, size or targeting; '': a country that is not known; undefined: all that are shown. */
  readonly key: string | undefined;
  readonly cells: readonly AvailabilityCell[];
}

export interface AvailabilityGrid {
  readonly by: Group;
  readonly periods: readonly Period[];
  readonly lines: readonly AvailabilityLine[];
}

const DAYS_A_WEEK = 7;
/** An impression is of one of them. It may take several sizes, and meet several targetings: their lines have no sum. */
const WITH_SUM: readonly Group[] = ['placement', 'country'];

const keyOf = ({ placement, country, size, targeting_id }: AvailabilityRow, by: Group): string =>
  String({ placement, country, size, targeting: targeting_id }[by] ?? '');

/** Lines by periods, those with most sold first, below their sum. */
export const availabilityGrid = (rows: readonly AvailabilityRow[], span: Span, by: Group): AvailabilityGrid => {
  const days = [...new Set(rows.map(({ day }) => day))].sort();
  const step = span === 'weeks' ? DAYS_A_WEEK : 1;
  // What is left of a week at the end is part of the one before.
  const count = Math.max(Math.floor(days.length / step), Math.min(days.length, 1));
  const periods = Array.from({ length: count }, (_, i) => ({
    from: days[i * step]!,
    to: (i === count - 1 ? days.at(-1) : days[(i + 1) * step - 1])!,
  }));
  const cellsOf = (some: readonly AvailabilityRow[]): readonly AvailabilityCell[] =>
    periods.map(({ from, to }) => {
      const within = some.filter(({ day }) => day >= from && day <= to);
      const sum = (of: 'available' | 'sold' | 'free'): number => within.reduce((all, row) => all + row[of], 0);
      return { from, to, available: sum('available'), sold: sum('sold'), free: sum('free') };
    });
  const lines = [...groupBy(rows, (row) => keyOf(row, by))].map(([key, some]) => ({ key, cells: cellsOf(some) }));
  const all = { key: undefined, cells: cellsOf(rows) };
  const sorted = lines.sort((a, b) => soldShare(b.cells) - soldShare(a.cells) || a.key.localeCompare(b.key));
  return { by, periods, lines: lines.length > 1 && WITH_SUM.includes(by) ? [all, ...sorted] : sorted };
};

/** 0 to 1; 0 where there is nothing to sell. */
export const shareSold = ({ available, sold }: Pick<AvailabilityCell, 'available' | 'sold'>): number =>
  available > 0 ? Math.min(sold / available, 1) : 0;

const soldShare = (cells: readonly AvailabilityCell[]): number =>
  shareSold(cells.reduce((all, { available, sold }) => ({ available: all.available + available, sold: all.sold + sold }), NONE));
const NONE = { available: 0, sold: 0 };

/** The grid as a file, one row a cell. @param nameOf the words of a line */
export const availabilityCsv = ({ by, lines }: AvailabilityGrid, nameOf: (key: string) => string): string =>
  [
    `${by},from,to,available,sold,free`,
    ...lines.flatMap(({ key, cells }) =>
      key === undefined ? [] : cells.map(({ from, to, available, sold, free }) => csvLine([nameOf(key), from, to, available, sold, free])),
    ),
  ].join('\r\n');
