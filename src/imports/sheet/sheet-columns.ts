/** A column of a spreadsheet of bookings: one row is a creative, or a line item without one. */
export interface SheetColumn {
  readonly field: string;
  /** As in the template, and other names that people give it; compared without case, spaces and signs. */
  readonly names: readonly string[];
  readonly kind: 'text' | 'texts' | 'date' | 'amount' | 'count' | 'flag' | 'url';
  readonly isRequired?: true;
  /** Where it belongs. */
  readonly of: 'campaign' | 'line_item' | 'creative';
  readonly example: string;
}

const column = (
  of: SheetColumn['of'],
  field: string,
  kind: SheetColumn['kind'],
  example: string,
  names: readonly string[],
  isRequired?: true,
): SheetColumn => ({ of, field, kind, example, names, ...(isRequired && { isRequired }) });

/** All columns, in the order of the template. */
export const SHEET_COLUMNS: readonly SheetColumn[] = [
  column('campaign', 'name', 'text', 'Spring sale', ['Campaign', 'Campaign name', 'Order', 'Order name', 'Kampagne'], true),
  column('campaign', 'advertiser', 'text', 'Boots of the North', ['Advertiser', 'Client', 'Customer', 'Kunde']),
  column('campaign', 'order_number', 'text', 'PO-1', ['Order number', 'Purchase order', 'PO number']),
  column('line_item', 'name', 'text', 'Sport readers', ['Line item', 'Line item name', 'Booking', 'Flight', 'Buchung'], true),
  column('line_item', 'start_date', 'date', '2026-03-01', ['Start', 'Start date', 'From', 'Begin', 'Beginn'], true),
  column('line_item', 'end_date', 'date', '2026-03-31', ['End', 'End date', 'To', 'Until', 'Ende'], true),
  column('line_item', 'budget_type', 'text', 'CPM', ['Budget type', 'Pricing', 'Cost type', 'Price model', 'Rate type']),
  column('line_item', 'price', 'amount', '4.50', ['Price', 'Rate', 'CPM', 'CPC', 'Preis']),
  column('line_item', 'budget', 'amount', '', ['Budget', 'Fee', 'Total', 'Amount']),
  column('line_item', 'goal_impressions', 'count', '120000', ['Impressions', 'Goal impressions', 'Booked impressions', 'Units', 'Goal']),
  column('line_item', 'goal_clicks', 'count', '', ['Clicks', 'Goal clicks', 'Booked clicks']),
  column('line_item', 'daily_impression_cap', 'count', '', ['Daily impressions', 'Daily cap', 'Impressions per day']),
  column('line_item', 'priority', 'count', '2', ['Priority', 'Prio']),
  column('line_item', 'pacing', 'text', 'Even', ['Pacing', 'Delivery']),
  column('line_item', 'frequency_cap', 'count', '3', ['Frequency cap', 'Cap', 'Frequency']),
  column('line_item', 'countries', 'texts', 'DE, AT', ['Countries', 'Country', 'Geo', 'Land']),
  column('line_item', 'devices', 'texts', '', ['Devices', 'Device']),
  column('line_item', 'active', 'flag', 'yes', ['Active', 'Live', 'Running', 'Aktiv']),
  column('creative', 'placements', 'texts', 'article-top', ['Placements', 'Placement', 'Ad unit', 'Ad units', 'Zone', 'Zones']),
  column('creative', 'name', 'text', 'Boots, red', ['Creative', 'Creative name', 'Banner', 'Ad']),
  column('creative', 'image', 'url', 'https://cdn.example/boots.png', ['Image', 'Image address', 'Image URL', 'Picture']),
  column('creative', 'html', 'text', '', ['HTML', 'Markup', 'Code', 'Tag']),
  column('creative', 'click_url', 'url', 'https://boots.example', ['Click address', 'Click URL', 'Landing page', 'Destination', 'Link']),
  column('creative', 'width', 'count', '', ['Width']),
  column('creative', 'height', 'count', '', ['Height']),
];

const plain = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const BY_NAME = new Map(SHEET_COLUMNS.flatMap((one) => one.names.map((name) => [plain(name), one] as const)));

/** The column that a heading names; undefined: none. */
export const columnNamed = (heading: string): SheetColumn | undefined => BY_NAME.get(plain(heading));

/** The headings, and a row as an example. */
export const templateRows = (): readonly [readonly string[], readonly string[]] => [
  SHEET_COLUMNS.map(({ names }) => names[0]!),
  SHEET_COLUMNS.map(({ example }) => example),
];

/** A sheet with one row to fill in, as CSV. */
export const sheetTemplate = (): string => {
  const line = (cells: readonly string[]): string =>
    cells.map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',');
  return `${templateRows().map(line).join('\n')}\n`;
};
