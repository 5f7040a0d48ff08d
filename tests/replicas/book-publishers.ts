import { hashApiKey } from '../../src/catalog/model/hash-api-key.ts';
import { withClient } from '../setup/test-databases.ts';

export interface BookedPublisher {
  readonly id: number;
  readonly apiKey: string;
  readonly placementId: string;
  readonly lineItemId: number;
}

/** Books, for each of so many publishers, one placement and one line item without limits, or with a daily cap. */
export const bookPublishers = (
  databaseUrl: string,
  count: number,
  { dailyCap = null as number | null } = {},
): Promise<readonly BookedPublisher[]> =>
  withClient(databaseUrl, async (client) => {
    const insert = async (sql: string, values: readonly unknown[]): Promise<number> => {
      const { rows } = await client.query<{ id: number }>(`insert into ${sql} returning id`, [...values]);
      return rows[0]!.id;
    };
    const booked: BookedPublisher[] = [];
    for (let i = 1; i <= count; i++) {
      const apiKey = `key of publisher ${i}`;
      const placementId = `slot-${i}`;
      const id = await insert('publishers (name, domain, api_key_hash) values ($1, $2, $3)', [
        `P${i}`,
        `p${i}.example`,
        hashApiKey(apiKey),
      ]);
      await client.query(`insert into placements (id, publisher_id, width, height, formats) values ($1, $2, 300, 250, '{html}')`, [
        placementId,
        id,
      ]);
      const campaignId = await insert(
        `campaigns (publisher_id, name, start_at, end_at) values ($1, 'C', now() - interval '1 day', now() + interval '9 days')`,
        [id],
      );
      const lineItemId = await insert(
        `line_items (campaign_id, name, active, start_at, end_at, cpm_micros, daily_impression_cap)
         values ($1, 'L', true, now() - interval '1 day', now() + interval '9 days', 2000000, $2)`,
        [campaignId, dailyCap],
      );
      await client.query(`insert into creatives (placement_id, line_item_id, format, content) values ($1, $2, 'html', '<b>ad</b>')`, [
        placementId,
        lineItemId,
      ]);
      booked.push({ id, apiKey, placementId, lineItemId });
    }
    return booked;
  });
