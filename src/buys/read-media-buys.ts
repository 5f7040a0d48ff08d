import type { Knex } from 'knex';
import { ENTITY_KINDS } from '../bookings/entity-kind.ts';
import type { CampaignRecord } from '../catalog/entities/campaign.ts';
import type { CreativeRecord } from '../catalog/entities/creative.ts';
import type { Records } from '../catalog/entities/entities.ts';
import type { LineItemRecord } from '../catalog/entities/line-item.ts';
import { flightOf } from '../catalog/model/flight-dates.ts';
import { copyKey } from './buyer-creatives.ts';
import type { BoughtPackage } from './media-buy.ts';
import type { MediaBuyRow } from './media-buy-store.ts';

/** A package with what its line item is now. */
export interface PackageNow {
  readonly bought: BoughtPackage;
  /** null: staff have deleted it. */
  readonly lineItem: LineItemRecord | null;
  readonly creatives: readonly CreativeNow[];
}

export interface CreativeNow {
  readonly creativeId: string;
  /** null: its buyer has not sent it. */
  readonly record: CreativeRecord | null;
}

export const MEDIA_BUY_STATUSES = ['pending_creatives', 'pending_start', 'active', 'paused', 'completed', 'rejected', 'canceled'] as const;
export type MediaBuyStatus = (typeof MEDIA_BUY_STATUSES)[number];

/** A media buy that is booked. */
export interface MediaBuyNow {
  readonly row: MediaBuyRow;
  readonly campaign: CampaignRecord;
  readonly packages: readonly PackageNow[];
  readonly status: MediaBuyStatus;
}

export interface MediaBuysWanted {
  readonly publisherId: number;
  readonly advertisers: readonly number[];
  /** undefined: all. */
  readonly ids?: readonly number[] | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
}

/** Those that are booked, by their ids. Rejects when Postgres is unavailable. */
export const readMediaBuys = async (knex: Knex, wanted: MediaBuysWanted, nowMs: number): Promise<readonly MediaBuyNow[]> => {
  const query = knex('media_buys')
    .where({ publisher_id: wanted.publisherId })
    .whereIn('advertiser_id', [...wanted.advertisers])
    .whereNotNull('campaign_id')
    .orderBy('id')
    .limit(wanted.limit);
  if (wanted.ids) void query.whereIn('id', [...wanted.ids]);
  if (wanted.after !== undefined) void query.where('id', '>', wanted.after);
  return currentOf(knex, (await query.select()) as readonly MediaBuyRow[], nowMs);
};

/** What media buys are now that are booked. Rejects when Postgres is unavailable. */
export const currentOf = async (knex: Knex, rows: readonly MediaBuyRow[], nowMs: number): Promise<readonly MediaBuyNow[]> => {
  const recordsOf = async <T extends 'campaigns' | 'line_items' | 'creatives'>(table: T, column: string, ids: readonly number[]) =>
    (
      await knex(table)
        .whereIn(column, [...ids])
        .select()
    ).map((row) => ENTITY_KINDS[table].toRecord(row as never)) as unknown as readonly Records[T][];
  const campaignIds = rows.flatMap((row) => row.campaign_id ?? []);
  const campaigns = await recordsOf('campaigns', 'id', campaignIds);
  const itemIds = rows.flatMap(({ packages }) => packages.map((one) => one.line_item_id));
  const items = await recordsOf('line_items', 'id', itemIds);
  const ads = await recordsOf('creatives', 'line_item_id', itemIds);
  return rows.map((row) => {
    const campaign = campaigns.find(({ id }) => id === row.campaign_id)!;
    const packages = row.packages.map((bought): PackageNow => ({
      bought,
      lineItem: items.find(({ id }) => id === bought.line_item_id) ?? null,
      creatives: bought.creative_ids.map((creativeId) => ({
        creativeId,
        record: ads.find((ad) => !ad.archived && ad.external_key === copyKey(bought.line_item_id, creativeId)) ?? null,
      })),
    }));
    return { row, campaign, packages, status: statusOf(row, campaign, packages, nowMs) };
  });
};

/** While none of its packages has a creative, it is not paused either: it becomes active only with one. */
const statusOf = (row: MediaBuyRow, campaign: CampaignRecord, packages: readonly PackageNow[], nowMs: number): MediaBuyStatus => {
  if (row.canceled_at || campaign.archived) return 'canceled';
  const { startMs, endMs } = flightOf(campaign);
  if (endMs <= nowMs) return 'completed';
  if (!packages.some(({ creatives }) => creatives.some(({ record }) => record !== null))) return 'pending_creatives';
  if (startMs > nowMs) return 'pending_start';
  return campaign.active ? 'active' : 'paused';
};
