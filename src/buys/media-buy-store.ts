import type { Knex } from 'knex';
import type { AskedBuy, BoughtPackage, BuyOwner } from './media-buy.ts';

/** What an agent has bought, or has asked for. */
export interface MediaBuyRow {
  readonly id: number;
  readonly publisher_id: number;
  readonly advertiser_id: number;
  /** null: it waits for its approval, or was refused. */
  readonly campaign_id: number | null;
  readonly approval_id: number | null;
  /** Who bought it, as the history names it. */
  readonly buyer: string;
  readonly asked: AskedBuy;
  readonly packages: readonly BoughtPackage[];
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly confirmed_at: Date | null;
  /** Of the time when it was booked. */
  readonly catalog_version: string | null;
  readonly canceled_at: Date | null;
  readonly cancellation_reason: string | null;
}

/** Where the outcome of an approval is sent. */
export interface BuyWebhook {
  readonly url: string;
  readonly scheme: 'Bearer' | 'HMAC-SHA256';
  readonly sealedSecret: string;
}

export const ownerOf = (row: Pick<MediaBuyRow, 'publisher_id' | 'advertiser_id'>): BuyOwner => ({
  publisherId: row.publisher_id,
  advertiserId: row.advertiser_id,
});

/** Resolves to its id. */
export const addMediaBuy = async (
  trx: Knex,
  { publisherId, advertiserId }: BuyOwner,
  { buyer, asked, webhook }: { readonly buyer: string; readonly asked: AskedBuy; readonly webhook: BuyWebhook | undefined },
): Promise<number> => {
  const [row] = await trx('media_buys')
    .insert({
      ...{ publisher_id: publisherId, advertiser_id: advertiserId, buyer, asked: JSON.stringify(asked) },
      ...(webhook && { webhook_url: webhook.url, webhook_scheme: webhook.scheme, webhook_secret: webhook.sealedSecret }),
    })
    .returning<{ id: number }[]>('id');
  return row!.id;
};

export const findMediaBuy = (knex: Knex, id: number): Promise<MediaBuyRow | undefined> =>
  knex('media_buys').where({ id }).first<MediaBuyRow | undefined>();

type Changed = 'campaign_id' | 'approval_id' | 'packages' | 'canceled_at' | 'cancellation_reason' | 'confirmed_at' | 'catalog_version';

/** Changes one; what was read before counts as its older revision. */
export const changeMediaBuy = async (
  trx: Knex,
  id: number,
  { packages, ...columns }: Partial<Pick<MediaBuyRow, Changed>>,
): Promise<void> => {
  const json = packages && { packages: JSON.stringify(packages) };
  await trx('media_buys')
    .where({ id })
    .update({ ...columns, ...json, updated_at: trx.fn.now(), revision: trx.raw('revision + 1') });
};
