import { ROWS } from '../src/catalog/postgres/rows.ts';
import { CHECKS } from '../src/catalog/checks/check-entities.ts';
import type { Checked } from '../src/catalog/checks/shape-record.ts';
import { hashApiKey } from '../src/catalog/model/hash-api-key.ts';
import { insertRow, withKnex } from './book.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What to book, in the fields of the trafficking API; the ids of parents are filled in. Rows get ids from 1 in the
 * order given.
 */
export interface CatalogBooking {
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

/**
 * Books into a fresh database through the checks of the trafficking API. Flights default to one that includes now,
 * prices to 1 USD CPM.
 */
export const bookCatalog = (databaseUrl: string, booking: CatalogBooking): Promise<void> =>
  withKnex(databaseUrl, async (knex) => {
    const insert = (table: string, row: object): Promise<number> => insertRow(knex, table, row);
    const placement = (fields: Fields) => insert('placements', ROWS.placements.toRow(valid(CHECKS.placements(fields))));
    for (const fields of booking.placements ?? []) await placement(fields);
    for (const { api_key, placements = [], campaigns = [], ...fields } of booking.publishers) {
      const publisher = { ...ROWS.publishers.toRow(valid(CHECKS.publishers(fields))), api_key_hash: hashApiKey(api_key) };
      const publisher_id = await insert('publishers', publisher);
      for (const one of placements) await placement({ ...one, publisher_id });
      for (const { line_items, ...ofCampaign } of campaigns) {
        const campaign = CHECKS.campaigns({ ...FLIGHT, name: 'campaign', ...ofCampaign, publisher_id });
        const campaign_id = await insert('campaigns', ROWS.campaigns.toRow(valid(campaign)));
        for (const { creatives, ...ofLineItem } of line_items) {
          const lineItem = CHECKS.line_items({ ...LINE_ITEM, ...ofLineItem, campaign_id }, { dimensions: DIMENSIONS });
          const line_item_id = await insert('line_items', ROWS.line_items.toRow(valid(lineItem)));
          for (const ofCreative of creatives) {
            const creative = CHECKS.creatives({ format: 'html', content: '<b>ad</b>', ...ofCreative, line_item_id });
            await insert('creatives', ROWS.creatives.toRow(valid(creative)));
          }
        }
      }
    }
  });

/** The dimensions of the shipped schema that the bookings of tests use. */
const DIMENSIONS = new Map([
  ['section', { name: 'section', label: 'Section', type: 'string' as const, values: null, minimum: null, maximum: null, description: '' }],
  ['age', { name: 'age', label: 'Age', type: 'integer' as const, values: null, minimum: null, maximum: null, description: '' }],
]);

function valid<T>(checked: Checked<T>): T {
  if (!checked.ok) throw new Error(`the booking is invalid: ${JSON.stringify(checked.faults)}`);
  return checked.record;
}
