import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import { sizeText } from '../../ledger/ad-size.ts';
import { takesFromHold } from '../../ledger/hit.ts';
import { arrayLiteral } from './array-literal.ts';
import { copyRows, type CopiedColumns, type CopiedValue } from './copy-rows.ts';
import { copySignals, readTakesSignals, type TakesSignals } from './event-signals.ts';
import { moveProvisional } from './move-rows.ts';
import { createPartitions, holdAllPartitions, holdPartitions, lacksPartition } from './partitions.ts';
import { joinPayerNow, PAYER_NOW, STILL_PAYS } from './payers.ts';
import { rollUpBatches } from './roll-up-batches.ts';
import { isFinalClick, isProvisionalClick, type StoredEvent } from './stored-event.ts';

/** The columns of an event row that the event says, with their types. */
const COLUMNS: readonly (readonly [name: string, read: (event: StoredEvent) => CopiedValue, type: string])[] = [
  ['day', ({ hit }) => dateOfDay(hit.ad.day), 'date'],
  ['jti', ({ hit }) => hit.ad.tokenId, 'text'],
  ['kind', ({ hit }) => hit.kind, 'hit_kind'],
  ['event_type', ({ hit }) => hit.eventType, 'text'],
  ['screened', ({ hit }) => hit.invalidReason !== '', 'boolean'],
  ['invalid_reason', ({ reason }) => reason, 'text'],
  ['at', ({ atMs }) => new Date(atMs).toISOString(), 'timestamptz'],
  ['publisher_id', ({ hit }) => hit.ad.publisherId, 'int'],
  ['campaign_id', ({ hit }) => hit.ad.campaignId, 'int'],
  ['line_item_id', ({ hit }) => hit.ad.lineItemId, 'int'],
  ['creative_id', ({ hit }) => hit.ad.creativeId, 'int'],
  ['placement_id', ({ hit }) => hit.ad.placementId, 'text'],
  ['size', ({ hit }) => sizeText(hit.ad.size), 'text'],
  ['user_hash', ({ hit }) => hit.ad.userHash ?? '', 'text'],
  ['country', ({ hit }) => hit.country, 'text'],
  ['region', ({ hit }) => hit.region, 'text'],
  ['device', ({ hit }) => hit.device, 'text'],
  ['browser', ({ hit }) => hit.browser, 'text'],
  ['billed_micros', ({ billedMicros }) => billedMicros, 'bigint'],
  ['is_repeat', ({ isRepeat = false }) => isRepeat, 'boolean'],
  ['hold_end', ({ hit, reason }) => (takesFromHold(hit) && reason === '' ? hit.ad.holdEndMs : null), 'bigint'],
];
const NAMES = COLUMNS.map(([name]) => name).join(', ');
const ROW_KEY = 'day, jti, kind, event_type, screened';

const INSERT = `
  with given as materialized (
    select * from unnest(${COLUMNS.map(([, , type]) => `?::${type}[]`).join(', ')}) as given (${NAMES})
  ), arrived as (
    insert into events (${NAMES}, zone, advertiser_id, batch)
    select ${NAMES.replaceAll(/\w+/g, 'given.$&')}, coalesce(time_zone, 'UTC'), ${PAYER_NOW}, ?::bigint
    from given left join publishers on publishers.id = given.publisher_id ${joinPayerNow('given')}
    order by 1, 2, 3, 4, 5
    on conflict do nothing
    returning ${ROW_KEY}
  )
  select day::text, jti, kind, event_type as "eventType", screened from arrived`;

interface RowKey {
  readonly day: string;
  readonly jti: string;
  readonly kind: string;
  readonly eventType: string;
  readonly screened: boolean;
}

/**
 * A batch number, and what the columns say that no event does. A replica of the release before takes every row for counted: while one runs,
 * rows are counted as they are stored.
 */
const BEGIN = `
  select nextval(pg_get_serial_sequence('event_batches', 'batch'))::text as batch,
         (select json_object_agg(id, time_zone) from publishers where id = any(:publishers::int[])) as zones,
         (select json_object_agg(campaign_id, advertiser_id) from campaign_payers where ${STILL_PAYS} and campaign_id = any(:campaigns::int[])) as payers,
         exists (select from ledger_replicas
                 where not counts_later and seen_at > now() - interval '10 seconds' and not epochs @> '{"left": true}') as "countsNow"`;

interface Begun {
  readonly batch: string;
  readonly zones: Readonly<Record<string, string>> | null;
  readonly payers: Readonly<Record<string, number>> | null;
  readonly countsNow: boolean;
}

const begin = async (trx: Knex.Transaction, events: readonly StoredEvent[]): Promise<Begun> => {
  const idsOf = (read: (event: StoredEvent) => number): string => arrayLiteral([...new Set(events.map(read))]);
  const { rows } = await trx.raw<{ rows: [Begun] }>(BEGIN, {
    publishers: idsOf(({ hit }) => hit.ad.publisherId),
    campaigns: idsOf(({ hit }) => hit.ad.campaignId),
  });
  return rows[0];
};

/** How rows are put into their table. Resolves to how many of them are new. */
type Insert = (trx: Knex.Transaction, events: readonly StoredEvent[], begun: Begun, takesSignals: TakesSignals) => Promise<number>;

/** Rejects with 23505 when one of the rows is there already. */
const insertByCopy: Insert = async (trx, events, { batch, zones, payers }, takesSignals) => {
  // In the order of the index, as its pages are written.
  const ordered = events.toSorted((a, b) => (a.hit.ad.tokenId < b.hit.ad.tokenId ? -1 : 1));
  const ofBatch: CopiedColumns<StoredEvent> = [
    ['zone', ({ hit }) => zones?.[hit.ad.publisherId] ?? 'UTC'],
    ['advertiser_id', ({ hit }) => payers?.[hit.ad.campaignId] ?? 0],
    ['batch', () => batch],
  ];
  await copyRows(trx, 'events', [...COLUMNS, ...ofBatch], ordered);
  await copySignals(trx, events, takesSignals);
  return events.length;
};

const insertNew: Insert = async (trx, events, { batch }, takesSignals) => {
  const columns = COLUMNS.map(([, read]) => arrayLiteral(events.map(read)));
  const { rows } = await trx.raw<{ rows: RowKey[] }>(INSERT, [...columns, batch]);
  const textOf = ({ day, jti, kind, eventType, screened }: RowKey): string => [day, jti, kind, eventType, screened].join(' ');
  const arrived = new Set(rows.map(textOf));
  // Of two deliveries in one batch one is new, and it does not matter which.
  const isNew = ({ hit: { ad, kind, eventType, invalidReason } }: StoredEvent): boolean =>
    arrived.delete(textOf({ day: dateOfDay(ad.day), jti: ad.tokenId, kind, eventType, screened: invalidReason !== '' }));
  await copySignals(trx, events.filter(isNew), takesSignals);
  return rows.length;
};

const noteBatch = async (
  trx: Knex.Transaction,
  { batch, countsNow }: Begun,
  events: readonly StoredEvent[],
  stored: number,
): Promise<void> => {
  const days = arrayLiteral([...new Set(events.map(({ hit }) => dateOfDay(hit.ad.day)))]);
  await trx.raw('insert into event_batches (batch, days, rows) overriding system value values (?::bigint, ?::date[], ?)', [
    batch,
    days,
    stored,
  ]);
  if (countsNow) await rollUpBatches(trx, [batch]);
};

/** What stores events in a transaction. Resolves to how many of them are new. */
interface Storing {
  readonly insert: Insert;
  readonly takesSignals: TakesSignals;
}

const insertBatch = async (trx: Knex.Transaction, events: readonly StoredEvent[], { insert, takesSignals }: Storing): Promise<number> => {
  if (events.length === 0) return 0;
  const begun = await begin(trx, events);
  const stored = await insert(trx, events, begun, takesSignals);
  if (stored > 0) await noteBatch(trx, begun, events, stored);
  return stored;
};

/** A final click takes the place of its provisional row, which may be one of these events, or of none when that comes later. */
const insertAndJudge = async (trx: Knex.Transaction, events: readonly StoredEvent[], storing: Storing): Promise<number> => {
  const clicks = events.filter(isFinalClick);
  if (clicks.length === 0) return insertBatch(trx, events, storing);
  const final = new Set(clicks.map(({ hit }) => hit.ad.tokenId));
  const moved = await moveProvisional(trx, clicks);
  const isRow = (event: StoredEvent): boolean => {
    const { tokenId } = event.hit.ad;
    return isFinalClick(event) ? !moved.has(tokenId) : !(isProvisionalClick(event) && final.has(tokenId));
  };
  return insertBatch(trx, events.filter(isRow), storing);
};

const daysOf = (events: readonly StoredEvent[]): readonly number[] => [...new Set(events.map(({ hit }) => hit.ad.day))];

const UNIQUE_VIOLATION = '23505';

/**
 * Stores each event once, even if it is passed repeatedly. Resolves to the number of new events. Rejects when Postgres is unavailable.
 *
 * A batch that is delivered again is rare, so its rows are copied as if all were new, and stored one by one when they are not. To look for
 * the partitions of their days costs as much as two hundred rows, so it is done when a day comes for the first time, or when rows were
 * refused because another replica has dropped its partition.
 */
export const createAppendEvents = (knex: Knex): ((events: readonly StoredEvent[]) => Promise<number>) => {
  /** Days, since the epoch, that had their partitions, also that of signals. */
  const known = new Set<number>();

  const appendToKnown = (events: readonly StoredEvent[], insert: Insert): Promise<number> =>
    knex.transaction(async (trx) => {
      await holdAllPartitions(trx);
      return insertAndJudge(trx, events, { insert, takesSignals: () => true });
    });

  const appendToAny = async (events: readonly StoredEvent[], insert: Insert): Promise<number> => {
    const days = daysOf(events);
    const store = async (trx: Knex.Transaction): Promise<number> => {
      const takesSignals = await readTakesSignals(trx);
      const stored = await insertAndJudge(trx, events, { insert, takesSignals });
      for (const day of days.filter(takesSignals)) known.add(day);
      return stored;
    };
    const stored = await knex.transaction(async (trx) => ((await holdPartitions(trx, days)).length > 0 ? undefined : store(trx)));
    if (stored !== undefined) return stored;
    return knex.transaction(async (trx) => {
      await createPartitions(trx, days);
      return store(trx);
    });
  };

  const append = async (events: readonly StoredEvent[], insert: Insert): Promise<number> => {
    if (!daysOf(events).every((day) => known.has(day))) return appendToAny(events, insert);
    try {
      return await appendToKnown(events, insert);
    } catch (fault) {
      if (!lacksPartition(fault)) throw fault;
      known.clear();
      return appendToAny(events, insert);
    }
  };

  return async (events) => {
    if (events.length === 0) return 0;
    try {
      return await append(events, insertByCopy);
    } catch (fault) {
      if ((fault as { readonly code?: unknown }).code !== UNIQUE_VIOLATION) throw fault;
      return append(events, insertNew);
    }
  };
};
