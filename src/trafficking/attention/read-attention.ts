import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { MS_PER_DAY } from '../../base/utc-day.ts';
import type { LineItem } from '../../catalog/model/entities.ts';
import { usdFromMicros } from '../../catalog/model/money.ts';
import { showEndDate } from '../../catalog/model/flight-dates.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { readReconciliation } from '../../events/postgres/reconciliation.ts';
import type { LineItemStatus } from '../status/line-item-status.ts';
import type { ReadStatuses } from '../status/read-statuses.ts';
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

const SOON_MS = 3 * MS_PER_DAY;
/** Rows of a group that are named. */
const MAX_ROWS = 8;
/** Line items whose status is read: 0.3 s. The first by id. */
export const MAX_JUDGED = 5_000;
const FRESH_MS = 10_000;

/** Rejects when Postgres is away. People who open the screen at the same time share an answer. */
export const createReadAttention = (options: ReadAttentionOptions): (() => Promise<Attention>) => {
  let last: Promise<Attention> | undefined;
  let readAtMs = 0;
  return () => {
    if (last && options.now() - readAtMs < FRESH_MS) return last;
    readAtMs = options.now();
    last = readAttention(options);
    last.catch(() => (last = undefined));
    return last;
  };
};

const readAttention = async ({ knex, currentSnapshot, counters, readStatuses, countReplicas, now }: ReadAttentionOptions): Promise<Attention> => {
  const snapshot = currentSnapshot();
  const atMs = now();
  const flights = await flightsAround(snapshot, atMs);
  const items = flights.filter(({ endMs }) => endMs > atMs).slice(0, MAX_JUDGED);
  const [statuses, others, records, ended] = await Promise.all([
    readStatuses(items.map(({ lineItem }) => lineItem.id)),
    otherGroups(knex, snapshot),
    countRecords(knex),
    endedItems(
      knex,
      flights.filter(({ endMs }) => endMs <= atMs),
    ),
  ]);
  const judged = items.flatMap((item) => {
    const status = statuses.get(item.lineItem.id);
    return status ? [{ ...item, status }] : [];
  });
  const groups = new Map([...itemGroups(judged, atMs), ...others].map((group) => [group.kind, group]));
  const counted: Record<string, number> = {};
  for (const { status } of judged) counted[status.value] = (counted[status.value] ?? 0) + 1;
  return {
    at: new Date(atMs).toISOString(),
    line_items: counted,
    groups: ATTENTION_KINDS.flatMap((kind) => groups.get(kind) ?? []),
    ended,
    records,
    health: {
      replicas: countReplicas(),
      counters: counters.countersUp(),
      catalog_version: snapshot?.version ?? null,
      catalog_age_seconds: snapshot ? Math.round((atMs - snapshot.loadedAtMs) / 1000) : null,
    },
  };
};

const countRecords = async (knex: Knex): Promise<Attention['records']> => {
  const counts = SET_UP_KINDS.map((table) => `(select count(*)::int from ${table} where not archived) as ${table}`);
  const { rows } = await knex.raw<{ rows: [Attention['records']] }>(`select ${counts.join(', ')}`);
  return rows[0];
};

interface Flying {
  readonly lineItem: LineItem;
  /** The earlier end of its flight and its campaign's. */
  readonly endMs: number;
}

/** Rows that are read before other work gets a turn: 2 ms. */
const ROWS_A_TURN = 5_000;

/** The line items that are not archived, and whose flight is near. */
const flightsAround = async (snapshot: Snapshot | undefined, atMs: number): Promise<readonly Flying[]> => {
  const found: Flying[] = [];
  let rows = 0;
  for (const lineItem of snapshot?.lineItems.values() ?? []) {
    if (++rows % ROWS_A_TURN === 0) await nextTurn();
    const { flight } = lineItem;
    if (flight.endMs <= atMs - SOON_MS || flight.startMs > atMs + SOON_MS) continue;
    const campaign = snapshot?.campaigns.get(lineItem.campaignId);
    if (!campaign || isArchived(campaign.stop) || isArchived(lineItem.stop)) continue;
    const endMs = Math.min(flight.endMs, campaign.flight.endMs);
    if (endMs > atMs - SOON_MS && campaign.flight.startMs <= atMs + SOON_MS) found.push({ lineItem, endMs });
  }
  return found;
};

const isArchived = (stop: LineItem['stop']): boolean => stop?.endsWith('Archived') === true;

interface Judged extends Flying {
  readonly status: LineItemStatus;
}

const itemGroups = (judged: readonly Judged[], atMs: number): readonly AttentionGroup[] => {
  const group = (kind: AttentionKind, of: readonly Judged[], textOf: (one: Judged) => string): readonly AttentionGroup[] =>
    of.length === 0
      ? []
      : [
          {
            kind,
            total: of.length,
            rows: of.slice(0, MAX_ROWS).map((one) => ({
              table: 'line_items',
              id: one.lineItem.id,
              name: one.lineItem.name,
              text: textOf(one),
            })),
          },
        ];
  const is = (value: LineItemStatus['value']) => judged.filter(({ status }) => status.value === value);
  const reasonOf = ({ status }: Judged): string => status.reasons[0] ?? '';
  const running = judged.filter(
    ({ endMs, status }) =>
      endMs <= atMs + SOON_MS && ['delivering', 'behind', 'ahead', 'held back', 'capped', 'ready'].includes(status.value),
  );
  return [
    ...group('cannot_serve', is('cannot serve'), reasonOf),
    ...group(
      'behind',
      is('behind').toSorted((a, b) => b.status.off_pace - a.status.off_pace),
      reasonOf,
    ),
    ...group('outranked', is('outranked'), reasonOf),
    ...group(
      'ends_soon',
      running.toSorted((a, b) => a.endMs - b.endMs),
      ({ endMs }) => `ends with ${showEndDate(endMs)}`,
    ),
  ];
};

/** What is not about the delivery of a line item. */
const otherGroups = async (knex: Knex, snapshot: Snapshot | undefined): Promise<readonly AttentionGroup[]> => {
  const [complaints, pending, counts, accounts, dead] = await Promise.all([
    creativeRows(
      knex,
      `select c.id, c.name, l.name as line_item, count(*) as figure, count(*) over () as total
       from reports r join creatives c on c.id = r.creative_id join line_items l on l.id = c.line_item_id
       where r.created_at > now() - interval '7 days' and c.blocked_at is null and not c.archived
       group by c.id, c.name, l.name order by count(*) desc, c.id limit ${MAX_ROWS}`,
      (figure) => `${figure} ${figure === 1 ? 'complaint' : 'complaints'} in seven days`,
    ),
    creativeRows(
      knex,
      `select c.id, c.name, l.name as line_item, 0 as figure, count(*) over () as total
       from creatives c join line_items l on l.id = c.line_item_id
       where c.status = 'pending' and not c.archived and not l.archived order by c.id limit ${MAX_ROWS}`,
      () => 'waits for approval',
    ),
    readReconciliation(knex, 'counts'),
    readReconciliation(knex, 'accounts'),
    knex('dead_events').count<{ count: string }[]>('* as count'),
  ]);
  const drift = counts.differences + accounts.differences;
  const deadEvents = Number(dead[0]?.count ?? 0);
  const note = (kind: AttentionKind, total: number, rows: readonly AttentionRow[]): readonly AttentionGroup[] =>
    total === 0 ? [] : [{ kind, total, rows }];
  const plain = (name: string, text: string): AttentionRow => ({ table: null, id: null, name, text });
  return [
    ...note('complaints', complaints.total, complaints.rows),
    ...note('pending_creatives', pending.total, pending.rows),
    ...note(
      'quarantined',
      snapshot?.quarantinedCount ?? 0,
      (snapshot?.quarantined ?? [])
        .slice(0, MAX_ROWS)
        .map(({ table, id, reason }) => plain(`${table.slice(0, -1).replace('_', ' ')} ${id}`, reason)),
    ),
    ...note('drift', drift, [plain('Books', `${drift} counts differed at the last comparison and were corrected`)]),
    ...note('dead_events', deadEvents, [plain('Events', `${deadEvents} events cannot be stored`)]),
  ];
};

const creativeRows = async (
  knex: Knex,
  sql: string,
  textOf: (figure: number) => string,
): Promise<{ readonly total: number; readonly rows: readonly AttentionRow[] }> => {
  const { rows } = await knex.raw<{ rows: { id: number; name: string; line_item: string; figure: string; total: string }[] }>(sql);
  return {
    total: Number(rows[0]?.total ?? 0),
    rows: rows.map(({ id, name, line_item, figure }) => ({
      table: 'creatives',
      id,
      name: name === '' ? `Creative ${id}` : name,
      text: `${textOf(Number(figure))}; of ${line_item}`,
    })),
  };
};

const endedItems = async (knex: Knex, ended: readonly Flying[]): Promise<readonly EndedItem[]> => {
  const latest = ended.toSorted((a, b) => b.endMs - a.endMs).slice(0, MAX_ROWS);
  const { rows } = await knex.raw<{ rows: { id: number; impressions: string; spend: string }[] }>(
    'select line_item_id as id, sum(impressions) as impressions, sum(spend_micros) as spend from daily_counts where line_item_id = any(?::int[]) group by 1',
    [latest.map(({ lineItem }) => lineItem.id)] as unknown as Knex.RawBinding,
  );
  const sums = new Map(rows.map((row) => [row.id, row]));
  return latest.map(({ lineItem: { id, name }, endMs }) => ({
    line_item_id: id,
    name,
    ended_at: new Date(endMs).toISOString(),
    impressions: Number(sums.get(id)?.impressions ?? 0),
    spend: usdFromMicros(Number(sums.get(id)?.spend ?? 0)),
  }));
};
