import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import type { RecordReach } from '../api/call-rights.ts';
import { bookCampaign } from '../bookings/book-campaign.ts';
import type { RecordWriter } from '../bookings/catalog-writer.ts';
import { refused, type Written } from '../bookings/written.ts';
import { assignCreatives } from './buyer-creatives.ts';
import { bookingOf } from './media-buy.ts';
import { changeMediaBuy, ownerOf, type MediaBuyRow } from './media-buy-store.ts';

export interface BookMediaBuyOptions {
  readonly reach: RecordReach;
  readonly now: () => number;
}

/** Books the campaign of a media buy, with the creatives that its buyer has sent already. */
export type BookMediaBuy = (records: RecordWriter, trx: Knex.Transaction, id: number, caller: Caller) => Promise<readonly Written[]>;

export const createBookMediaBuy =
  ({ reach, now }: BookMediaBuyOptions): BookMediaBuy =>
  async (records, trx, id, caller) => {
    const row = await trx('media_buys').where({ id }).forUpdate().first<MediaBuyRow | undefined>();
    if (row?.campaign_id !== null) return [refused('conflict')];
    const owner = ownerOf(row);
    const parts = await bookCampaign(records, trx, bookingOf(owner, row.asked), { caller, reach, nowMs: now() });
    if (parts.written.some(({ ok }) => !ok)) return parts.written;
    const { version } = await trx('catalog_version').first<{ version: string }>('version');
    const packages = row.asked.packages.map((one, i) => ({ ...one, line_item_id: parts.lineItems[i]!.lineItem!['id'] as number }));
    const written = [...parts.written];
    for (const one of packages) written.push(...(await assignCreatives(records, trx, one, { owner, caller })));
    await changeMediaBuy(trx, id, {
      packages,
      campaign_id: parts.campaign!['id'] as number,
      confirmed_at: new Date(now()),
      catalog_version: version,
    });
    return written;
  };
