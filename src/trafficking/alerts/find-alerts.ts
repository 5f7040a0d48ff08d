import type { Knex } from 'knex';
import { MS_PER_DAY, MS_PER_HOUR } from '../../base/utc-day.ts';
import { showEndDate } from '../../catalog/model/flight-dates.ts';
import type { ReadStatuses } from '../status/read-statuses.ts';
import type { FoundAlert } from './found-alert.ts';

export interface FindAlertsOptions {
  readonly knex: Knex;
  readonly readStatuses: ReadStatuses;
  /** The share of a publisher's traffic of the UTC day before a moment. */
  readonly shareBefore: (publisherId: number, atMs: number) => number;
  /** Clients whose complaints about malware pause a creative; 0: none does. */
  readonly complaintLimit: number;
}

/** A creative to pause, with the alert that says so. */
export interface FoundMalware {
  readonly creativeId: number;
}

export interface Findings {
  readonly alerts: readonly FoundAlert[];
  readonly malware: readonly FoundMalware[];
}

const SOON_MS = 3 * MS_PER_DAY;
const MAX_BEHIND = 0.2;
/** Of the day's traffic: before, a few minutes without an ad look like a day without one. */
const MIN_SHARE_OF_DAY = 0.25;
/** Complaints of any reason that are an alert, as a multiple of the limit for malware. */
const ANY_REASON_FACTOR = 5;
/** The comparison of the books takes seconds; after this long something keeps it from running. */
const COMPARED_WITHIN = `interval '15 minutes'`;

/** Line items in flight that staff have not stopped. */
const LIVE = `
  live as (
    select l.*, c.publisher_id, c.name as campaign, c.budget_micros as campaign_budget_micros,
           greatest(l.start_at, c.start_at) as from_at, least(l.end_at, c.end_at) as until_at
    from line_items l join campaigns c on c.id = l.campaign_id join publishers p on p.id = c.publisher_id
    where l.active and c.active and not (l.archived or c.archived or p.archived)
      and greatest(l.start_at, c.start_at) <= :at and least(l.end_at, c.end_at) > :at
  )`;

const ENDING = `
  with ${LIVE}
  select id, name, publisher_id as "publisherId", extract(epoch from until_at)::float8 * 1000 as "endMs" from live
  where isfinite(from_at) and isfinite(until_at) and until_at <= :at::timestamptz + :soonMs * interval '1 millisecond'
    and :at::timestamptz - from_at > until_at - :at::timestamptz
  order by until_at limit :limit`;

/** The next hit would cost more than what is left. Of a bid the price is not known: a thousandth of the budget. */
const SPENT = `
  with ${LIVE}, spent as (
    select 'line_item' as entity, id, name, publisher_id, budget_micros,
           (select coalesce(sum(spend_micros), 0) from daily_counts where line_item_id = live.id) as micros,
           case when type = 'programmatic' then budget_micros / 1000 when lower(budget_type) = 'cpc' then cpc_micros else ceil(cpm_micros / 1000.0) end as price
    from live where budget_micros > 0 and lower(budget_type) <> 'flat'
    union all
    select 'campaign', campaign_id, min(campaign), min(publisher_id), min(campaign_budget_micros),
           (select coalesce(sum(spend_micros), 0) from daily_counts where campaign_id = live.campaign_id), min(campaign_budget_micros) / 1000
    from live where campaign_budget_micros > 0 group by campaign_id
  )
  select entity, id, name, publisher_id as "publisherId", budget_micros::float8 / 1e6 as budget from spent
  where micros + greatest(coalesce(price, 0), 1) > budget_micros order by entity, id limit :limit`;

/** What has a pace. Line items whose status is read at a time: 0.3 s. */
const PACED = `
  with ${LIVE}
  select id, name, publisher_id as "publisherId" from live
  where (lower(pacing) in ('even', 'pid') and daily_impression_cap > 0) or goal_impressions is not null or goal_clicks is not null
  order by id limit 5000`;

/** One complaint of a client about a creative counts on a day; those of before it was unblocked are settled. */
const COMPLAINTS = `
  select r.creative_id as id, r.publisher_id as "publisherId", c.blocked_at is not null as "isBlocked", count(*)::int as total,
         (count(*) filter (where r.reason = 'malware'))::int as malware
  from reports r join creatives c on c.id = r.creative_id
  where r.created_at > :at::timestamptz - interval '1 day' and r.first_of_client and not c.archived
    and r.created_at > coalesce((select max(at) from audit where entity = 'creative' and entity_id = r.creative_id::text and action = 'unblock'),
                                '-infinity')
  group by 1, 2, 3
  having count(*) filter (where r.reason = 'malware') >= :complaintLimit or count(*) >= :complaintLimit * ${ANY_REASON_FACTOR}
  order by 1 limit :limit`;

const DRIFT = `
  select scope, drifted::int as count, 'differed' as what from reconciliation where drifted_at > :at::timestamptz - interval '1 hour'
  union all
  select scope, 0, 'not compared' from reconciliation where compared_at < :at::timestamptz - ${COMPARED_WITHIN}
  union all
  select 'dead_events', count(*)::int, 'dead' from dead_events having count(*) > 0`;

/** Alerts of one kind at a time: more say that something else is wrong. */
const MAX_FOUND = 1_000;

/**
 * Finds what staff must know of now, from the stores alone: the same on every replica. Rejects when
 * Postgres is unavailable.
 */
export const createFindAlerts =
  (options: FindAlertsOptions) =>
  async (atMs: number): Promise<Findings> => {
    const { knex, complaintLimit } = options;
    const ask = async <Row>(sql: string, bindings: Readonly<Record<string, string | number>> = {}): Promise<readonly Row[]> =>
      (await knex.raw<{ rows: Row[] }>(sql, { at: new Date(atMs).toISOString(), limit: MAX_FOUND, ...bindings })).rows;
    const ending = await ask<Named & { readonly endMs: number }>(ENDING, { soonMs: SOON_MS });
    const spent = await ask<Named & { readonly entity: 'line_item' | 'campaign'; readonly budget: number }>(SPENT);
    const behind = await findBehind(options, await ask<Named>(PACED), atMs);
    const complaints = complaintLimit > 0 ? await ask<Complaints>(COMPLAINTS, { complaintLimit }) : [];
    const drift = await ask<Drift>(DRIFT);
    return {
      alerts: [
        ...behind.slice(0, MAX_FOUND),
        ...ending.map((item) => ({ ...lineItem(item, 'ends_soon'), words: `“${item.name}” ends ${showEnd(item.endMs, atMs)}.` })),
        ...spent.map((one) => ({
          ...{ kind: 'budget_spent' as const, entity: one.entity, entityId: String(one.id), publisherId: one.publisherId },
          words: `${one.entity === 'campaign' ? 'The campaign ' : ''}“${one.name}” has spent its budget of ${usd.format(one.budget)} and does not serve any more.`,
        })),
        ...complaints.map((found) => complaintAlert(found, complaintLimit)),
        ...drift.map(driftAlert),
      ],
      malware: complaints.filter(({ isBlocked, malware }) => !isBlocked && malware >= complaintLimit).map(({ id }) => ({ creativeId: id })),
    };
  };

interface Named {
  readonly id: number;
  readonly name: string;
  readonly publisherId: number;
}
interface Complaints {
  readonly id: number;
  readonly publisherId: number;
  readonly isBlocked: boolean;
  readonly total: number;
  readonly malware: number;
}
interface Drift {
  readonly scope: string;
  readonly count: number;
  readonly what: 'differed' | 'not compared' | 'dead';
}

const usd = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });

const lineItem = <Kind extends FoundAlert['kind']>({ id, publisherId }: Named, kind: Kind) =>
  ({ kind, entity: 'line_item', entityId: String(id), publisherId }) as const;

/** By the status that lists and pages show. Early in the day an alert that is open stays open, and none is opened. */
const findBehind = async (
  { readStatuses, shareBefore }: FindAlertsOptions,
  paced: readonly Named[],
  atMs: number,
): Promise<readonly FoundAlert[]> => {
  const statuses = await readStatuses(paced.map(({ id }) => id));
  return paced.flatMap((item): readonly FoundAlert[] => {
    const status = statuses.get(item.id);
    if (status?.value !== 'behind' || status.off_pace <= MAX_BEHIND) return [];
    const words = `“${item.name}” is ${percent.format(status.off_pace)} behind. ${sentence(status.reasons[0] ?? '')}`.trim();
    return [{ ...lineItem(item, 'under_delivery'), words, mayOpen: shareBefore(item.publisherId, atMs) >= MIN_SHARE_OF_DAY }];
  });
};

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text === '' || text.endsWith('.') ? '' : '.'}`;

const showEnd = (endMs: number, atMs: number): string => {
  const hours = Math.ceil((endMs - atMs) / MS_PER_HOUR);
  return `in ${hours < 48 ? `${hours} hour${hours === 1 ? '' : 's'}` : `${Math.round(hours / 24)} days`}, with ${showEndDate(endMs)}`;
};

const complaintAlert = ({ id, publisherId, total, malware }: Complaints, limit: number): FoundAlert => {
  const about =
    malware >= limit
      ? `${malware} clients reported malware in creative ${id}: it is blocked`
      : `${total} clients complained about creative ${id}`;
  return {
    kind: 'complaints',
    entity: 'creative',
    entityId: String(id),
    publisherId,
    words: `${about}. Look at it, and talk to its advertiser.`,
  };
};

const driftAlert = ({ scope, count, what }: Drift): FoundAlert => {
  const words = {
    differed: `${count} ${scope} differed from the event rows within the last hour, and were corrected.`,
    'not compared': `The ${scope} have not been compared with the event rows for 15 minutes.`,
    dead: `${count} events could not be stored and wait in the dead-letter table.`,
  }[what];
  return { kind: 'drift', entity: 'books', entityId: what === 'differed' ? scope : `${scope} ${what}`, publisherId: null, words };
};
