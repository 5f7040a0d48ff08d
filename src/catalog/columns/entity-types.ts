import { ENTITIES } from '../entities/entities.ts';
import type { Advertiser, AdvertiserBlock, AdvertiserTraits } from '../model/advertiser.ts';
import type { BlockList } from '../model/block-list.ts';
import { CREATIVE_FORMATS, type CreativeFormat } from '../model/choices.ts';
import type {
  Bidder,
  Campaign,
  Creative,
  CreativeContent,
  Flight,
  LineItem,
  NamedTargeting,
  Placement,
  Publisher,
  PublisherPrivacy,
  RateLimit,
  SalesRules,
} from '../model/entities.ts';
import { NO_CAPS, NO_SHARED_COUNTS, type FrequencyCap, type SharedCount } from '../model/frequency-caps.ts';
import { NO_GOALS, type Goals } from '../model/goals.ts';
import type { SellerNode } from '../model/seller-node.ts';
import { STOPS, type Stop } from '../model/stops.ts';
import type { TargetingRules } from '../../targeting/targeting-rules.ts';
import { entityType, type EntityType } from './entity-type.ts';
import { flag, integer, json, NO_CELLS, number, numberPairOrNull, oneOf, repeated, repeatedList, text, U16, type Kind } from './kinds.ts';
import { textAt, type Segment } from './segment.ts';

/*
 * How the entities of each table are stored: as their definitions say, and the members that combine
 * several fields as it is said here. What the hot path reads for every candidate has cells of its
 * own; what only a chosen ad needs is text, decoded when it is read
 * (docs/adr/0014-catalog-off-the-heap.md).
 */

const flight = numberPairOrNull<Flight>(
  ({ startMs, endMs }) => [startMs, endMs],
  (startMs, endMs) => ({ startMs, endMs }),
) as Kind<Flight>;

/** One cell for line items without goals, most of them: 0. */
const goals: Kind<Goals> = {
  cells: U16,
  write: (rows, value) => {
    const { impressions, clicks, frontload } = value;
    const none = impressions === null && clicks === null && frontload === 0;
    rows.u16.push(none ? 0 : rows.numbers(impressions ?? NaN, clicks ?? NaN, frontload));
  },
  getter: ({ u16: at }, { u16: width }) =>
    function () {
      const { f64, u16 } = this.segment;
      const position = u16[this.row * width + at]!;
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
  get video(): unknown {
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
    case 'video':
    case 'audio':
      return JSON.stringify(content.video);
  }
};

const creativeContent: Kind<CreativeContent> = {
  cells: { ...NO_CELLS, i32: 1, u8: 1 },
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

export const PUBLISHERS: EntityType<Publisher> = entityType(ENTITIES.publishers, {
  origins: textSet,
  privacy: json<PublisherPrivacy>(),
  blocked: blockList,
  blockedAdvertisers: json<AdvertiserBlock>(),
  apiKeyHash: text,
});

export const PLACEMENTS: EntityType<Placement> = entityType(ENTITIES.placements, { blockedAdvertisers: json<AdvertiserBlock>() });

export const ADVERTISERS: EntityType<Advertiser> = entityType(ENTITIES.advertisers, { traits: json<AdvertiserTraits>() });

export const BIDDERS: EntityType<Bidder> = entityType(ENTITIES.bidders, { schain: json<SellerNode | null>(), blocked: blockList });

export const CAMPAIGNS: EntityType<Campaign> = entityType(ENTITIES.campaigns, {
  edition: number,
  currency: repeated<string>(),
  traits: repeated<AdvertiserTraits>(),
  counted: repeatedList<SharedCount>(NO_SHARED_COUNTS),
  flight,
  stop,
  ownStop: stop,
});

export const TARGETINGS: EntityType<NamedTargeting> = entityType(ENTITIES.targetings, { targeting: json<TargetingRules>() });

export const LINE_ITEMS: EntityType<LineItem> = entityType(ENTITIES.line_items, {
  publisherId: integer,
  edition: number,
  stop,
  ownStop: stop,
  flight,
  goals,
  frequencyCaps: repeatedList<FrequencyCap>(NO_CAPS),
  rateLimit: numberPairOrNull<RateLimit>(
    ({ perSecond, burst }) => [perSecond, burst],
    (perSecond, burst) => ({ perSecond, burst }),
  ),
  targeting: json<TargetingRules>(),
  targetingId: integer,
  sales: repeated<SalesRules>(),
});

export const CREATIVES: EntityType<Creative> = entityType(ENTITIES.creatives, {
  edition: number,
  content: creativeContent,
  hasOwnDomain: flag,
  categories: repeated<readonly string[]>(),
  disclosure: repeated<readonly string[]>(),
  stop,
});
