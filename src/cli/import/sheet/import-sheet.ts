import { parse } from 'yaml';
import { CliFault } from '../../cli-fault.ts';
import { createNotes, type Declared, type Imported } from '../imported.ts';
import { cellName, type Rows } from './read-sheet.ts';
import { isEmpty, readCell } from './sheet-cells.ts';
import { columnNamed, SHEET_COLUMNS, type SheetColumn } from './sheet-columns.ts';

export interface SheetOptions {
  readonly name: string;
  readonly rows: Rows;
  /** The bookings of the publisher, as `ads pull` writes them: the sheet adds to them. */
  readonly pulled: string;
  /** What keys begin with. */
  readonly prefix: string;
}

/** Faults that are said; more say no more. */
const MAX_FAULTS = 50;

interface Line {
  readonly row: number;
  readonly values: Readonly<Record<SheetColumn['of'], Declared>>;
}

/**
 * A spreadsheet as bookings: a row is a creative of a line item of a campaign.
 *
 * @throws CliFault with each fault at its cell
 */
export const importSheet = ({ name, rows, pulled, prefix }: SheetOptions): Imported => {
  const notes = createNotes();
  const faults: string[] = [];
  const lines = readLines(rows, faults, (column, heading) =>
    notes.add(
      'left_out',
      { kind: 'column', id: cellName(column, 0), name: heading },
      'is not known: see the template for the columns that are',
    ),
  );
  const campaigns = campaignsOf(lines, prefix, faults);
  if (faults.length > 0)
    throw new CliFault([`${name} cannot be imported, and nothing was changed:`, ...faults.slice(0, MAX_FAULTS)].join('\n'));
  const { publisher } = parse(pulled) as { readonly publisher: Declared };
  const advertisers = new Map(
    lines.flatMap(({ values }) =>
      values.campaign['advertiser'] === undefined ? [] : [[keyIn(prefix, values.campaign['advertiser']), values.campaign['advertiser']]],
    ),
  );
  return {
    source: `the spreadsheet ${name}`,
    bookings: {
      ...{ publisher, placements: [], campaigns },
      advertisers: [...advertisers].map(([key, words]) => ({ key, name: words })),
    },
    files: new Map(),
    notes: notes.all(),
  };
};

const readLines = (rows: Rows, faults: string[], unknown: (column: number, heading: string) => void): readonly Line[] => {
  const [headings = [], ...body] = rows;
  const columns = headings.map((heading) => (isEmpty(heading) ? undefined : columnNamed(String(heading))));
  for (const [i, heading] of headings.entries()) {
    if (!isEmpty(heading) && !columns[i]) unknown(i, String(heading));
    const first = columns.indexOf(columns[i]);
    if (columns[i] && first < i) faults.push(`${cellName(i, 0)}: names the same column as ${cellName(first, 0)}`);
  }
  for (const column of SHEET_COLUMNS)
    if (column.isRequired && !columns.includes(column)) faults.push(`1: has no column ${column.names[0]}`);
  if (faults.length > 0) return [];
  return body.flatMap((cells, i): readonly Line[] => {
    if (cells.every(isEmpty)) return [];
    const row = i + 1;
    const values: Record<SheetColumn['of'], Record<string, unknown>> = { campaign: {}, line_item: {}, creative: {} };
    for (const [at, column] of columns.entries()) {
      if (!column) continue;
      const cell = cells[at] ?? null;
      if (isEmpty(cell)) {
        if (column.isRequired) faults.push(`${cellName(at, row)}: is empty: ${column.names[0]} is required`);
        continue;
      }
      const read = readCell(column, cell);
      if ('fault' in read) faults.push(`${cellName(at, row)}: ${read.fault}`);
      else values[column.of][column.field] = read.value;
    }
    return [{ row, values }];
  });
};

/** A key of a name: the same name is the same record. */
const keyIn = (prefix: string, ...names: readonly unknown[]): string =>
  [prefix, ...names.map((name) => slug(String(name)))].join(':').slice(0, 128);
const slug = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '') || '-';

const campaignsOf = (lines: readonly Line[], prefix: string, faults: string[]): readonly Declared[] => {
  const campaigns = new Map<string, { first: Line; items: Map<string, { first: Line; creatives: Declared[] }> }>();
  for (const line of lines) {
    const { row, values } = line;
    const key = keyIn(prefix, values.campaign['name']);
    const campaign = campaigns.get(key) ?? { first: line, items: new Map<string, { first: Line; creatives: Declared[] }>() };
    campaigns.set(key, campaign);
    agree(campaign.first, line, 'campaign', faults);
    const itemKey = keyIn(prefix, values.campaign['name'], values.line_item['name']);
    const item = campaign.items.get(itemKey) ?? { first: line, creatives: [] };
    if (campaign.items.has(itemKey)) {
      agree(item.first, line, 'line_item', faults);
      if (Object.keys(values.creative).length === 0) faults.push(`${row + 1}: is the line item of row ${item.first.row + 1} again`);
    }
    campaign.items.set(itemKey, item);
    const creative = creativeOf(line, `${itemKey}:${item.creatives.length + 1}`, faults);
    if (creative) item.creatives.push(creative);
  }
  return [...campaigns].map(([key, { first, items }]) => {
    const dates = [...items.values()].map(
      ({ first: { values } }) => [String(values.line_item['start_date']), String(values.line_item['end_date'])] as const,
    );
    const { advertiser, ...fields } = first.values.campaign;
    return {
      ...{ key, ...fields, ...(advertiser !== undefined && { advertiser: keyIn(prefix, advertiser) }) },
      start_date: dates.map(([start]) => start).sort()[0],
      end_date: dates
        .map(([, end]) => end)
        .sort()
        .at(-1),
      line_items: [...items].map(([itemKey, item]) => ({ key: itemKey, ...lineItemOf(item.first, faults), creatives: item.creatives })),
    };
  });
};

/** Rows of one record say the same of it. */
const agree = (first: Line, line: Line, of: 'campaign' | 'line_item', faults: string[]): void => {
  for (const [field, value] of Object.entries(line.values[of])) {
    const before = first.values[of][field];
    if (JSON.stringify(before) !== JSON.stringify(value))
      faults.push(
        `${line.row + 1}: ${field.replaceAll('_', ' ')} of ${of.replace('_', ' ')} ${String(line.values[of]['name'])} is another one in row ${first.row + 1}`,
      );
  }
};

const BUDGET_TYPES = ['CPM', 'VCPM', 'CPC', 'CPCV', 'Flat'];

const lineItemOf = ({ row, values }: Line, faults: string[]): Declared => {
  const { price, budget_type: given = 'CPM', countries, devices, active = false, ...fields } = values.line_item;
  const type = BUDGET_TYPES.find((one) => one.toLowerCase() === String(given).toLowerCase());
  if (type === undefined) faults.push(`${row + 1}: budget type must be one of ${BUDGET_TYPES.join(', ')}`);
  if (price === undefined && type !== 'Flat') faults.push(`${row + 1}: has no price`);
  const field = type === 'CPC' ? 'cpc' : type === 'CPCV' ? 'cpcv' : type === 'Flat' ? 'budget' : 'cpm';
  const targeting = { ...(countries !== undefined && { countries }), ...(devices !== undefined && { devices }) };
  return {
    ...fields,
    ...{ active, budget_type: type },
    ...(price !== undefined && { [field]: price }),
    ...(Object.keys(targeting).length > 0 && { targeting }),
  };
};

const creativeOf = ({ row, values }: Line, key: string, faults: string[]): Declared | undefined => {
  const { image, html, ...fields } = values.creative;
  if (image === undefined && html === undefined) {
    const more = Object.keys(fields).filter((field) => field !== 'placements');
    if (more.length > 0) faults.push(`${row + 1}: a creative has an image or html`);
    return undefined;
  }
  if (image !== undefined && html !== undefined) faults.push(`${row + 1}: a creative has an image or html, and not both`);
  if (fields['placements'] === undefined) faults.push(`${row + 1}: a creative has placements`);
  return {
    key,
    ...fields,
    ...(image === undefined ? { format: 'html', content: html } : { format: 'banner', content: JSON.stringify({ image }) }),
  };
};
