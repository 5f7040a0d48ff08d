import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { campaignToRow, creativeToRow, lineItemToRow, placementToRow, publisherToRow } from '../../src/catalog/postgres/catalog-rows.ts';
import { checkCampaign, checkCreative, checkLineItem, checkPlacement, checkPublisher } from '../../src/catalog/checks/check-entities.ts';
import type { Checked } from '../../src/catalog/checks/check-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What to book, in the trafficking API's own fields; parents' ids are filled in. Rows get ids from 1 in the order given. */
export interface Booking {
  readonly publishers: readonly (Fields & {
    readonly api_key: string;
    readonly placements?: readonly Fields[];
    readonly campaigns?: readonly (Fields & { readonly line_items: readonly (Fields & { readonly creatives: readonly Fields[] })[] })[];
  })[];
  /** Open to all publishers. */
  readonly placements?: readonly Fields[];
}

const FLIGHT = { start_date: '2020-01-01', end_date: '2099-12-31' };
const LINE_ITEM = { ...FLIGHT, name: 'line item', active: true, budget_type: 'CPM', cpm: 1 };

/** Books into a fresh database, past the API but through its checks. Flights default to a time that includes now, prices to 1 USD CPM. */
export async function bookCatalog(databaseUrl: string, booking: Booking): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const insert = async (table: string, row: object): Promise<number> => {
    const columns = Object.entries(row).filter(([, value]) => value !== undefined);
    const names = columns.map(([name]) => name).join(', ');
    const places = columns.map((_, i) => `$${i + 1}`).join(', ');
    const { rows } = await client.query<{ id: number }>(
      `insert into ${table} (${names}) values (${places}) returning id`,
      columns.map(([, value]) => value),
    );
    return rows[0]!.id;
  };
  try {
    for (const placement of booking.placements ?? []) await insert('placements', placementToRow(sound(checkPlacement(placement))));
    for (const { api_key, placements = [], campaigns = [], ...publisher } of booking.publishers) {
      const hash = createHash('sha256').update(api_key).digest('hex');
      const publisher_id = await insert('publishers', { ...publisherToRow(sound(checkPublisher(publisher))), api_key_hash: hash });
      for (const placement of placements) await insert('placements', placementToRow(sound(checkPlacement({ ...placement, publisher_id }))));
      for (const { line_items, ...campaign } of campaigns) {
        const campaign_id = await insert(
          'campaigns',
          campaignToRow(sound(checkCampaign({ ...FLIGHT, name: 'campaign', ...campaign, publisher_id }))),
        );
        for (const { creatives, ...lineItem } of line_items) {
          const record = sound(checkLineItem({ ...LINE_ITEM, ...lineItem, campaign_id }, { dimensions: DIMENSIONS }));
          const line_item_id = await insert('line_items', lineItemToRow(record));
          for (const creative of creatives) {
            await insert(
              'creatives',
              creativeToRow(sound(checkCreative({ format: 'html', content: '<b>ad</b>', ...creative, line_item_id }))),
            );
          }
        }
      }
    }
  } finally {
    await client.end();
  }
}

/** Of the shipped schema, what the bookings of tests use. */
const DIMENSIONS = new Map([
  ['section', { name: 'section', type: 'string' as const, values: null, minimum: null, maximum: null, description: '' }],
  ['age', { name: 'age', type: 'integer' as const, values: null, minimum: null, maximum: null, description: '' }],
]);

function sound<T>(checked: Checked<T>): T {
  if (!checked.ok) throw new Error(`the booking has faults: ${JSON.stringify(checked.faults)}`);
  return checked.record;
}
