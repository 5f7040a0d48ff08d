import { pointerStep, type Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import type { AdvertiserRecord } from '../entities/advertiser.ts';
import type { BidderRecord } from '../entities/bidder.ts';
import type { CampaignRecord } from '../entities/campaign.ts';
import type { CreativeRecord } from '../entities/creative.ts';
import type { LineItemRecord } from '../entities/line-item.ts';
import type { PublisherRecord } from '../entities/publisher.ts';
import { CATEGORY_IDS, IAB_3_0, type BlockList } from '../model/block-list.ts';
import { CREATIVE_FORMATS, type CreativeFormat } from '../model/choices.ts';
import { isVideo } from '../model/entities.ts';
import { parseEndDate, parseStartDate } from '../model/flight-dates.ts';
import { parseCreativeContent } from './parse-content.ts';
import { addedValueFaults, discountFaults, priceFaults } from './price-faults.ts';
import { rateFaults } from './rate-faults.ts';
import type { CheckedOn, Given } from './shape-record.ts';
import { classFaults } from './class-faults.ts';
import { frequencyFaults } from './frequency-faults.ts';
import { scheduleFaults } from './schedule-faults.ts';
import { targetingFaults, type TargetingContext } from './targeting-faults.ts';

/*
 * Rules over several fields of a record, or over more than a schema can say. The fields may hold
 * anything: a rule is silent about what the schema refuses.
 */

/** The domain of the system and the id of the seller belong together; the others describe the seller. */
const schainFaults = (record: Given<BidderRecord>): readonly Fault[] => {
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

const categoryFaults = (categories: unknown, field: string, cattax: unknown, { isLoad = false }: CheckedOn): readonly Fault[] => {
  const known = typeof cattax === 'number' ? CATEGORY_IDS[cattax] : undefined;
  if (!known || isLoad || !Array.isArray(categories)) return [];
  return categories.flatMap((id: unknown, i) =>
    typeof id === 'string' && !known.pattern.test(id) ? [{ pointer: `/${field}/${i}`, detail: known.detail }] : [],
  );
};

/** A category that its taxonomy cannot have would match nothing, and say nothing. */
export const advertiserRules = ({ categories }: Given<AdvertiserRecord>, on: CheckedOn = {}): readonly Fault[] =>
  categoryFaults(categories, 'categories', IAB_3_0, on);

export const blockListRules = ({ bcat, acat, cattax }: Given<BlockList>, on: CheckedOn = {}): readonly Fault[] => [
  ...categoryFaults(bcat, 'bcat', cattax, on),
  ...categoryFaults(acat, 'acat', cattax, on),
];

export const publisherRules = (record: Given<PublisherRecord>, on: CheckedOn = {}): readonly Fault[] => [
  ...blockListRules(record, on),
  ...rateFaults(record),
];

export const bidderRules = ({ headers, params, ...record }: Given<BidderRecord>, on: CheckedOn = {}): readonly Fault[] => [
  ...blockListRules(record, on),
  ...(isObject(headers) ? Object.keys(headers).flatMap(headerFault) : []),
  ...(isObject(params) && JSON.stringify(params).length > MAX_PARAMS_LENGTH
    ? [{ pointer: '/params', detail: `must have at most ${MAX_PARAMS_LENGTH} characters of JSON` }]
    : []),
  ...schainFaults(record),
];

export const flightRules = ({ start_date, end_date }: { readonly start_date?: unknown; readonly end_date?: unknown }): Fault[] => {
  const startMs = typeof start_date === 'string' ? parseStartDate(start_date) : undefined;
  const endMs = typeof end_date === 'string' ? parseEndDate(end_date) : undefined;
  return startMs === undefined || endMs === undefined || endMs > startMs
    ? []
    : [{ pointer: '/end_date', detail: 'must be after start_date' }];
};

/** The budget of a day is a part of that of the flight. */
export const campaignRules = (record: Given<CampaignRecord>): readonly Fault[] => {
  const { budget, daily_budget: daily } = record;
  return [
    ...flightRules(record),
    ...(typeof budget === 'number' && typeof daily === 'number' && daily > budget
      ? [{ pointer: '/daily_budget', detail: `never applies: the budget of the whole flight is ${budget}. Leave it out, or give less` }]
      : []),
  ];
};

/** A programmatic line item has a bidder, or the short form: an endpoint with what belongs to it. */
const bidderFaults = (record: Given<LineItemRecord>): Fault[] => {
  const { type, bidder_id, endpoint, gvl_id, notice_hosts } = record;
  const isSet = (value: unknown): boolean => (value ?? null) !== null && !(Array.isArray(value) && value.length === 0);
  if (type !== 'programmatic') return isSet(bidder_id) ? [{ pointer: '/bidder_id', detail: 'is for a programmatic line item' }] : [];
  if (!isSet(bidder_id))
    return isSet(endpoint) ? [] : [{ pointer: '/endpoint', detail: 'or bidder_id is required for a programmatic line item' }];
  return Object.entries({ endpoint, gvl_id, notice_hosts }).flatMap(([field, value]) =>
    isSet(value) ? [{ pointer: `/${field}`, detail: 'is what the bidder has: leave it out' }] : [],
  );
};

/** A share is taken before the ranking, which only the first priority may. A bidder may not bid for what it was given. */
const shareFaults = ({ share_of_voice: share, priority, type }: Given<LineItemRecord>): Fault[] => {
  if (typeof share !== 'number') return [];
  if (type === 'programmatic') return [{ pointer: '/share_of_voice', detail: 'is for a direct line item: a bidder may not bid' }];
  return priority === 1 ? [] : [{ pointer: '/share_of_voice', detail: 'needs priority 1: it comes before all others' }];
};

/** A bidder answers for one impression at a time. */
const roadblockFaults = ({ roadblock, type }: Given<LineItemRecord>): Fault[] =>
  roadblock === true && type === 'programmatic'
    ? [{ pointer: '/roadblock', detail: 'is for a direct line item: a bidder answers for each impression by itself' }]
    : [];

/** A sequence goes by what the frequency cap of the line item counts of a user. */
const sequenceFaults = (record: Given<LineItemRecord>): Fault[] => {
  const { rotation, roadblock, type, frequency_cap: cap, frequency_caps: caps } = record;
  if (rotation !== 'sequence') return [];
  const refusal = (detail: string): Fault[] => [{ pointer: '/rotation', detail }];
  if (type === 'programmatic') return refusal('cannot be sequence: the ads of a programmatic line item are those of its bids');
  if (roadblock === true) return refusal('cannot be sequence: a roadblock shows its creatives together');
  const isCounted = (cap ?? null) !== null || (Array.isArray(caps) && caps.some(countsOwnImpressions));
  return isCounted
    ? []
    : refusal('needs a frequency cap of the impressions of the line item, which counts what a user has seen: set frequency_cap');
};

const countsOwnImpressions = (cap: unknown): boolean =>
  isObject(cap) && cap['scope'] === 'line_item' && (cap['impressions'] ?? null) !== null;

/** ASAP spreads nothing. */
const frontloadFaults = ({ pacing, frontload }: Given<LineItemRecord>): Fault[] =>
  pacing === 'ASAP' && typeof frontload === 'number' && frontload > 0
    ? [{ pointer: '/frontload', detail: 'needs pacing Even or PID: ASAP spreads nothing' }]
    : [];

export const lineItemRules = (record: Given<LineItemRecord>, context: TargetingContext): readonly Fault[] => [
  ...flightRules(record),
  ...priceFaults(record),
  ...addedValueFaults(record),
  ...discountFaults(record),
  ...bidderFaults(record),
  // Classes do not decide what serves: what was loaded before a class was narrowed goes on.
  ...(context.isLoad ? [] : classFaults(record)),
  ...frontloadFaults(record),
  ...shareFaults(record),
  ...roadblockFaults(record),
  ...sequenceFaults(record),
  ...frequencyFaults(record, context),
  ...scheduleFaults(record),
  ...targetingFaults(record.targeting, context),
];

/** Of a targeting that line items share. */
export const namedTargetingRules = ({ targeting }: { readonly targeting?: unknown }, context: TargetingContext): readonly Fault[] =>
  targetingFaults(targeting, context);

/** A placement of a creative. A load names none, because a placement may be narrowed later. */
export interface PlacementFormats {
  readonly id: string;
  readonly formats: readonly CreativeFormat[];
}

/** `placements`: where the creative runs. */
export interface CreativeContext {
  readonly placements?: readonly PlacementFormats[];
}

export const creativeRules = (
  { format, content, click_url: clickUrl }: Given<CreativeRecord>,
  { placements = [] }: CreativeContext = {},
): readonly Fault[] => {
  const known = CREATIVE_FORMATS.find((each) => each === format);
  if (known === undefined) return [];
  const parsed = typeof content === 'string' ? parseCreativeContent(known, content) : undefined;
  const refusing = placements.filter(({ formats }) => !formats.includes(known));
  return [
    ...(parsed && 'fault' in parsed
      ? [{ pointer: '/content', detail: `${parsed.fault.pointer.slice(1)} ${parsed.fault.detail}`.trim() }]
      : []),
    ...(parsed && 'content' in parsed && isVideo(parsed.content) && parsed.content.video.tag !== null && typeof clickUrl === 'string'
      ? [{ pointer: '/click_url', detail: 'is what the tag of the other server says: leave it out' }]
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
};
