import type { Knex } from 'knex';
import { restAfter } from '../base/rest-after.ts';
import { MS_PER_HOUR } from '../base/utc-day.ts';
import { MAX_BEHIND } from '../catalog/model/alert-kinds.ts';
import { showEndDate } from '../catalog/model/flight-dates.ts';
import { moneyWords } from '../catalog/model/money.ts';
import {
  behindOf,
  endingSoon,
  findBookings,
  FLIGHTS,
  judgeBookings,
  type Booking,
  type JudgedBooking,
} from '../delivery/attention/find-bookings.ts';
import { findComplaints, type ComplainedCreative } from '../delivery/attention/find-complaints.ts';
import { findShort, type ShortBooking } from '../delivery/attention/find-short.ts';
import { countWords } from '../delivery/number-words.ts';
import type { ReadStatuses } from '../delivery/status/read-statuses.ts';
import type { ShortLineItem } from '../forecast/short-line-items.ts';
import type { FoundAlert } from './found-alert.ts';

export interface FindAlertsOptions {
  readonly knex: Knex;
  readonly readStatuses: ReadStatuses;
  /** The share of a publisher's traffic of the day before a moment. */
  readonly shareBefore: (publisherId: number, atMs: number) => number;
  /** Clients whose complaints about malware pause a creative; 0: none does. */
  readonly complaintLimit: number;
}

export interface Findings {
  readonly alerts: readonly FoundAlert[];
  /** Creatives to pause, of which alerts say so. */
  readonly malware: readonly number[];
}

/** Of the day's traffic: before, a few minutes without an ad look like a day without one. */
const MIN_SHARE_OF_DAY = 0.25;
/** Complaints of any reason that are an alert, as a multiple of the limit for malware. */
const ANY_REASON_FACTOR = 5;
/** The comparison of the books takes seconds; after this long something keeps it from running. */
const MAX_UNCOMPARED_MINUTES = 15;

/** Line items in flight that staff have not stopped. */
const LIVE = `${FLIGHTS}, live as (select * from flights where runs and from_at <= :at and until_at > :at)`;

/** The next hit would cost more than what is left. Of a bid the price is not known: a thousandth of the budget. */
const SPENT = `
  with ${LIVE}, spent as (
    select 'line_item' as entity, id, name, publisher_id, currency, budget_micros,
           (select coalesce(sum(spend_micros), 0) from daily_counts where line_item_id = live.id) as micros,
           case when type = 'programmatic' then budget_micros / 1000 when lower(budget_type) = 'cpc' then cpc_micros when lower(budget_type) = 'cpcv' then cpcv_micros else ceil(cpm_micros / 1000.0) end as price
    from live where budget_micros > 0 and lower(budget_type) <> 'flat'
    union all
    select 'campaign', campaign_id, min(campaign), min(publisher_id), min(currency), min(campaign_budget_micros),
           (select coalesce(sum(spend_micros), 0) from daily_counts where campaign_id = live.campaign_id), min(campaign_budget_micros) / 1000
    from live where campaign_budget_micros > 0 group by campaign_id
  )
  select entity, id, name, publisher_id as "publisherId", currency, budget_micros::float8 / 1e6 as budget from spent
  where micros + greatest(coalesce(price, 0), 1) > budget_micros order by entity, id limit :limit`;

const DRIFT = `
  select scope, drifted::int as count, 'differed' as what from reconciliation where drifted_at > :at::timestamptz - interval '1 hour'
  union all
  select scope, 0, 'not compared' from reconciliation where compared_at < :at::timestamptz - interval '${MAX_UNCOMPARED_MINUTES} minutes'
  union all
  select 'dead_events', count(*)::int, 'dead' from dead_events having count(*) > 0`;

const WAITING = `
  select id, publisher_id as "publisherId", proposed_by as "by", (select string_agg(replace(change ->> 'entity', '_', ' ') || coalesce(' “' || nullif(coalesce(change -> 'after', change -> 'before') ->> 'name', '') || '”', ''), ', ')
          from jsonb_array_elements(changes) as change) as what
  from approvals where state = 'open' and expires_at > :at order by id limit :limit`;

/** Alerts of one kind at a time: more say that something else is wrong. */
const MAX_FOUND = 1_000;
/** Line items whose status is read: 0.3 s of work, with rests. The first by id. */
const MAX_JUDGED = 5_000;
/** Judged before a rest: what is read and made of them is gone before the garbage collector would move it. */
const JUDGED_TOGETHER = 100;

/**
 * Finds what staff must know of now, from the stores alone: the same on every replica. Rejects when
 * Postgres is unavailable, and when the signal ends the search.
 */
export const createFindAlerts =
  (options: FindAlertsOptions) =>
  async (atMs: number, signal = new AbortController().signal): Promise<Findings> => {
    const { knex, readStatuses, complaintLimit } = options;
    const ask = async <Row>(sql: string, bindings: Readonly<Record<string, string | number>> = {}): Promise<readonly Row[]> =>
      (await knex.raw<{ rows: Row[] }>(sql, { at: new Date(atMs).toISOString(), limit: MAX_FOUND, ...bindings })).rows;
    const judged = await judgeInTurns(readStatuses, await findBookings(knex, 'watched', { atMs, limit: MAX_JUDGED }), signal);
    const spent = await ask<Named & { readonly entity: 'line_item' | 'campaign'; readonly currency: string; readonly budget: number }>(
      SPENT,
    );
    const isMalware = ({ malwareClients }: ComplainedCreative): boolean => malwareClients >= complaintLimit;
    const complaints = (complaintLimit > 0 ? await findComplaints(knex, atMs, MAX_FOUND) : []).filter(
      (found) => isMalware(found) || found.clients >= complaintLimit * ANY_REASON_FACTOR,
    );
    const waiting = await ask<Waiting>(WAITING);
    const drift = await ask<Drift>(DRIFT);
    const short = await findShort(knex, { atMs, limit: MAX_FOUND });
    return {
      alerts: [
        ...behindAlerts(options, judged, atMs).slice(0, MAX_FOUND),
        ...short.map(shortAlert),
        ...endingSoon(judged)
          .slice(0, MAX_FOUND)
          .map((item) => ({ ...lineItem(item, 'ends_soon'), words: `“${item.name}” ends ${showEnd(item.endMs, atMs)}.` })),
        ...spent.map((one) => ({
          ...{ kind: 'budget_spent' as const, entity: one.entity, entityId: String(one.id), publisherId: one.publisherId },
          words: `${one.entity === 'campaign' ? 'The campaign ' : ''}“${one.name}” has spent its budget of ${moneyWords(one.budget, one.currency)} and does not serve any more.`,
        })),
        ...complaints.map((found) => complaintAlert(found, isMalware(found))),
        ...waiting.map(waitingAlert),
        ...drift.map(driftAlert),
      ],
      malware: complaints.filter((found) => !found.isBlocked && isMalware(found)).map(({ id }) => id),
    };
  };

/** Those of them that an alert could be about. */
const judgeInTurns = async (
  readStatuses: ReadStatuses,
  bookings: readonly Booking[],
  signal: AbortSignal,
): Promise<readonly JudgedBooking[]> => {
  const judged: JudgedBooking[] = [];
  for (let at = 0; at < bookings.length; at += JUDGED_TOGETHER) {
    const begun = performance.now();
    const some = await judgeBookings(readStatuses, bookings.slice(at, at + JUDGED_TOGETHER));
    judged.push(...some.filter(({ endsSoon, status }) => endsSoon || status.behind !== null));
    if (at + JUDGED_TOGETHER < bookings.length) await restAfter(performance.now() - begun, signal);
    signal.throwIfAborted();
  }
  return judged;
};

interface Named {
  readonly id: number;
  readonly name: string;
  readonly publisherId: number;
}
interface Drift {
  readonly scope: string;
  readonly count: number;
  readonly what: 'differed' | 'not compared' | 'dead';
}

interface Waiting {
  readonly id: number;
  readonly publisherId: number;
  readonly by: string;
  readonly what: string;
}

const lineItem = <Kind extends FoundAlert['kind']>({ id, publisherId }: Pick<Booking, 'id' | 'publisherId'>, kind: Kind) =>
  ({ kind, entity: 'line_item', entityId: String(id), publisherId }) as const;

/** Early in the day an alert that is open stays open, and none is opened. */
const behindAlerts = ({ shareBefore }: FindAlertsOptions, judged: readonly JudgedBooking[], atMs: number): readonly FoundAlert[] =>
  behindOf(judged)
    .filter(({ status }) => status.off_pace > MAX_BEHIND)
    .map((item) => ({
      ...lineItem(item, 'under_delivery'),
      words: behindWords(item.name, item.behind),
      mayOpen: shareBefore(item.publisherId, atMs) >= MIN_SHARE_OF_DAY,
    }));

/** Of a line item that the forecast of the last night expects to miss its goal, with what would help most. */
const shortAlert = ({ untilMs, short, ...item }: ShortBooking): FoundAlert => ({
  ...lineItem(item, 'will_under_deliver'),
  words: `“${item.name}” is expected to deliver ${countWords(short.expected)} of ${countWords(short.due)} impressions that are due by ${showEndDate(untilMs)} (${Math.floor((100 * short.expected) / Math.max(short.due, 1))}%). ${remedyWords(short)}`,
});

const remedyWords = ({ remedy, lacksCreative }: ShortLineItem): string => {
  if (lacksCreative) return 'It has no creative that may serve.';
  return remedy
    ? `What helps most: ${remedy.words}, for about ${countWords(remedy.p50)}.`
    : 'No single change is known to bring more: lower its goal, or book it on more placements.';
};

/** `“Boots” is behind by 32%: 6,800 of 10,000 impressions, …` */
const behindWords = (name: string, behind: string): string => sentence(`“${name}” is ${behind.charAt(0).toLowerCase()}${behind.slice(1)}`);

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text === '' || text.endsWith('.') ? '' : '.'}`;

const showEnd = (endMs: number, atMs: number): string => {
  const hours = Math.ceil((endMs - atMs) / MS_PER_HOUR);
  return `in ${hours < 48 ? `${hours} hour${hours === 1 ? '' : 's'}` : `${Math.round(hours / 24)} days`}, with ${showEndDate(endMs)}`;
};

const complaintAlert = ({ id, publisherId, clients, malwareClients }: ComplainedCreative, isMalware: boolean): FoundAlert => {
  const about = isMalware
    ? `${malwareClients} clients reported malware in creative ${id}: it is blocked`
    : `${clients} clients complained about creative ${id}`;
  return {
    kind: 'complaints',
    entity: 'creative',
    entityId: String(id),
    publisherId,
    words: `${about}. Look at it, and talk to its advertiser.`,
  };
};

const waitingAlert = ({ id, publisherId, by, what }: Waiting): FoundAlert => ({
  ...{ kind: 'approval_waits', entity: 'approval', entityId: String(id), publisherId },
  words: `${by} has proposed a change of ${what.slice(0, MAX_NAMED)}, which waits for a second person.`,
});
/** Characters: a proposal may change many records. */
const MAX_NAMED = 300;

const driftAlert = ({ scope, count, what }: Drift): FoundAlert => {
  const words = {
    differed: `${count} ${scope} differed from the event rows within the last hour, and were corrected.`,
    'not compared': `The ${scope} have not been compared with the event rows for ${MAX_UNCOMPARED_MINUTES} minutes.`,
    dead: `${count} events could not be stored and wait in the dead-letter table.`,
  }[what];
  return { kind: 'drift', entity: 'books', entityId: what === 'differed' ? scope : `${scope} ${what}`, publisherId: null, words };
};
