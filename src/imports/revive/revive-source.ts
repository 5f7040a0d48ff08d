import type { ReviveTable } from '../files/revive-tables.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Counts of a banner in a zone of one hour; `hour`: `2026-01-31 22:00:00`, UTC. */
export interface HourRow {
  readonly zone_id: number;
  readonly hour: string;
  readonly impressions: number;
  readonly clicks: number;
}

/** Where the tables of an installation of Revive are: its database, or a dump of it. */
export interface ReviveSource {
  /** The rows of a table. @throws ImportFault when it is none of Revive 5 or 6 */
  rows(table: ReviveTable): Promise<readonly Row[]>;
  /** What was counted of a banner. */
  hoursOf(bannerId: number): Promise<readonly HourRow[]>;
  /** A picture that is stored in the database. */
  picture(filename: string): Promise<Buffer | undefined>;
}
