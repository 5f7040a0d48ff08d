import type { Knex } from 'knex';
import { component } from '../api/component.ts';
import { integer, moment, orNull, record, text, type Shape } from '../base/schema.ts';
import { nameOrLast } from '../events/postgres/gone-names.ts';

export const PAYER_CHANGE = component(
  'PayerChange',
  record({
    at: moment,
    ...{ campaign_id: integer, campaign: orNull(text) },
    ...{ from_advertiser_id: orNull(integer), from_advertiser: orNull(text) },
    ...{ to_advertiser_id: orNull(integer), to_advertiser: orNull(text) },
  }),
  {
    ...{ at: '2026-10-14T12:00:00.000Z', campaign_id: 3, campaign: 'Boots, autumn' },
    ...{ from_advertiser_id: 2, from_advertiser: 'Boots of the North', to_advertiser_id: 4, to_advertiser: 'Northern Shoes' },
  },
);
/** From this moment another advertiser pays for a campaign. What was counted before stays with the one before. */
export type PayerChange = Shape<typeof PAYER_CHANGE>;

export interface PayersAsked {
  /** Moments, the second one excluded: as Postgres reads them. */
  readonly from: string | Date;
  readonly until: string | Date;
  /** null: all. */
  readonly publishers: readonly number[] | null;
  readonly campaigns: readonly number[] | null;
  /** Before or after the change. */
  readonly advertisers: readonly number[] | null;
}

/** The latest ones; a report or a statement names no more. */
const MAX_CHANGES = 50;

const CHANGES = `
  select p.since as at, p.campaign_id, ${nameOrLast('campaigns', 'named', 'p.campaign_id')} as campaign,
         nullif(before.advertiser_id, -1) as from_advertiser_id, ${nameOrLast('advertisers', 'paid', 'before.advertiser_id')} as from_advertiser,
         nullif(p.advertiser_id, -1) as to_advertiser_id, ${nameOrLast('advertisers', 'pays', 'p.advertiser_id')} as to_advertiser
  from campaign_payers p
  join campaign_payers before on before.campaign_id = p.campaign_id and before.until = p.since
  left join campaigns named on named.id = p.campaign_id
  left join advertisers paid on paid.id = before.advertiser_id
  left join advertisers pays on pays.id = p.advertiser_id
  where p.since >= :from::timestamptz and p.since < :until::timestamptz
    and (:publishers::int[] is null or p.publisher_id = any(:publishers::int[]))
    and (:campaigns::int[] is null or p.campaign_id = any(:campaigns::int[]))
    and (:advertisers::int[] is null or p.advertiser_id = any(:advertisers::int[]) or before.advertiser_id = any(:advertisers::int[]))
  order by p.since desc, p.campaign_id limit ${MAX_CHANGES}`;

/** The changes of who pays, the latest first. Rejects when Postgres is unavailable. */
export const readPayerChanges = async (trx: Knex.Transaction, asked: PayersAsked): Promise<readonly PayerChange[]> => {
  const bindings = { ...asked } as Record<string, Knex.RawBinding>;
  const { rows } = await trx.raw<{ rows: (Omit<PayerChange, 'at'> & { readonly at: Date })[] }>(CHANGES, bindings);
  return rows.map((change) => ({ ...change, at: change.at.toISOString() }));
};
