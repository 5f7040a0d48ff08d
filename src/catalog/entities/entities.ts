import { ADVERTISER } from './advertiser.ts';
import { BIDDER } from './bidder.ts';
import { CAMPAIGN } from './campaign.ts';
import { CREATIVE } from './creative.ts';
import type { Entity } from './define-entity.ts';
import type { RecordOf } from './field.ts';
import { LINE_ITEM } from './line-item.ts';
import { NAMED_TARGETING } from './named-targeting.ts';
import { PLACEMENT } from './placement.ts';
import { PUBLISHER } from './publisher.ts';

/** The entities by table, which is also their path under /api, in the order in which a campaign is set up. */
export const ENTITIES = {
  publishers: PUBLISHER,
  placements: PLACEMENT,
  advertisers: ADVERTISER,
  bidders: BIDDER,
  targetings: NAMED_TARGETING,
  campaigns: CAMPAIGN,
  line_items: LINE_ITEM,
  creatives: CREATIVE,
};

export type EntityTable = keyof typeof ENTITIES;
export const ENTITY_TABLES = Object.keys(ENTITIES) as readonly EntityTable[];

/** The checked records by table. */
export type Records = { readonly [T in EntityTable]: RecordOf<(typeof ENTITIES)[T]['fields']> };

/** A definition whose table is known at run time only. */
export const entityOf = (table: EntityTable): Entity => ENTITIES[table];

/** A value for each table. */
export const perTable = <V>(valueOf: (table: EntityTable) => V): Readonly<Record<EntityTable, V>> =>
  Object.fromEntries(ENTITY_TABLES.map((table) => [table, valueOf(table)])) as Record<EntityTable, V>;
