import type { Knex } from 'knex';
import { dayOf } from '../../base/utc-day.ts';
import { hashApiKey } from '../../catalog/model/hash-api-key.ts';
import { CHECKS } from '../../catalog/checks/check-entities.ts';
import { ROWS } from '../../catalog/postgres/rows.ts';
import { rowOf } from '../row-of.ts';
import { ADVERTISERS, bookCampaigns, PLACEMENTS, PUBLISHERS } from './bookings.ts';
import { deliveredDays, type StoredLineItem } from './history-rows.ts';
import { storeFiltered } from './store-filtered.ts';
import { storeForecasts } from './store-forecasts.ts';
import { storeHistory } from './store-history.ts';
import { storeRefusals } from './store-refusals.ts';
import { storeSample } from './store-sample.ts';
import { storeWork } from './store-work.ts';

/** Rows of one insert. */
const BATCH = 500;

const isStored = async (trx: Knex.Transaction): Promise<boolean> =>
  (await trx('publishers').where({ domain: PUBLISHERS[0].domain }).first('id')) !== undefined;

/** @throws when the database has other data: the message says what to do */
export const refuseOtherData = async (trx: Knex.Transaction): Promise<void> => {
  if ((await trx('publishers').first('id')) === undefined || (await isStored(trx))) return;
  throw new Error(
    'The large demonstration needs an empty database, and this one has publishers already. Choose another: STATE_DIR=/tmp/large-demo npm start -- --demo=large',
  );
};

/**
 * Adds four publishers with 500 campaigns, 2,000 line items and sixty days of history, made from a
 * fixed seed: the same on every run of a day. Resolves to whether they were added now.
 */
export const storeLargeDemo = async (trx: Knex.Transaction, nowMs: number): Promise<boolean> => {
  if (await isStored(trx)) return false;
  const insert = async (table: string, rows: readonly object[]): Promise<readonly number[]> => {
    const ids: number[] = [];
    for (let at = 0; at < rows.length; at += BATCH) {
      const inserted = await trx(table)
        .insert(rows.slice(at, at + BATCH))
        .returning<{ id: number }[]>('id');
      ids.push(...inserted.map(({ id }) => id));
    }
    return ids;
  };
  const publisherIds = await insert(
    'publishers',
    // Their keys are not kept: a new one is made on the page.
    PUBLISHERS.map(({ prefix, ...fields }) => ({
      ...rowOf(ROWS.publishers, CHECKS.publishers(fields)),
      api_key_hash: hashApiKey(prefix),
    })),
  );
  await insert(
    'placements',
    PUBLISHERS.flatMap(({ prefix }, i) =>
      PLACEMENTS.map(({ name, width, height }) =>
        rowOf(
          ROWS.placements,
          CHECKS.placements({ id: `${prefix}-${name}`, publisher_id: publisherIds[i], width, height, formats: ['html', 'banner'] }),
        ),
      ),
    ),
  );
  const advertiserIds = await insert(
    'advertisers',
    ADVERTISERS.map(({ name, domain, labels }) => rowOf(ROWS.advertisers, CHECKS.advertisers({ name, domain, labels }))),
  );
  const campaigns = bookCampaigns(dayOf(nowMs));
  const campaignIds = await insert(
    'campaigns',
    campaigns.map(({ fields, publisher, advertiser }) =>
      rowOf(
        ROWS.campaigns,
        CHECKS.campaigns({ ...fields, publisher_id: publisherIds[publisher], advertiser_id: advertiserIds[advertiser] }),
      ),
    ),
  );
  const booked = campaigns.flatMap((campaign, i) =>
    campaign.lineItems.map((item) => ({
      ...{ ...item, campaign, campaignId: campaignIds[i]!, publisherId: publisherIds[campaign.publisher]! },
    })),
  );
  const lineItemIds = await insert(
    'line_items',
    booked.map(({ fields, campaignId }) =>
      rowOf(ROWS.line_items, CHECKS.line_items({ ...fields, campaign_id: campaignId }, { dimensions: new Map() })),
    ),
  );
  const creativeIds = await insert(
    'creatives',
    booked.flatMap(({ creatives }, i) =>
      creatives.map((fields) => rowOf(ROWS.creatives, CHECKS.creatives({ ...fields, line_item_id: lineItemIds[i] }))),
    ),
  );
  let next = 0;
  const stored: readonly StoredLineItem[] = booked.map((item, i) => ({
    ...item,
    id: lineItemIds[i]!,
    creativeIds: creativeIds.slice(next, (next += item.creatives.length)),
  }));
  await storeHistory(trx, deliveredDays(stored, nowMs), nowMs);
  await storeSample(trx, nowMs);
  await storeForecasts(trx, publisherIds, nowMs);
  await storeFiltered(trx, nowMs);
  await storeRefusals(trx, stored, nowMs);
  await storeWork(trx, publisherIds, stored, nowMs);
  return true;
};
