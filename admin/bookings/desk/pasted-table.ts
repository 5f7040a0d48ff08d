import { countryCode } from '../../parts/fields/country-field.ts';
import { newItem, type ItemPart } from './booking-draft.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Headings that a column may have, in lower case and without other signs, and what its cells say of a line item. */
const COLUMNS: readonly (readonly [names: RegExp, read: (cell: string) => Fields])[] = [
  [/^(line ?item|name|description|position)$/, (name) => ({ name })],
  [/^(placements?|slots?|where|ad ?units?)$/, (cell) => ({ placement_ids: listIn(cell) })],
  [/^(impressions?|goal|quantity|amount|imps|units)$/, (cell) => ({ goal_impressions: numberIn(cell) })],
  [/^(clicks?)$/, (cell) => ({ goal_clicks: numberIn(cell) })],
  [/^(cpm|price|rate|tkp)$/, (cell) => ({ cpm: numberIn(cell), budget_type: 'CPM' })],
  [/^(cpc)$/, (cell) => ({ cpc: numberIn(cell), budget_type: 'CPC' })],
  [/^(fee|flat|fixed price)$/, (cell) => ({ budget: numberIn(cell), budget_type: 'Flat' })],
  [/^(budget|total|net)$/, (cell) => ({ budget: numberIn(cell) })],
  [/^(start|from|begin)( date)?$/, (cell) => ({ start_date: dayIn(cell) })],
  [/^(end|to|until)( date)?$/, (cell) => ({ end_date: dayIn(cell) })],
  [/^(countr(y|ies)|geo|geography)$/, (cell) => ({ targeting: { countries: listIn(cell).map(countryCode) } })],
  [/^(devices?|platform)$/, (cell) => ({ targeting: { devices: listIn(cell).map(deviceIn) } })],
  [/^(pacing|delivery)$/, (cell) => ({ pacing: /^asap|soon|fast/i.test(cell) ? 'ASAP' : 'Even' })],
  [/^(frequency|cap|frequency cap)$/, (cell) => ({ frequency_cap: numberIn(cell), frequency_window: 86_400 })],
];

/** In this order where a table has no headings. */
const WITHOUT_HEADINGS = ['name', 'placements', 'impressions', 'cpm', 'start', 'end'];

/** The line items of a table from a spreadsheet; none when a text is no table. */
export const itemsOfTable = (text: string): readonly ItemPart[] => {
  const rows = text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('\t').map((cell) => cell.trim()));
  const [first] = rows;
  if (!first || first.length < 2) return [];
  const readers = first.map((heading) => readerOf(heading));
  const hasHeadings = readers.filter((one) => one !== undefined).length >= 2;
  const columns = hasHeadings ? readers : WITHOUT_HEADINGS.map(readerOf);
  return rows
    .slice(hasHeadings ? 1 : 0)
    .map((cells) => newItem(cells.reduce<Fields>((fields, cell, i) => merged(fields, cell, columns[i]), {})));
};

const readerOf = (heading: string) => {
  const plain = heading
    .toLowerCase()
    .replaceAll(/\(.*?\)|[^\p{L}\s]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return COLUMNS.find(([names]) => names.test(plain))?.[1];
};

const merged = (fields: Fields, cell: string, read: ((cell: string) => Fields) | undefined): Fields => {
  if (cell === '' || !read) return fields;
  const { targeting, ...more } = read(cell);
  return {
    ...fields,
    ...more,
    ...(targeting !== undefined && { targeting: { ...(fields['targeting'] as object), ...(targeting as object) } }),
  };
};

const listIn = (cell: string): readonly string[] =>
  cell
    .split(/[,;/+]| and /)
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** `$1,234.50` and `1 234,50 €`: the last sign before one or two digits is that of decimals. */
const numberIn = (cell: string): string => {
  const digits = cell.replaceAll(/[^\d.,]/g, '');
  const decimals = /[.,](\d{1,2})$/.exec(digits)?.[1];
  const whole = (decimals === undefined ? digits : digits.slice(0, -decimals.length - 1)).replaceAll(/[.,]/g, '');
  return decimals === undefined ? whole : `${whole}.${decimals}`;
};

/** ISO days, `21.12.2026` and `12/21/2026`; others as they are. */
const dayIn = (cell: string): string => {
  const [, day, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(cell) ?? [];
  const [, us = '', of = '', at] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(cell) ?? [];
  if (year !== undefined) return `${year}-${(month ?? '').padStart(2, '0')}-${(day ?? '').padStart(2, '0')}`;
  return at === undefined ? cell : `${at}-${us.padStart(2, '0')}-${of.padStart(2, '0')}`;
};

const deviceIn = (name: string): string => {
  if (/phone|mobile/i.test(name)) return 'mobile';
  return /tablet/i.test(name) ? 'tablet' : /desktop|computer|pc/i.test(name) ? 'desktop' : name;
};
