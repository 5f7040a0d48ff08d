import type { CampaignRecord, CreativeRecord, LineItemRecord, PlacementRecord, PublisherRecord } from '../../src/catalog/model/records.ts';

/** The trafficking API as this page sees it: the records, and what their ids and answers add to them. */
type Stored<T> = T & { readonly id: number };

export type PublisherWire = Stored<PublisherRecord> & { readonly api_key?: string; readonly api_key_hint?: string | null };
export type PlacementWire = PlacementRecord;
export type CampaignWire = Stored<CampaignRecord>;
export type LineItemWire = Stored<LineItemRecord>;
export type CreativeWire = Stored<CreativeRecord> & { readonly blocked_at?: string | null };

export interface Records {
  readonly publishers: PublisherWire;
  readonly placements: PlacementWire;
  readonly campaigns: CampaignWire;
  readonly line_items: LineItemWire;
  readonly creatives: CreativeWire;
}

/** The five entities, by the names of their paths. */
export type Kind = keyof Records;

/** In the order in which a campaign is set up. */
export const KINDS: readonly Kind[] = ['publishers', 'placements', 'campaigns', 'line_items', 'creatives'];

export interface Counts {
  readonly placements?: number;
  readonly campaigns?: number;
  readonly line_items?: number;
  readonly creatives?: number;
}

export interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

/** RFC 9457; status 0 when nothing was answered at all. */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: string;
  readonly errors: readonly Fault[];
}

export type Answer<T> =
  { readonly ok: true; readonly value: T; readonly etag?: string | null } | { readonly ok: false; readonly problem: Problem };

export interface DimensionProperty {
  readonly type: 'string' | 'number' | 'integer' | 'boolean';
  readonly enum?: readonly (string | number | boolean)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly title?: string;
  readonly description?: string;
}

export type Dimensions = Readonly<Record<string, DimensionProperty>>;
