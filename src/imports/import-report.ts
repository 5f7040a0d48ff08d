import type { Imported, Note, NoteLevel } from './imported.ts';

const TITLES: Readonly<Record<NoteLevel, string>> = {
  left_out: 'Left out',
  paused: 'Carried over, and paused: it would be delivered otherwise than before',
  changed: 'Carried over with a difference',
};
const LEVELS = Object.keys(TITLES) as NoteLevel[];

/** Records of an import, by kind. */
export const countsOf = ({ bookings }: Imported): Readonly<Record<string, number>> => {
  const { advertisers, placements, campaigns } = bookings;
  const within = (records: readonly object[], list: string): readonly object[] =>
    records.flatMap((record) => (record as Record<string, readonly object[] | undefined>)[list] ?? []);
  const items = within(campaigns, 'line_items');
  return {
    ...{ advertisers: advertisers.length, placements: placements.length, campaigns: campaigns.length },
    ...{ line_items: items.length, creatives: within(items, 'creatives').length },
  };
};

/** What was carried over, and what was not and why: as Markdown for people. */
export const reportAsMarkdown = (imported: Imported): string =>
  reportOf({ source: imported.source, counts: countsOf(imported), notes: imported.notes });

export interface ReportedImport {
  readonly source: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly notes: readonly Note[];
}

export const reportOf = ({ source, counts: records, notes: all }: ReportedImport): string => {
  const counts = Object.entries(records).map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`);
  const sections = LEVELS.flatMap((level) => {
    const notes = all.filter((note) => note.level === level);
    return notes.length === 0 ? [] : [`## ${TITLES[level]}`, tableOf(notes)];
  });
  const nothing = all.length === 0 ? ['Everything was carried over as it was.'] : [];
  return `${[`# Import of ${source}`, `In the bookings file: ${counts.join(', ')}.`, ...nothing, ...sections].join('\n\n')}\n`;
};

const tableOf = (notes: readonly Note[]): string =>
  ['| Record | Id | Name | |', '|---|---|---|---|', ...notes.map(({ kind, id, name, text }) => row([kind, id, name, text]))].join('\n');

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')).join(' | ')} |`;

/** The same for programs. */
export const reportAsJson = (imported: Imported): string =>
  `${JSON.stringify({ source: imported.source, records: countsOf(imported), notes: imported.notes }, undefined, 2)}\n`;
