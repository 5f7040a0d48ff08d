import type { Knex } from 'knex';
import { isObject } from '../../base/narrow.ts';
import { capOf, type BookedCap } from '../model/frequency-caps.ts';
import type { SharedCap } from '../model/catalog-reading.ts';

/** A line item with its campaign. */
interface Booked {
  readonly campaign_id: number;
  readonly publisher_id: number;
  readonly advertiser_id: number | null;
  readonly frequency_caps: unknown;
}

/** The caps of line items over their campaign or advertiser: ads of its other line items count, too. */
export const readSharedCaps = async (knex: Knex): Promise<readonly SharedCap[]> => {
  const { rows } = await knex.raw<{ rows: readonly Booked[] }>(`
    select distinct l.campaign_id, c.publisher_id, c.advertiser_id, l.frequency_caps
    from line_items l join campaigns c on c.id = l.campaign_id
    where (l.frequency_caps @> '[{"scope": "campaign"}]' or l.frequency_caps @> '[{"scope": "advertiser"}]') and not l.archived
    order by l.campaign_id, c.publisher_id`);
  return sharedCapsOf(rows);
};

export const sharedCapsOf = (rows: readonly Booked[]): readonly SharedCap[] =>
  rows.flatMap(({ campaign_id: campaignId, publisher_id: publisherId, advertiser_id: advertiserId, frequency_caps }) =>
    // The check of the record judges what a row holds; this reads what it can.
    (Array.isArray(frequency_caps) ? frequency_caps : []).filter(isBooked).flatMap((booked) => {
      const { scope, of, windowMs } = capOf(booked);
      return scope === 'line_item' ? [] : [{ campaignId, publisherId, advertiserId, scope, of, windowMs }];
    }),
  );

const isBooked = (cap: unknown): cap is BookedCap =>
  isObject(cap) &&
  (cap['scope'] === 'campaign' || cap['scope'] === 'advertiser') &&
  ((cap['window'] ?? null) === null || Number.isSafeInteger(cap['window']));
