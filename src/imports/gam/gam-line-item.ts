import { isObject } from '../../base/narrow.ts';
import { ImportFault, type SourceFault } from '../import-fault.ts';
import { cellName, rowName, type Rows } from '../sheet/read-sheet.ts';
import { isEmpty, readCell } from '../sheet/sheet-cells.ts';
import type { SheetColumn } from '../sheet/sheet-columns.ts';

/** A line item of Google Ad Manager, as its reports and its API have it. */
export interface GamLineItem {
  readonly id: string;
  readonly name: string;
  readonly orderId: string;
  readonly orderName: string;
  readonly advertiser: string | undefined;
  /** `STANDARD`, `SPONSORSHIP`, … */
  readonly type: string;
  readonly status: string | undefined;
  readonly startDate: string | undefined;
  /** undefined: unlimited. */
  readonly endDate: string | undefined;
  readonly costType: string | undefined;
  readonly rate: number | undefined;
  readonly units: number | undefined;
  readonly unitType: string | undefined;
  /** Members of its targeting that are set, other than its ad units. */
  readonly targetedBy: readonly string[];
  readonly caps: readonly { readonly impressions: number; readonly seconds: number }[];
}

type Field =
  'orderId' | 'orderName' | 'advertiser' | 'id' | 'name' | 'type' | 'status' | 'startDate' | 'endDate' | 'costType' | 'rate' | 'units';

const COLUMNS: readonly (readonly [Field, SheetColumn['kind'], ...string[]])[] = [
  ['orderId', 'text', 'order id'],
  ['orderName', 'text', 'order', 'order name'],
  ['advertiser', 'text', 'advertiser', 'advertiser name'],
  ['id', 'text', 'line item id'],
  ['name', 'text', 'line item', 'line item name'],
  ['type', 'text', 'line item type', 'type'],
  ['status', 'text', 'line item status', 'line item computed status', 'status'],
  ['startDate', 'date', 'line item start date', 'start date'],
  ['endDate', 'date', 'line item end date', 'end date'],
  ['costType', 'text', 'cost type', 'line item cost type'],
  ['rate', 'amount', 'rate', 'line item rate', 'cost per unit', 'cpm', 'line item cpm'],
  ['units', 'count', 'goal', 'goal quantity', 'line item goal quantity', 'units', 'contracted quantity', 'line item contracted quantity'],
];
const REQUIRED: readonly Field[] = ['id', 'name', 'orderId', 'orderName', 'type', 'startDate'];
const UNLIMITED = /^(unlimited|-|n\/a)$/i;

/** Line items of a report in CSV. @throws ImportFault with each fault at its cell */
export const gamReport = (name: string, [headings = [], ...body]: Rows): readonly GamLineItem[] => {
  const fields = headings.map((heading) => COLUMNS.find(([, , ...names]) => names.includes(String(heading).trim().toLowerCase())));
  const missing = REQUIRED.filter((field) => !fields.some((column) => column?.[0] === field));
  if (missing.length > 0) throw new ImportFault(`${name} has no column for ${missing.join(', ')}: add these dimensions to the report`);
  const faults: SourceFault[] = [];
  const items = body.flatMap((cells, i): readonly GamLineItem[] => {
    if (cells.every(isEmpty) || /^total/i.test(String(cells[0]))) return [];
    const values: Partial<Record<Field, unknown>> = {};
    for (const [at, column] of fields.entries()) {
      const cell = cells[at] ?? null;
      if (!column || isEmpty(cell) || (column[1] !== 'text' && UNLIMITED.test(String(cell)))) continue;
      const [field, kind] = column;
      const read = readCell({ kind } as SheetColumn, cell);
      if ('fault' in read) faults.push({ place: cellName(at, i + 1), detail: read.fault });
      else values[field] = read.value;
    }
    for (const field of REQUIRED) if (values[field] === undefined) faults.push({ place: rowName(i + 1), detail: `has no ${field}` });
    return [{ ...EMPTY, ...(values as Partial<GamLineItem>) }];
  });
  if (faults.length > 0) throw new ImportFault(`${name} cannot be imported, and nothing was changed`, faults);
  return items;
};

const EMPTY: GamLineItem = {
  ...{ id: '', name: '', orderId: '', orderName: '', advertiser: undefined, type: '', status: undefined, startDate: undefined },
  ...{ endDate: undefined, costType: undefined, rate: undefined, units: undefined, unitType: undefined, targetedBy: [], caps: [] },
};

/** Ids and names; anything else is none. */
const wordOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** Line items of the API's JSON: `{orders, lineItems}`. @throws ImportFault when it is none */
export const gamJson = (name: string, text: string): readonly GamLineItem[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (fault) {
    throw new ImportFault(`${name} is no JSON, or half of it: ${(fault as Error).message}`);
  }
  if (!isObject(value) || !Array.isArray(value['lineItems'])) throw new ImportFault(`${name} must be an object with lineItems, and orders`);
  const orders = new Map(
    (Array.isArray(value['orders']) ? value['orders'] : []).filter(isObject).map((order) => [wordOf(order['id']), order]),
  );
  return value['lineItems'].map((item: unknown, i) => {
    if (!isObject(item) || item['id'] === undefined || item['orderId'] === undefined)
      throw new ImportFault(`${name}: /lineItems/${i} must have an id and an orderId`);
    const order = orders.get(wordOf(item['orderId']));
    const [goal, cost] = [objectAt(item, 'primaryGoal'), objectAt(item, 'costPerUnit')];
    return {
      ...EMPTY,
      ...{ id: wordOf(item['id']), name: wordOf(item['name']), orderId: wordOf(item['orderId']) },
      orderName: wordOf(order?.['name'] ?? item['orderName'] ?? `Order ${wordOf(item['orderId'])}`),
      advertiser: order?.['advertiserName'] === undefined ? undefined : wordOf(order['advertiserName']),
      ...{ type: wordOf(item['lineItemType']), status: textOr(item['status']), costType: textOr(item['costType']) },
      startDate: dateOf(item['startDateTime']),
      endDate: item['unlimitedEndDateTime'] === true ? undefined : dateOf(item['endDateTime']),
      rate: cost['microAmount'] === undefined ? undefined : Number(cost['microAmount']) / 1e6,
      units: Number(goal['units']) > 0 ? Number(goal['units']) : undefined,
      unitType: textOr(goal['unitType']),
      targetedBy: Object.entries(objectAt(item, 'targeting')).flatMap(([member, set]) =>
        member === 'inventoryTargeting' || isNothing(set) ? [] : [member],
      ),
      caps: (Array.isArray(item['frequencyCaps']) ? item['frequencyCaps'] : []).filter(isObject).flatMap(capOf),
    };
  });
};

const objectAt = (of: Readonly<Record<string, unknown>>, member: string): Readonly<Record<string, unknown>> => {
  const value = of[member];
  return isObject(value) ? value : {};
};
const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (isObject(value) ? Object.values(value).every(isNothing) : Array.isArray(value) && value.length === 0);

/** `{date: {year, month, day}}`, or a text of RFC 3339. */
const dateOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\d/.exec(value)?.[0];
  const { year, month, day } = isObject(value) ? objectAt(value, 'date') : {};
  return Number(year) > 0 ? [year, String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-') : undefined;
};

const SECONDS: Readonly<Record<string, number>> = { MINUTE: 60, HOUR: 3_600, DAY: 86_400, WEEK: 604_800, MONTH: 2_592_000 };
const capOf = ({ maxImpressions, numTimeUnits, timeUnit }: Readonly<Record<string, unknown>>): GamLineItem['caps'] => {
  const seconds = SECONDS[String(timeUnit)];
  return seconds === undefined ? [] : [{ impressions: Number(maxImpressions), seconds: seconds * Number(numTimeUnits) }];
};
