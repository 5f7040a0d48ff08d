import { ImportFault, type SourceFault } from '../import-fault.ts';
import { createNotes, placeName, type Declared, type Imported, type Cells, type ImportedHead } from '../imported.ts';
import { cellName, rowName, type Rows } from './read-sheet.ts';
import { isEmpty, readCell } from './sheet-cells.ts';
import { columnNamed, SHEET_COLUMNS, type SheetColumn } from './sheet-columns.ts';

export interface SheetOptions {
  readonly name: string;
  readonly rows: Rows;
  /** Of the publisher whose bookings the sheet adds to. */
  readonly head: ImportedHead;
  /** What keys begin with. */
  readonly prefix: string;
}

interface Line {
  readonly row: number;
  readonly values: Readonly<Record<SheetColumn['of'], Declared>>;
  /** Cells of the values, by their fields. */
  readonly cells: Readonly<Record<SheetColumn['of'], Readonly<Record<string, string>>>>;
}

/**
 * A spreadsheet as bookings: a row is a creative of a line item of a campaign.
 *
 * @throws ImportFault with each fault at its cell
 */
export const importSheet = ({ name, rows, head, prefix }: SheetOptions): Imported => {
  const notes = createNotes();
  const faults: SourceFault[] = [];
  const lines = readLines(rows, faults, (column, heading) =>
    notes.add(
      'left_out',
      { kind: 'column', id: cellName(column, 0), name: heading },
      'is not known: see the template for the columns that are',
    ),
  );
  const places = new Map<string, Cells>();
  const campaigns = campaignsOf(lines, prefix, faults, places);
  if (faults.length > 0) throw new ImportFault(`${name} cannot be imported, and nothing was changed`, faults);
  const advertisers = new Map(
    lines.flatMap(({ values }) =>
      values.campaign['advertiser'] === undefined ? [] : [[keyIn(prefix, values.campaign['advertiser']), values.campaign['advertiser']]],
    ),
  );
  return {
    source: `the spreadsheet ${name}`,
    bookings: {
      ...head,
      ...{ placements: [], campaigns },
      advertisers: [...advertisers].map(([key, words]) => ({ key, name: words })),
    },
    files: new Map(),
    notes: notes.all(),
    places,
  };
};

const readLines = (rows: Rows, faults: SourceFault[], unknown: (column: number, heading: string) => void): readonly Line[] => {
  const [headings = [], ...body] = rows;
  const columns = headings.map((heading) => (isEmpty(heading) ? undefined : columnNamed(String(heading))));
  for (const [i, heading] of headings.entries()) {
    if (!isEmpty(heading) && !columns[i]) unknown(i, String(heading));
    const first = columns.indexOf(columns[i]);
    if (columns[i] && first < i) faults.push({ place: cellName(i, 0), detail: `names the same column as ${cellName(first, 0)}` });
  }
  for (const column of SHEET_COLUMNS)
    if (column.isRequired && !columns.includes(column)) faults.push({ place: rowName(0), detail: `has no column ${column.names[0]}` });
  if (faults.length > 0) return [];
  return body.flatMap((cells, i): readonly Line[] => {
    if (cells.every(isEmpty)) return [];
    const row = i + 1;
    const values: Record<SheetColumn['of'], Record<string, unknown>> = { campaign: {}, line_item: {}, creative: {} };
    const places: Record<SheetColumn['of'], Record<string, string>> = { campaign: {}, line_item: {}, creative: {} };
    for (const [at, column] of columns.entries()) {
      if (!column) continue;
      const cell = cells[at] ?? null;
      if (isEmpty(cell)) {
        if (column.isRequired) faults.push({ place: cellName(at, row), detail: `is empty: ${column.names[0]} is required` });
        continue;
      }
      const read = readCell(column, cell);
      places[column.of][column.field] = cellName(at, row);
      if ('fault' in read) faults.push({ place: cellName(at, row), detail: read.fault });
      else values[column.of][column.field] = read.value;
    }
    return [{ row, values, cells: places }];
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

const campaignsOf = (lines: readonly Line[], prefix: string, faults: SourceFault[], places: Map<string, Cells>): readonly Declared[] => {
  const campaigns = new Map<string, { first: Line; items: Map<string, { first: Line; creatives: Declared[] }> }>();
  const note = (kind: SheetColumn['of'], key: string, { row, cells }: Line): void => {
    const name = placeName(kind, key);
    if (!places.has(name)) places.set(name, { '': rowName(row), ...cells[kind], ...priceCells(kind, cells[kind]) });
  };
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
      if (Object.keys(values.creative).length === 0)
        faults.push({ place: rowName(row), detail: `is the line item of ${rowName(item.first.row)} again` });
    }
    campaign.items.set(itemKey, item);
    const creativeKey = `${itemKey}:${item.creatives.length + 1}`;
    const creative = creativeOf(line, creativeKey, faults);
    if (creative) item.creatives.push(creative);
    note('campaign', key, line);
    note('line_item', itemKey, line);
    note('creative', creativeKey, line);
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
const agree = (first: Line, line: Line, of: 'campaign' | 'line_item', faults: SourceFault[]): void => {
  for (const [field, value] of Object.entries(line.values[of])) {
    const before = first.values[of][field];
    // A cell that could not be read has its fault already.
    if (before === undefined && first.cells[of][field] !== undefined) continue;
    if (JSON.stringify(before) !== JSON.stringify(value))
      faults.push({
        place: line.cells[of][field] ?? rowName(line.row),
        detail: `${field.replaceAll('_', ' ')} of ${of.replace('_', ' ')} ${String(line.values[of]['name'])} is another one in ${rowName(first.row)}`,
      });
  }
};

/** A price becomes one of several fields. */
const priceCells = (
  kind: SheetColumn['of'],
  { price, image, html }: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const fields = kind === 'line_item' ? ['cpm', 'cpc', 'cpcv', 'budget'] : kind === 'creative' ? ['content', 'format'] : [];
  const cell = kind === 'creative' ? (image ?? html) : price;
  return cell === undefined ? {} : Object.fromEntries(fields.map((field) => [field, cell]));
};

const BUDGET_TYPES = ['CPM', 'VCPM', 'CPC', 'CPCV', 'Flat'];

const lineItemOf = ({ row, values, cells }: Line, faults: SourceFault[]): Declared => {
  const { price, budget_type: given = 'CPM', countries, devices, active = false, ...fields } = values.line_item;
  const type = BUDGET_TYPES.find((one) => one.toLowerCase() === String(given).toLowerCase());
  if (type === undefined)
    faults.push({ place: cells.line_item['budget_type'] ?? rowName(row), detail: `budget type must be one of ${BUDGET_TYPES.join(', ')}` });
  if (price === undefined && type !== 'Flat') faults.push({ place: rowName(row), detail: 'has no price' });
  const { start_date: start, end_date: end } = fields;
  if (typeof start === 'string' && typeof end === 'string' && end < start)
    faults.push({ place: cells.line_item['end_date'] ?? rowName(row), detail: 'is before the start' });
  const field = type === 'CPC' ? 'cpc' : type === 'CPCV' ? 'cpcv' : type === 'Flat' ? 'budget' : 'cpm';
  const targeting = { ...(countries !== undefined && { countries }), ...(devices !== undefined && { devices }) };
  return {
    ...fields,
    ...{ active, budget_type: type },
    ...(price !== undefined && { [field]: price }),
    ...(Object.keys(targeting).length > 0 && { targeting }),
  };
};

const creativeOf = ({ row, values }: Line, key: string, faults: SourceFault[]): Declared | undefined => {
  const { image, html, ...fields } = values.creative;
  if (image === undefined && html === undefined) {
    const more = Object.keys(fields).filter((field) => field !== 'placements');
    if (more.length > 0) faults.push({ place: rowName(row), detail: 'a creative has an image or html' });
    return undefined;
  }
  if (image !== undefined && html !== undefined)
    faults.push({ place: rowName(row), detail: 'a creative has an image or html, and not both' });
  if (fields['placements'] === undefined) faults.push({ place: rowName(row), detail: 'a creative has placements' });
  return {
    key,
    ...fields,
    ...(image === undefined ? { format: 'html', content: html } : { format: 'banner', content: JSON.stringify({ image }) }),
  };
};
