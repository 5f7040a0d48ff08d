import { randomBytes } from 'node:crypto';
import knexFactory, { type Knex } from 'knex';
import { hashApiKey } from '../src/catalog/model/hash-api-key.ts';
import { MS_PER_DAY } from '../src/base/utc-day.ts';
import { zoneAtNoon } from './zone-at-noon.ts';

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
  /** Columns that differ from a line item without limits at a CPM of 1 USD. Default: one line item. */
  readonly lineItems?: readonly Row[];
  readonly creative?: Row;
}

/** @returns the id of the new row */
export const insertRow = async (knex: Knex, table: string, row: object): Promise<number> => {
  const [inserted] = await knex(table).insert(row).returning<{ id: number }[]>('id');
  if (inserted === undefined) throw new Error(`no row was inserted into ${table}`);
  return inserted.id;
};

/** Opens one connection to a database for one piece of work. */
export const withKnex = async <T>(databaseUrl: string, work: (knex: Knex) => Promise<T>): Promise<T> => {
  const knex = knexFactory({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 1 } });
  try {
    return await work(knex);
  } finally {
    await knex.destroy();
  }
};

/**
 * Writes a publisher and all that it needs to serve an ad into the catalog tables, without checks: a row may be
 * invalid on purpose. The flight began yesterday and ends in a month, and it is noon where the publisher is.
 */
export const book = (knex: Knex, { campaign = {}, lineItems = [{}], creative = {} }: BookingOptions = {}): Promise<Booking> =>
  knex.transaction(async (trx) => {
    const apiKey = `pk_${randomBytes(18).toString('base64url')}`;
    const flight = { start_at: new Date(Date.now() - MS_PER_DAY), end_at: new Date(Date.now() + 30 * MS_PER_DAY) };
    const publisher = { name: 'publisher', domain: 'publisher.example', api_key_hash: hashApiKey(apiKey), time_zone: zoneAtNoon() };
    const publisherId = await insertRow(trx, 'publishers', publisher);
    const placementId = `slot-${publisherId}`;
    const placement = { id: placementId, publisher_id: publisherId, width: 300, height: 250 };
    await insertRow(trx, 'placements', { ...placement, formats: ['html', 'banner'] });
    const campaignId = await insertRow(trx, 'campaigns', {
      publisher_id: publisherId,
      name: 'campaign',
      ...flight,
      ...campaign,
    });
    const lineItemIds: number[] = [];
    const creativeIds: number[] = [];
    for (const changes of lineItems) {
      const price = { cpm_micros: 1_000_000, priority: 2 };
      const row = { campaign_id: campaignId, name: 'line item', active: true, ...price, ...flight, ...changes };
      const line_item_id = await insertRow(trx, 'line_items', row);
      const shown = { placement_id: placementId, line_item_id, format: 'html', content: '<b>ad</b>', ...creative };
      lineItemIds.push(line_item_id);
      creativeIds.push(await insertRow(trx, 'creatives', shown));
    }
    return { publisherId, apiKey, placementId, campaignId, lineItemIds, creativeIds };
  });

/** Books one line item without limits for each of `count` publishers. */
export const bookPublishers = (databaseUrl: string, count: number): Promise<readonly Booking[]> =>
  withKnex(databaseUrl, async (knex) => {
    const booked: Booking[] = [];
    for (let i = 0; i < count; i++) booked.push(await book(knex));
    return booked;
  });
