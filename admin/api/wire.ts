import { ENTITY_TABLES, type EntityTable, type Records as StoredRecords } from '../../src/catalog/entities/entities.ts';
import type { Fault } from '../../src/base/fault.ts';
import type { Operation } from './proposable.ts';
import type { DimensionProperty } from '../../src/bookings/dimension-api.ts';

/** What a list adds to its records when it is asked for it: how many records belong to each, by kind. */
interface Listed {
  readonly children?: Counts;
}
type Stored = {
  readonly [K in EntityTable]: StoredRecords[K] & {
    readonly id: StoredRecords[K] extends { readonly id: string } ? string : number;
  } & Listed;
};

/** The records of the trafficking API, with the fields that only its answers have. */
export interface Records extends Stored {
  readonly publishers: Stored['publishers'] & { readonly api_key?: string; readonly api_key_hint?: string | null };
  readonly line_items: Stored['line_items'] & { readonly make_good_for?: number | null };
  readonly creatives: Stored['creatives'] & { readonly blocked_at?: string | null };
}
export type PublisherWire = Records['publishers'];
export type PlacementWire = Records['placements'];
export type CampaignWire = Records['campaigns'];
export type LineItemWire = Records['line_items'];
export type CreativeWire = Records['creatives'];

/** The entities, by the names of their paths. */
export type Kind = EntityTable;

/** In the order in which a campaign is set up. */
export const KINDS: readonly Kind[] = ENTITY_TABLES;

/** What an ad of a direct campaign needs, in the same order. */
export const NEEDED_KINDS = ['publishers', 'placements', 'campaigns', 'line_items', 'creatives'] as const satisfies readonly Kind[];

/** How many records of each kind go with one that is deleted. */
export type Counts = Readonly<Partial<Record<Kind, number>>>;

/** RFC 9457; status 0: the service did not answer. */
export interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: string;
  readonly errors: readonly Fault[];
  /** Seconds until another attempt makes sense; 0: not said. */
  readonly waitS: number;
  /** The writes that a second person may approve; absent: that was not the reason. */
  readonly proposable?: readonly Operation[];
}

export type Answer<T> =
  /** more: the list goes on after this page; total: how many it has in all. */
  | { readonly ok: true; readonly value: T; readonly etag?: string | null; readonly more?: boolean; readonly total?: number | undefined }
  | { readonly ok: false; readonly problem: Problem };

/** The registered dimensions, by name. */
export type Dimensions = Readonly<Record<string, DimensionProperty>>;
