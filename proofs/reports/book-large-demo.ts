import type { Knex } from 'knex';
import { storeLargeDemo } from '../../src/embedded/large-demo/store-large-demo.ts';
import { ROLL_UPS } from '../../src/events/postgres/roll-ups.ts';
import type { Delivered } from '../../testkit/stored-events.ts';

/** What is made from events: the demonstration has a history of counts alone, and no events of them. */
const COUNTS = ['events', 'event_batches', 'daily_counts', 'event_counts', 'filtered_counts', 'hourly_counts'] as const;

/** The bookings of the large demonstration, without its history: campaigns with their line items and a creative of each. */
export const bookLargeDemo = async (knex: Knex): Promise<readonly Delivered[]> => {
  await knex.transaction((trx) => storeLargeDemo(trx, Date.now()));
  const rollUps = ROLL_UPS.filter(({ of }) => of === 'hits' || of === 'plays').map(({ table }) => table);
  await knex.raw(`truncate ${[...COUNTS, ...rollUps].join(', ')}`);
  const { rows } = await knex.raw<{ rows: Omit<Delivered, 'apiKey'>[] }>(
    `select publisher_id as "publisherId", min(c.id)::int as "campaignId", min(p.time_zone) as "timeZone",
            array_agg(l.id order by l.id) as "lineItemIds", array_agg(shown.id order by l.id) as "creativeIds",
            (select id from placements where publisher_id = c.publisher_id order by id offset c.id % 3 limit 1) as "placementId"
     from campaigns c join publishers p on p.id = c.publisher_id join line_items l on l.campaign_id = c.id
          cross join lateral (select min(id) as id from creatives where line_item_id = l.id) shown
     where shown.id is not null group by c.id, publisher_id`,
  );
  return rows.map((row) => ({ ...row, apiKey: '' }));
};
