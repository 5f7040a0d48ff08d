import type { Knex } from 'knex';
import type { SellerNode } from '../model/seller-node.ts';

/** A publisher, and how bidders that buy its inventory name it. */
export interface PublisherSupply {
  readonly id: number;
  readonly name: string;
  /** Lower case. */
  readonly domain: string;
  readonly origins: readonly string[];
  /** Those of line items that have not ended. */
  readonly bidders: readonly SellingBidder[];
}

export interface SellingBidder {
  /** null: this service is not paid for what the bidder buys. */
  readonly schain: SellerNode | null;
  /** Lines of ads.txt that the bidder asks for. */
  readonly adsTxt: readonly string[];
}

interface SupplyRow {
  readonly id: number;
  readonly name: string;
  readonly domain: string;
  readonly origins: readonly string[];
  readonly bidder_id: number | null;
  readonly schain_asi: string | null;
  readonly schain_sid: string | null;
  readonly schain_name: string | null;
  readonly schain_domain: string | null;
  readonly ads_txt: readonly string[] | null;
}

/** Every publisher that is not archived, by id. One scan of the line items: not for the hot path. */
export const readSupply = async (knex: Knex): Promise<readonly PublisherSupply[]> => {
  const { rows } = await knex.raw<{ rows: SupplyRow[] }>(`
    select publishers.id, publishers.name, lower(publishers.domain) as domain, publishers.origins, bidders.id as bidder_id,
      schain_asi, schain_sid, schain_name, schain_domain, ads_txt
    from publishers
    left join (
      select distinct campaigns.publisher_id, line_items.bidder_id
      from line_items join campaigns on campaigns.id = line_items.campaign_id
      where line_items.bidder_id is not null and not line_items.archived and not campaigns.archived
        and line_items.end_at > now() and campaigns.end_at > now()
    ) as named on named.publisher_id = publishers.id
    left join bidders on bidders.id = named.bidder_id and not bidders.archived
    where not publishers.archived
    order by publishers.id, bidders.id
  `);
  const byPublisher = new Map<number, PublisherSupply & { readonly bidders: SellingBidder[] }>();
  for (const { id, name, domain, origins, ...bidder } of rows) {
    const supply = byPublisher.get(id) ?? { id, name, domain, origins, bidders: [] };
    byPublisher.set(id, supply);
    if (bidder.bidder_id !== null) supply.bidders.push(sellingBidder(bidder));
  }
  return [...byPublisher.values()];
};

const sellingBidder = (row: Omit<SupplyRow, keyof PublisherSupply>): SellingBidder => {
  const { schain_asi: asi, schain_sid: sid, schain_name: name, schain_domain: domain, ads_txt: adsTxt } = row;
  return { schain: asi === null || sid === null ? null : { asi: asi.toLowerCase(), sid, name, domain }, adsTxt: adsTxt ?? [] };
};
