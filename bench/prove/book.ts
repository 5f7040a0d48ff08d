import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { hashApiKey } from '../../src/catalog/model/hash-api-key.ts';

type Row = Readonly<Record<string, unknown>>;

/** What one publisher has booked: one placement, one campaign, one creative for each line item. */
export interface Booking {
  readonly publisherId: number;
  readonly apiKey: string;
  readonly placementId: string;
  readonly campaignId: number;
  readonly lineItemIds: readonly number[];
  readonly creativeIds: readonly number[];
}

export interface BookingOptions {
  readonly campaign?: Row;
  /** Columns that differ from a line item without limits at a CPM of 1 USD. One line item when left out. */
  readonly lineItems?: readonly Row[];
  readonly creative?: Row;
}

const DAY_MS = 86_400_000;

/** Writes a publisher and all that it needs to serve an ad into the catalog tables. The flight began yesterday and ends in a month. */
export const book = async (knex: Knex, { campaign = {}, lineItems = [{}], creative = {} }: BookingOptions = {}): Promise<Booking> =>
  knex.transaction(async (trx) => {
    const insert = async (table: string, row: Row): Promise<number> => {
      const [inserted] = await trx(table).insert(row).returning<{ id: number }[]>('id');
      return inserted!.id;
    };
    const apiKey = `pk_${randomBytes(18).toString('base64url')}`;
    const flight = { start_at: new Date(Date.now() - DAY_MS), end_at: new Date(Date.now() + 30 * DAY_MS) };
    const publisherId = await insert('publishers', { name: 'publisher', domain: 'publisher.example', api_key_hash: hashApiKey(apiKey) });
    const placementId = `slot-${publisherId}`;
    await trx('placements').insert({ id: placementId, publisher_id: publisherId, width: 300, height: 250, formats: ['html', 'banner'] });
    const campaignId = await insert('campaigns', { publisher_id: publisherId, name: 'campaign', ...flight, ...campaign });
    const lineItemIds: number[] = [];
    const creativeIds: number[] = [];
    for (const changes of lineItems) {
      const row = { campaign_id: campaignId, name: 'line item', active: true, cpm_micros: 1_000_000, priority: 2, ...flight, ...changes };
      const lineItemId = await insert('line_items', row);
      lineItemIds.push(lineItemId);
      const shown = { placement_id: placementId, line_item_id: lineItemId, format: 'html', content: '<b>ad</b>', ...creative };
      creativeIds.push(await insert('creatives', shown));
    }
    return { publisherId, apiKey, placementId, campaignId, lineItemIds, creativeIds };
  });
