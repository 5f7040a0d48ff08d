import type { Knex } from 'knex';

/** Campaigns whose money is in one currency. */
export interface CampaignsOfCurrency {
  readonly currency: string;
  readonly campaignIds: number[];
}

/** A campaign that is deleted has the publisher that it was counted for. */
const BY_CURRENCY = `
  select p.currency, array_agg(asked.id order by asked.id) as "campaignIds"
  from unnest(:ids::int[]) as asked (id)
  left join campaigns c on c.id = asked.id
  join publishers p on p.id = coalesce(c.publisher_id, (select max(publisher_id) from daily_counts where campaign_id = asked.id))
  group by 1 order by count(*) desc, 1`;

/** The currency of most of them first. */
export const campaignsByCurrency = async (knex: Knex, ids: readonly number[]): Promise<readonly CampaignsOfCurrency[]> =>
  (await knex.raw<{ rows: CampaignsOfCurrency[] }>(BY_CURRENCY, { ids } as unknown as Record<string, Knex.RawBinding>)).rows;
