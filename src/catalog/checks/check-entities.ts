import { checkDimensions } from '../../targeting/check-dimensions.ts';
import type { DimensionSchema } from '../../targeting/dimension-schema.ts';
import { pointerStep, type Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import {
  shapeAdvertiser,
  shapeBidder,
  shapeCampaign,
  shapeCreative,
  shapeLineItem,
  shapePlacement,
  shapePublisher,
} from './check-record.ts';
import type { Checked, ShapedRecord } from './check-record.ts';
import { parseCreativeContent } from './parse-content.ts';
import { CREATIVE_FORMATS } from '../model/entities.ts';
import type { CreativeFormat } from '../model/entities.ts';
import { parseEndDate, parseStartDate } from '../model/flight-dates.ts';
import { hasAtMostDecimals } from '../model/money.ts';
import type {
  AdvertiserRecord,
  BidderRecord,
  CampaignRecord,
  CreativeRecord,
  LineItemRecord,
  PlacementRecord,
  PublisherRecord,
} from '../model/records.ts';

/**
 * One check per entity, for writes of the trafficking API and for every row of a catalog load. Each
 * takes any JSON value and returns the record in canonical spelling with its defaults, or every
 * fault. The caller checks whether parents exist.
 */
export const checkPublisher = (input: unknown): Checked<PublisherRecord> => withRules(shapePublisher(input), () => []);

export const checkPlacement = (input: unknown): Checked<PlacementRecord> =>
  withRules(shapePlacement(input), (record) => decimalFaults(record, { floor: 6 }));

export const checkBidder = (input: unknown): Checked<BidderRecord> =>
  withRules(shapeBidder(input), ({ headers, params, ...record }) => [
    ...(isObject(headers) ? Object.keys(headers).flatMap(headerFault) : []),
    ...(isObject(params) && JSON.stringify(params).length > MAX_PARAMS_LENGTH
      ? [{ pointer: '/params', detail: `must have at most ${MAX_PARAMS_LENGTH} characters of JSON` }]
      : []),
    ...schainFaults(record),
  ]);

/** The domain of the system and the id of the seller belong together; the others describe the seller. */
const schainFaults = (record: ShapedRecord<BidderRecord>['record']): readonly Fault[] => {
  const given = (['schain_asi', 'schain_sid', 'schain_name', 'schain_domain'] as const).filter((field) => (record[field] ?? null) !== null);
  const [first] = given;
  if (first === undefined) return [];
  return (['schain_asi', 'schain_sid'] as const)
    .filter((field) => !given.includes(field))
    .map((field) => ({ pointer: `/${field}`, detail: `is required with ${first}` }));
};

/** Of each imp of every request. */
const MAX_PARAMS_LENGTH = 8_192;

/** Headers that the service sets itself, and those of the connection (RFC 9110, section 7.6.1). */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'content-encoding', 'content-length', 'content-type', 'x-openrtb-version'],
  ...['connection', 'expect', 'host', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

const headerFault = (name: string): readonly Fault[] =>
  OWN_HEADERS.has(name.toLowerCase()) ? [{ pointer: `/headers${pointerStep(name)}`, detail: 'is set by the service' }] : [];

export const checkAdvertiser = (input: unknown): Checked<AdvertiserRecord> => withRules(shapeAdvertiser(input), () => []);

export const checkCampaign = (input: unknown): Checked<CampaignRecord> =>
  withRules(shapeCampaign(input), (record) => [...flightFaults(record), ...decimalFaults(record, { budget: 6 })]);

export const checkLineItem = (input: unknown, { dimensions }: { readonly dimensions: DimensionSchema }): Checked<LineItemRecord> =>
  withRules(shapeLineItem(input), (record) => [
    ...flightFaults(record),
    ...priceFaults(record),
    // One impression bills a thousandth of the CPM, in whole micros.
    ...decimalFaults(record, { cpm: 3, cpc: 6, budget: 6, daily_spend_cap: 6, value_cpm: 6, floor: 6 }),
    ...bidderFaults(record),
    ...frontloadFaults(record),
    ...(isObject(record.targeting) && isObject(record.targeting['dimensions'])
      ? checkDimensions(dimensions, record.targeting['dimensions'], { pointer: '/targeting/dimensions', unregistered: 'refused' })
      : []),
  ]);

/** A placement of a creative. A load names none, because a placement may be narrowed later. */
export interface PlacementFormats {
  readonly id: string;
  readonly formats: readonly CreativeFormat[];
}

export const checkCreative = (
  input: unknown,
  { placements = [] }: { readonly placements?: readonly PlacementFormats[] } = {},
): Checked<CreativeRecord> =>
  withRules(isObject(input) ? withPlacements(shapeCreative(input)) : shapeCreative(input), ({ format, content }) => {
    const known = CREATIVE_FORMATS.find((each) => each === format);
    if (known === undefined) return [];
    const parsed = typeof content === 'string' ? parseCreativeContent(known, content) : undefined;
    const refusing = placements.filter(({ formats }) => !formats.includes(known));
    return [
      ...(parsed && 'fault' in parsed
        ? [{ pointer: '/content', detail: `${parsed.fault.pointer.slice(1)} ${parsed.fault.detail}`.trim() }]
        : []),
      ...(refusing.length === 0
        ? []
        : [
            {
              pointer: '/format',
              detail: refusing.map(({ id, formats }) => `placement ${id} allows ${formats.join(', ')} only`).join('; '),
            },
          ]),
    ];
  });

/** Fills in `placement_id` or `placement_ids` from the other. */
const withPlacements = ({ record, faults }: ShapedRecord<CreativeRecord>): ShapedRecord<CreativeRecord> => {
  const { placement_id: first, placement_ids: all } = record;
  if (all === undefined) {
    if (first !== undefined) return { record: { ...record, placement_ids: [first] }, faults };
    return { record, faults: [...faults, { pointer: '/placement_ids', detail: 'is required' }] };
  }
  if (!Array.isArray(all)) return { record, faults };
  if (first === undefined) return { record: { ...record, placement_id: all[0] as unknown }, faults };
  if (!all.includes(first)) return { record, faults: [...faults, { pointer: '/placement_id', detail: 'must be one of placement_ids' }] };
  const others = (all as readonly unknown[]).filter((id) => id !== first);
  return { record: { ...record, placement_ids: [first, ...others] }, faults };
};

/**
 * Applies the rules even when the shape has faults, so that one answer lists everything. A rule is
 * silent about a value whose shape is already at fault.
 */
const withRules = <T>({ record, faults }: ShapedRecord<T>, rules: (record: ShapedRecord<T>['record']) => readonly Fault[]): Checked<T> => {
  const known = new Set(faults.map(({ pointer }) => pointer));
  const all = [...faults, ...rules(record).filter(({ pointer }) => !known.has(pointer))];
  return all.length > 0 ? { ok: false, faults: all } : { ok: true, record: record as T };
};

const flightFaults = ({ start_date, end_date }: { readonly start_date?: unknown; readonly end_date?: unknown }): Fault[] => {
  const startMs = typeof start_date === 'string' ? parseStartDate(start_date) : undefined;
  const endMs = typeof end_date === 'string' ? parseEndDate(end_date) : undefined;
  return startMs === undefined || endMs === undefined || endMs > startMs
    ? []
    : [{ pointer: '/end_date', detail: 'must be after start_date' }];
};

/** A programmatic line item has a bidder, or the short form: an endpoint with what belongs to it. */
const bidderFaults = (record: ShapedRecord<LineItemRecord>['record']): Fault[] => {
  const { type, bidder_id, endpoint, gvl_id, notice_hosts } = record;
  const isSet = (value: unknown): boolean => (value ?? null) !== null && !(Array.isArray(value) && value.length === 0);
  if (type !== 'programmatic') return isSet(bidder_id) ? [{ pointer: '/bidder_id', detail: 'is for a programmatic line item' }] : [];
  if (!isSet(bidder_id))
    return isSet(endpoint) ? [] : [{ pointer: '/endpoint', detail: 'or bidder_id is required for a programmatic line item' }];
  return Object.entries({ endpoint, gvl_id, notice_hosts }).flatMap(([field, value]) =>
    isSet(value) ? [{ pointer: `/${field}`, detail: 'is what the bidder has: leave it out' }] : [],
  );
};

/** ASAP spreads nothing. */
const frontloadFaults = ({ pacing, frontload }: ShapedRecord<LineItemRecord>['record']): Fault[] =>
  pacing === 'ASAP' && typeof frontload === 'number' && frontload > 0
    ? [{ pointer: '/frontload', detail: 'needs pacing Even or PID: ASAP spreads nothing' }]
    : [];

/**
 * The price of a programmatic line item is the bid, a CPM. A Flat fee is the budget; without one the
 * line item needs a value to rank by.
 */
const priceFaults = ({ type, budget_type, cpm, cpc, budget }: ShapedRecord<LineItemRecord>['record']): Fault[] => {
  const isMissing = (value: unknown): boolean => (value ?? null) === null;
  if (type === 'programmatic') {
    return budget_type === 'CPM'
      ? []
      : [{ pointer: '/budget_type', detail: 'must be CPM for a programmatic line item: its price is the bid' }];
  }
  if ((budget_type === 'CPM' || budget_type === 'VCPM') && isMissing(cpm))
    return [{ pointer: '/cpm', detail: `is required with budget_type ${budget_type}` }];
  if (budget_type === 'CPC' && isMissing(cpc)) return [{ pointer: '/cpc', detail: 'is required with budget_type CPC' }];
  if (budget_type === 'Flat' && isMissing(budget) && isMissing(cpm))
    return [{ pointer: '/budget', detail: 'is required with budget_type Flat, unless it has a cpm' }];
  return [];
};

const decimalFaults = <T extends object>(record: T, places: { readonly [K in keyof T]?: number }): Fault[] => {
  const faults: Fault[] = [];
  for (const field in places) {
    const value: unknown = record[field];
    const max = places[field] ?? 0;
    if (typeof value === 'number' && !hasAtMostDecimals(value, max))
      faults.push({ pointer: `/${field}`, detail: `must have at most ${max} decimals` });
  }
  return faults;
};
