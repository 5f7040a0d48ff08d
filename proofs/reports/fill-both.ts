import type { Knex } from 'knex';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { rollUpAll } from '../../src/events/postgres/roll-up-batches.ts';
import { EVENT_COLUMN_NAMES } from '../../src/events/export/event-columns.ts';
import type { ClickHouseTarget } from '../../src/events/sinks/clickhouse/clickhouse-client.ts';
import type { EventSink } from '../../src/events/sinks/event-sink.ts';
import { createReadContexts, toSinkEvent } from '../../src/events/sinks/to-sink-event.ts';
import type { Chance } from '../../testkit/chance.ts';
import { storedEvents, type Delivered } from '../../testkit/stored-events.ts';

export interface FillBothOptions {
  readonly knex: Knex;
  readonly clickHouse: ClickHouseTarget;
  readonly sink: EventSink;
  readonly bookings: readonly Delivered[];
  readonly count: number;
  readonly days: number;
  readonly chance: Chance;
  readonly say: (line: string) => void;
}

const BATCH = 5_000;
/** So many events are made and written as the service writes them; the others are copies of them with tokens of their own, made by each engine for itself. */
const MADE = 1_000_000;
/** Numbers of batches of copies begin here. */
const BATCHES_OF_COPY = 1_000_000_000;
/** Copies have the same keys of counts, so those of a batch are counted together for little more than one. */
const COPIES_OF_BATCH = 10;
const { signal } = new AbortController();

/** Writes the same events to Postgres, with the roll-ups of the service, and to ClickHouse. Resolves to their number. */
export const fillBoth = async ({ knex, clickHouse, sink, bookings, count, days, chance, say }: FillBothOptions): Promise<number> => {
  const timed = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const begun = performance.now();
    await work();
    say(`  ${what}: ${Math.round((performance.now() - begun) / 1000)} s`);
  };
  const made = Math.min(count, MADE);
  const copies = Math.max(Math.round(count / made) - 1, 0);
  const store = createEventStore({ knex });
  const readContexts = createReadContexts(knex);
  await timed(`${made} events`, async () => {
    for (let from = 0; from < made; from += BATCH) {
      const events = storedEvents(bookings, { count: BATCH, days, nowMs: Date.now(), chance, first: from });
      await store.append(events);
      const contextOf = await readContexts(events);
      const batch = { shard: 0, id: `0-${from}`, events: events.map((event) => toSinkEvent(event, contextOf(event), false)) };
      await sink.write(batch, signal);
    }
  });
  if (copies > 0) {
    const { rows: own } = await knex.raw<{ rows: { name: string }[] }>(
      `select column_name as name from information_schema.columns where table_name = 'events' order by ordinal_position`,
    );
    const names = own.map(({ name }) => name);
    const valuesOf = (given: Readonly<Record<string, string>>): string => names.map((name) => given[name] ?? name).join(', ');
    await timed(`${copies} copies of them in Postgres`, async () => {
      await knex.raw(`create unlogged table made as select * from events order by day, jti; analyze made`);
      for (let first = 1; first <= copies; first += COPIES_OF_BATCH) {
        const batch = first * BATCHES_OF_COPY;
        const of = Math.min(COPIES_OF_BATCH, copies - first + 1);
        await knex.raw(
          `insert into events (${names.join(', ')}) select ${valuesOf({ jti: `jti || '-' || copy`, batch: String(batch) })}
           from made, generate_series(${first}, ${first + of - 1}) as copy;
           insert into event_batches (batch, days, rows) overriding system value
           select ${batch}, array_agg(distinct day), ${of} * count(*) from made`,
        );
      }
      await knex.raw('drop table made');
    });
    // No token of the first ones has a second hyphen.
    const renamed = {
      token_id: `concat(token_id, '-', toString(c.number))`,
      event_id: `concat(token_id, '-', toString(c.number), substring(event_id, length(token_id) + 1))`,
    };
    const values = EVENT_COLUMN_NAMES.map((name) => (name in renamed ? renamed[name as keyof typeof renamed] : name)).join(', ');
    await timed(`${copies} copies of them in ClickHouse`, () =>
      clickHouse.client.command({
        query: `insert into ${clickHouse.table} (${EVENT_COLUMN_NAMES.join(', ')})
          select ${values} from (select * from ${clickHouse.table} final) as e cross join numbers(1, ${copies}) as c
          settings max_partitions_per_insert_block = 1000`,
      }),
    );
  }
  await timed('roll-ups of Postgres', () => rollUpAll(knex));
  await timed('statistics of Postgres', () => knex.raw('vacuum analyze'));
  return made * (copies + 1);
};
