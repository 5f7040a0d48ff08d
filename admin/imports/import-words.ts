import type { ImportWire } from '../../src/imports/import-api.ts';
import { t } from '../words/texts.ts';

export type ImportSource = ImportWire['source'];
export type NoteLevel = ImportWire['notes'][number]['level'];

export interface SourceWords {
  readonly title: string;
  /** What is brought over. */
  readonly text: string;
  /** Of the place to drop a file on. */
  readonly what: string;
  readonly files: string;
  readonly types: string;
  /** What a fault is at. */
  readonly place: string;
}

export const SOURCES: Readonly<Record<ImportSource, SourceWords>> = {
  revive: {
    title: 'Revive Adserver',
    text: t`Zones, advertisers, campaigns, banners with their pictures and delivery rules, and what was delivered by day. Pages keep their tags.`,
    what: t`a dump of the database`,
    files: t`.sql or .sql.gz, of Revive 5 or 6`,
    types: '.sql,.gz',
    place: t`Record`,
  },
  spreadsheet: {
    title: t`Spreadsheet`,
    text: t`Campaigns, line items and creatives, one a row. Columns are found by their names, in any order.`,
    what: t`a spreadsheet`,
    files: '.xlsx, .csv',
    types: '.xlsx,.csv',
    place: t`Cell`,
  },
  ad_manager: {
    title: 'Google Ad Manager',
    text: t`Orders and line items with dates, prices and goals, of a report or of its API.`,
    what: t`a report`,
    files: t`.csv of a report, or .json of the API`,
    types: '.csv,.json',
    place: t`Cell`,
  },
};
export const SOURCE_NAMES: readonly ImportSource[] = ['revive', 'spreadsheet', 'ad_manager'];

/** Kinds of notes, the most serious first. */
export const NOTE_LEVELS: readonly NoteLevel[] = ['left_out', 'paused', 'changed'];
export const LEVELS: Readonly<Record<NoteLevel, { readonly title: string; readonly text: string; readonly tone: string }>> = {
  left_out: { title: t`Left out`, text: t`They have no equal here, and are not booked.`, tone: 'bad' },
  paused: {
    title: t`Not active`,
    text: t`They would be delivered otherwise than before. They are booked, and serve when you activate them.`,
    tone: 'warn',
  },
  changed: { title: t`With a difference`, text: t`They are booked, and this much is different.`, tone: 'calm' },
};
