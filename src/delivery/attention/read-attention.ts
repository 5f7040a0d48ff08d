import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { EVERYTHING, type Ids, type Scope } from '../../access/scope.ts';
import { isVisible, scopeBinding } from '../../bookings/record-scope.ts';
import { amountFromMicros } from '../../catalog/model/money.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { readReconciliation } from '../../events/postgres/reconciliation.ts';
import type { ReadStatuses } from '../status/read-statuses.ts';
import { findBookings, type Booking } from './find-bookings.ts';
import { findComplaints, type ComplainedCreative } from './find-complaints.ts';
import { MAX_ROWS } from './line-item-groups.ts';
import { readItemGroups } from './read-item-groups.ts';
import { findUnplayed } from './find-unplayed.ts';
import {
  ATTENTION_KINDS,
  SET_UP_KINDS,
  type Attention,
  type AttentionGroup,
  type AttentionKind,
  type AttentionRow,
  type EndedItem,
} from './attention.ts';

export interface ReadAttentionOptions {
  readonly knex: Knex;
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly counters: { readonly countersUp: () => boolean };
  readonly readStatuses: ReadStatuses;
  readonly countReplicas: () => number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Creatives with complaints, or that players do not play, that are counted. */
const MAX_COMPLAINED = 1_000;
const FRESH_MS = 10_000;
/** Scopes whose answers are remembered. */
const MAX_SCOPES = 100;

/**
 * What needs attention of the publishers of a scope; for callers for all of them, also of the installation. Rejects when
 * Postgres is away. People of one scope who open the screen at the same time share an answer, except for `records` and `seen`,
 * which say to a person who sets up a campaign what was just added, and what came from a page.
 */
export const createReadAttention = (options: ReadAttentionOptions): ((scope?: Scope) => Promise<Attention>) => {
  const latest = new LRUCache<string, { readonly readAtMs: number; readonly attention: Promise<SharedAttention> }>({ max: MAX_SCOPES });
  const shared = (scope: Scope): Promise<SharedAttention> => {
    const key = JSON.stringify(scope.publishers);
    const known = latest.get(key);
    if (known && options.now() - known.readAtMs < FRESH_MS) return known.attention;
    const attention = readAttention(options, scope);
    latest.set(key, { readAtMs: options.now(), attention });
    attention.catch(() => latest.delete(key));
    return attention;
  };
  return async (scope = EVERYTHING) => {
    const { knex } = options;
    const [attention, records, seen] = await Promise.all([shared(scope), countRecords(knex, scope), readSeen(knex, scope.publishers)]);
    return { ...attention, records, seen };
  };
};

type SharedAttention = Omit<Attention, 'records' | 'seen'>;

const readAttention = async (
  { knex, currentSnapshot, counters, readStatuses, countReplicas, now }: ReadAttentionOptions,
  { publishers }: Scope,
): Promise<SharedAttention> => {
  const snapshot = currentSnapshot();
  const atMs = now();
  const [{ judged, groups: ofItems }, others, ofInstallation, ended] = await Promise.all([
    readItemGroups(knex, readStatuses, { atMs, publishers }),
    otherGroups(knex, atMs, publishers),
    publishers === null ? installationGroups(knex, snapshot) : [],
    findBookings(knex, 'ended', { atMs, limit: MAX_ROWS, publishers }).then((latest) => endedItems(knex, latest)),
  ]);
  const groups = new Map([...ofItems, ...others, ...ofInstallation].map((group) => [group.kind, group]));
  const counted: Record<string, number> = {};
  for (const { status } of judged) counted[status.value] = (counted[status.value] ?? 0) + 1;
  return {
    at: new Date(atMs).toISOString(),
    line_items: counted,
    groups: ATTENTION_KINDS.flatMap((kind) => groups.get(kind) ?? []),
    ended,
    health: {
      replicas: countReplicas(),
      counters: counters.countersUp(),
      catalog_version: snapshot?.version ?? null,
      catalog_age_seconds: snapshot ? Math.round((atMs - snapshot.loadedAtMs) / 1000) : null,
    },
  };
};

const countRecords = async (knex: Knex, scope: Scope): Promise<Attention['records']> => {
  const counts = SET_UP_KINDS.map(
    (table) => `(select count(*)::int from ${table} where not archived and ${isVisible(table, scope)}) as ${table}`,
  );
  const { rows } = await knex.raw<{ rows: [Attention['records']] }>(`select ${counts.join(', ')}`, { ...scopeBinding(scope) });
  return rows[0];
};

const SEEN = `
  select (select placement_id from request_days where cast(:publishers as int[]) is null or publisher_id = any(cast(:publishers as int[])) limit 1) as placement,
         exists (select from daily_counts where impressions > 0 and (cast(:publishers as int[]) is null or publisher_id = any(cast(:publishers as int[])))) as impression`;

const readSeen = async (knex: Knex, publishers: Ids): Promise<Attention['seen']> =>
  (await knex.raw<{ rows: [Attention['seen']] }>(SEEN, { publishers } as Record<string, Knex.RawBinding>)).rows[0];

const NO_RISK = { at_risk: null, currency: null, ends_at: null, remedy: null };

const note = (kind: AttentionKind, total: number, rows: readonly AttentionRow[]): readonly AttentionGroup[] =>
  total === 0 ? [] : [{ kind, total, at_risk: [], rows }];

/** Creatives that staff have to look at. */
const otherGroups = async (knex: Knex, atMs: number, publishers: Ids): Promise<readonly AttentionGroup[]> => {
  const [complaints, unplayed, pending] = await Promise.all([
    findComplaints(knex, atMs, MAX_COMPLAINED, publishers),
    findUnplayed(knex, atMs, MAX_COMPLAINED, publishers),
    pendingCreatives(knex, publishers),
  ]);
  const open = complaints.filter(({ isBlocked }) => !isBlocked);
  return [
    ...note(
      'complaints',
      open.length,
      open
        .slice(0, MAX_ROWS)
        .map((one) => creativeRow(one, `${one.inWeek} ${one.inWeek === 1 ? 'complaint' : 'complaints'} in seven days`)),
    ),
    ...note(
      'not_played',
      unplayed.length,
      unplayed.slice(0, MAX_ROWS).map((one) => creativeRow(one, one.words)),
    ),
    ...note(
      'pending_creatives',
      pending[0]?.total ?? 0,
      pending.map((one) => creativeRow(one, 'waits for approval')),
    ),
  ];
};

/** What is about no publisher. */
const installationGroups = async (knex: Knex, snapshot: Snapshot | undefined): Promise<readonly AttentionGroup[]> => {
  const [counts, accounts, dead, rebuilding] = await Promise.all([
    readReconciliation(knex, 'counts'),
    readReconciliation(knex, 'accounts'),
    knex('dead_events').count<{ count: string }[]>('* as count'),
    knex('ledger_epochs').distinct('reason').where({ state: 'rebuilding' }).select<{ reason: string }[]>(),
  ]);
  const drift = counts.differences + accounts.differences;
  const deadEvents = Number(dead[0]?.count ?? 0);
  const plain = (name: string, text: string): AttentionRow => ({ table: null, id: null, name, text, ...NO_RISK });
  return [
    ...note(
      'quarantined',
      snapshot?.quarantinedCount ?? 0,
      (snapshot?.quarantined ?? [])
        .slice(0, MAX_ROWS)
        .map(({ table, id, reason }) => plain(`${table.slice(0, -1).replace('_', ' ')} ${id}`, reason)),
    ),
    ...note(
      'rebuilding',
      rebuilding.length,
      rebuilding.map(({ reason }) => plain('Counters', `${reason}: line items with limits wait for theirs`)),
    ),
    ...note('drift', drift, [plain('Books', `${drift} counts differed at the last comparison and were corrected`)]),
    ...note('dead_events', deadEvents, [plain('Events', `${deadEvents} events cannot be stored`)]),
  ];
};

const PENDING = `
  select c.id, c.name, l.name as "lineItem", (count(*) over ())::int as total
  from creatives c join line_items l on l.id = c.line_item_id join campaigns ca on ca.id = l.campaign_id
  where c.status = 'pending' and not c.archived and not l.archived
    and (cast(:publishers as int[]) is null or ca.publisher_id = any(cast(:publishers as int[]))) order by c.id limit ${MAX_ROWS}`;

type ListedCreative = Pick<ComplainedCreative, 'id' | 'name' | 'lineItem'>;
type PendingCreative = ListedCreative & { readonly total: number };

const pendingCreatives = async (knex: Knex, publishers: Ids): Promise<readonly PendingCreative[]> =>
  (await knex.raw<{ rows: PendingCreative[] }>(PENDING, { publishers } as Record<string, Knex.RawBinding>)).rows;

const creativeRow = ({ id, name, lineItem }: ListedCreative, text: string): AttentionRow => ({
  ...{ table: 'creatives', id, name: name === '' ? `Creative ${id}` : name },
  text: `${text}; of ${lineItem}`,
  ...NO_RISK,
});

const endedItems = async (knex: Knex, latest: readonly Booking[]): Promise<readonly EndedItem[]> => {
  const { rows } = await knex.raw<{ rows: { id: number; impressions: string; spend: string }[] }>(
    'select line_item_id as id, sum(impressions) as impressions, sum(spend_micros) as spend from daily_counts where line_item_id = any(?::int[]) group by 1',
    [latest.map(({ id }) => id)] as unknown as Knex.RawBinding,
  );
  const sums = new Map(rows.map((row) => [row.id, row]));
  return latest.map(({ id, name, endMs, currency }) => ({
    line_item_id: id,
    name,
    ended_at: new Date(endMs).toISOString(),
    impressions: Number(sums.get(id)?.impressions ?? 0),
    spend: amountFromMicros(Number(sums.get(id)?.spend ?? 0)),
    currency,
  }));
};
