import type { Advertiser } from '../model/advertiser.ts';
import type { BlockList } from '../model/block-list.ts';
import {
  BUDGET_TYPES,
  CREATIVE_FORMATS,
  LINE_ITEM_TYPES,
  PACINGS,
  type Bidder,
  type Campaign,
  type Creative,
  type CreativeContent,
  type CreativeFormat,
  type Flight,
  type FrequencyCap,
  type LineItem,
  type Placement,
  type Priority,
  type Publisher,
  type RateLimit,
} from '../model/entities.ts';
import { NO_GOALS, type Goals } from '../model/goals.ts';
import { ROTATIONS } from '../model/rotations.ts';
import { STOPS, type Stop } from '../model/stops.ts';
import { entityType } from './entity-type.ts';
import {
  flag,
  integer,
  integerOrNull,
  json,
  number,
  numberOrNull,
  numberPairOrNull,
  oneOf,
  repeated,
  text,
  textOrNull,
  type Kind,
} from './kinds.ts';
import { textAt, type Segment } from './segment.ts';

/*
 * The fields of every entity and how each is stored. A field that the hot path reads for every
 * candidate has cells of its own; what only a chosen ad needs is text, decoded when it is read
 * (docs/adr/0014-catalog-off-the-heap.md). The id comes first, and then the
 * parent's: tables are searched by them.
 */

const flight = numberPairOrNull<Flight>(
  ({ startMs, endMs }) => [startMs, endMs],
  (startMs, endMs) => ({ startMs, endMs }),
) as Kind<Flight>;

/** One cell for line items without goals, most of them: 0. */
const goals: Kind<Goals> = {
  cells: { i32: 1, u8: 0 },
  write: (rows, value) => {
    const { impressions, clicks, frontload } = value;
    const none = impressions === null && clicks === null && frontload === 0;
    rows.i32.push(none ? 0 : rows.numbers(impressions ?? NaN, clicks ?? NaN, frontload));
  },
  getter: ({ i32: at }, { i32: width }) =>
    function () {
      const { f64, i32 } = this.segment;
      const position = i32[this.row * width + at]!;
      if (position === 0) return NO_GOALS;
      return { impressions: goalAt(f64, position), clicks: goalAt(f64, position + 1), frontload: f64[position + 2]! };
    },
};

const goalAt = (f64: Float64Array, position: number): number | null => (Number.isNaN(f64[position]) ? null : f64[position]!);

const textSet = json<ReadonlySet<string>, readonly string[]>(
  (texts) => [...texts],
  (texts) => new Set(texts),
);

const blockList = json<BlockList, Omit<BlockList, 'badv'> & { readonly badv: readonly string[] }>(
  ({ badv, ...lists }) => ({ ...lists, badv: [...badv] }),
  ({ badv, ...lists }) => ({ ...lists, badv: new Set(badv) }),
);

const stop = oneOf<Stop | null>([null, ...(Object.keys(STOPS) as Stop[])]);

/** Markup as it is; assets as JSON. The text is decoded when it is read, not with the format. */
class StoredContent {
  declare readonly segment: Segment;
  declare readonly format: CreativeFormat;
  declare readonly position: number;
  constructor(segment: Segment, format: CreativeFormat, position: number) {
    this.segment = segment;
    this.format = format;
    this.position = position;
  }
  get markup(): string {
    return textAt(this.segment, this.position) ?? '';
  }
  get banner(): unknown {
    return JSON.parse(this.markup) as unknown;
  }
  get assets(): unknown {
    return JSON.parse(this.markup) as unknown;
  }
}

const contentText = (content: CreativeContent): string => {
  switch (content.format) {
    case 'html':
      return content.markup;
    case 'banner':
      return JSON.stringify(content.banner);
    case 'native':
      return JSON.stringify(content.assets);
  }
};

const creativeContent: Kind<CreativeContent> = {
  cells: { i32: 1, u8: 1 },
  write: (rows, content) => {
    rows.u8.push(CREATIVE_FORMATS.indexOf(content.format));
    rows.i32.push(rows.text(contentText(content)));
  },
  getter: (at, width) =>
    function () {
      const format = CREATIVE_FORMATS[this.segment.u8[this.row * width.u8 + at.u8]!]!;
      return new StoredContent(this.segment, format, this.segment.i32[this.row * width.i32 + at.i32]!) as unknown as CreativeContent;
    },
};

export const PUBLISHER = entityType<Publisher>({
  id: integer,
  name: text,
  domain: text,
  origins: textSet,
  privacy: json(),
  blocked: blockList,
  blockedAdvertisers: json(),
  archived: flag,
  apiKeyHash: text,
});

export const PLACEMENT = entityType<Placement>({
  id: text,
  publisherId: integerOrNull,
  width: integer,
  height: integer,
  formats: json(),
  floorMicros: integer,
  blockedAdvertisers: json(),
  archived: flag,
});

export const ADVERTISER = entityType<Advertiser>({
  id: integer,
  name: text,
  domain: textOrNull,
  paidBy: textOrNull,
  categories: json(),
  traits: json(),
  archived: flag,
});

export const BIDDER = entityType<Bidder>({
  id: integer,
  endpoint: text,
  headers: json(),
  params: json(),
  gzip: flag,
  gvlId: integerOrNull,
  seats: json(),
  currency: text,
  bidAdjustment: number,
  timeoutShare: number,
  noticeHosts: json(),
  schain: json(),
  blocked: blockList,
  archived: flag,
});

export const CAMPAIGN = entityType<Campaign>({
  id: integer,
  publisherId: integer,
  edition: number,
  advertiserId: integerOrNull,
  traits: repeated(),
  name: text,
  flight,
  budgetMicros: numberOrNull,
  stop,
  ownStop: stop,
});

export const LINE_ITEM = entityType<LineItem>({
  id: integer,
  campaignId: integer,
  publisherId: integer,
  edition: number,
  name: text,
  type: oneOf(LINE_ITEM_TYPES),
  stop,
  ownStop: stop,
  flight,
  budgetType: oneOf(BUDGET_TYPES),
  cpmMicros: numberOrNull,
  cpcMicros: numberOrNull,
  budgetMicros: numberOrNull,
  priority: oneOf<Priority>([1, 2, 3]),
  rotation: oneOf(ROTATIONS),
  pacing: oneOf(PACINGS),
  dailyImpressionCap: numberOrNull,
  dailySpendCapMicros: numberOrNull,
  goals,
  frequencyCap: numberPairOrNull<FrequencyCap>(
    ({ places, windowMs }) => [places, windowMs],
    (places, windowMs) => ({ places, windowMs }),
  ),
  rateLimit: numberPairOrNull<RateLimit>(
    ({ perSecond, burst }) => [perSecond, burst],
    (perSecond, burst) => ({ perSecond, burst }),
  ),
  targeting: json(),
  bidderId: integerOrNull,
  endpoint: textOrNull,
  gvlId: integerOrNull,
  noticeHosts: json(),
  floorMicros: integer,
  valueCpmMicros: numberOrNull,
  dealId: textOrNull,
});

export const CREATIVE = entityType<Creative>({
  id: integer,
  lineItemId: integer,
  edition: number,
  placementIds: repeated(),
  content: creativeContent,
  advertiserDomain: textOrNull,
  hasOwnDomain: flag,
  categories: repeated(),
  disclosure: repeated(),
  width: integerOrNull,
  height: integerOrNull,
  clickUrl: textOrNull,
  weight: integer,
  stop,
});
