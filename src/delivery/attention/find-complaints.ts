import type { Knex } from 'knex';
import type { Ids } from '../../access/scope.ts';

/** A creative that people complained about within seven days. */
export interface ComplainedCreative {
  readonly id: number;
  readonly name: string;
  readonly lineItem: string;
  readonly publisherId: number;
  readonly isBlocked: boolean;
  /** Complaints of seven days. */
  readonly inWeek: number;
  /** Clients that complained within a day, each counted once; and those that reported malware. */
  readonly clients: number;
  readonly malwareClients: number;
}

/** Complaints of before staff unblocked the creative are settled. */
const COMPLAINTS = `
  select c.id, c.name, l.name as "lineItem", r.publisher_id as "publisherId", c.blocked_at is not null as "isBlocked", count(*)::int as "inWeek",
         (count(*) filter (where recent))::int as clients, (count(*) filter (where recent and r.reason = 'malware'))::int as "malwareClients"
  from reports r join creatives c on c.id = r.creative_id join line_items l on l.id = c.line_item_id,
       lateral (select r.first_of_client and r.created_at > :at::timestamptz - interval '1 day' as recent) day
  where r.created_at > :at::timestamptz - interval '7 days' and not c.archived
    and (cast(:publishers as int[]) is null or r.publisher_id = any(cast(:publishers as int[])))
    and r.created_at > coalesce((select max(at) from audit where entity = 'creative' and entity_id = c.id::text and action = 'unblock'), '-infinity')
  group by c.id, c.name, l.name, r.publisher_id
  order by clients desc, "inWeek" desc, c.id limit :limit`;

/** Creatives with complaints about ads of some publishers, most urgent first: for the home screen and for alerts. Rejects when Postgres is unavailable. */
export const findComplaints = async (
  knex: Knex,
  atMs: number,
  limit: number,
  publishers: Ids = null,
): Promise<readonly ComplainedCreative[]> =>
  (
    await knex.raw<{ rows: ComplainedCreative[] }>(COMPLAINTS, {
      ...{ at: new Date(atMs).toISOString(), limit, publishers },
    } as Record<string, Knex.RawBinding>)
  ).rows;
