import { FILE_PATHS, type Declared, type ImportedBookings } from './imported.ts';

/** One record of bookings, as a line of a declaration. */
export interface ImportLine {
  /** `line_item` */
  readonly kind: string;
  readonly key: string;
  /** JSON. */
  readonly text: string;
}

const TOP = [
  ['advertisers', 'advertiser'],
  ['placements', 'placement'],
  ['campaigns', 'campaign'],
] as const;
const PARTS: Readonly<Record<string, readonly [list: string, kind: string]>> = {
  campaign: ['line_items', 'line_item'],
  line_item: ['creatives', 'creative'],
};

/**
 * Bookings as lines: a record names what it is a part of.
 *
 * @param pathOf the path of a stored file, by the hash of its bytes
 */
export const linesOf = (bookings: ImportedBookings, pathOf: (sha256: string) => string): readonly ImportLine[] => {
  const lines: ImportLine[] = [];
  const add = (kind: string, record: Declared): void => {
    const [list = '', partKind = ''] = PARTS[kind] ?? [];
    const { [list]: parts = [], ...fields } = record;
    const text = JSON.stringify({ [kind]: fields }).replaceAll(FILE_PATHS, (_, sha256: string) => pathOf(sha256));
    const key = typeof record['key'] === 'string' ? record['key'] : '';
    lines.push({ kind, key, text });
    for (const part of parts as readonly Declared[]) add(partKind, { [kind]: key, ...part });
  };
  for (const [list, kind] of TOP) for (const record of bookings[list]) add(kind, record);
  return lines;
};
