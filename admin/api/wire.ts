import type { Fault } from '../../src/base/fault.ts';
import type { DimensionType, DimensionValue } from '../../src/targeting/dimension-schema.ts';
import type {
  AdvertiserRecord,
  BidderRecord,
  CampaignRecord,
  CreativeRecord,
  LineItemRecord,
  PlacementRecord,
  PublisherRecord,
} from '../../src/catalog/model/records.ts';

/** The records of the trafficking API, with the fields that only its answers have. */
type Stored<T> = T & { readonly id: number } & Listed;
/** What a list adds to its records when it is asked for it: how many records belong to each, by kind. */
interface Listed {
  readonly children?: Counts;
}

export type PublisherWire = Stored<PublisherRecord> & { readonly api_key?: string; readonly api_key_hint?: string | null };
export type PlacementWire = PlacementRecord & Listed;
export type AdvertiserWire = Stored<AdvertiserRecord>;
export type BidderWire = Stored<BidderRecord>;
export type CampaignWire = Stored<CampaignRecord>;
export type LineItemWire = Stored<LineItemRecord>;
export type CreativeWire = Stored<CreativeRecord> & { readonly blocked_at?: string | null };

export interface Records {
  readonly publishers: PublisherWire;
  readonly placements: PlacementWire;
  readonly advertisers: AdvertiserWire;
  readonly bidders: BidderWire;
  readonly campaigns: CampaignWire;
  readonly line_items: LineItemWire;
  readonly creatives: CreativeWire;
}

/** The entities, by the names of their paths. */
export type Kind = keyof Records;

/** In the order in which a campaign is set up. */
export const KINDS: readonly Kind[] = ['publishers', 'placements', 'advertisers', 'bidders', 'campaigns', 'line_items', 'creatives'];

/** What an ad of a direct campaign needs, in the same order. */
export const NEEDED_KINDS = ['publishers', 'placements', 'campaigns', 'line_items', 'creatives'] as const satisfies readonly Kind[];
export type NeededKind = (typeof NEEDED_KINDS)[number];

/** How many records of each kind go with one that is deleted. */
export type Counts = Readonly<Partial<Record<Kind, number>>>;

/** RFC 9457; status 0: the service did not answer. */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: string;
  readonly errors: readonly Fault[];
}

export type Answer<T> =
  /** more: the list goes on after this page; total: how many it has in all. */
  | { readonly ok: true; readonly value: T; readonly etag?: string | null; readonly more?: boolean; readonly total?: number | undefined }
  | { readonly ok: false; readonly problem: Problem };

/** A stored file. */
export interface AssetWire {
  readonly url: string;
  readonly sha256: string;
  readonly publisher_id: number | null;
  readonly name: string;
  readonly type: string;
  /** null: an HTML5 ad that does not state its size. */
  readonly width: number | null;
  readonly height: number | null;
  readonly bytes: number;
  readonly created_at: string;
  /** The creatives that use it, where the list was asked for them. */
  readonly used_by?: { readonly total: number; readonly first: { readonly id: number; readonly name: string } | null };
}

/** A registered dimension, as GET /api/dimensions describes it. */
export interface DimensionProperty {
  readonly type: DimensionType;
  readonly enum?: readonly DimensionValue[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** What people read. */
  readonly title: string;
  readonly description?: string;
}

export type Dimensions = Readonly<Record<string, DimensionProperty>>;
