import { EVENT_COLUMN_NAMES, eventColumn } from '../../export/event-columns.ts';
import { SinkRefusal, type OpenSink, type SinkCount, type SinkEvent } from '../event-sink.ts';
import { openClickHouse } from './clickhouse-client.ts';
import { decisionsTable } from './clickhouse-schema.ts';

/** Events of one insert: each makes a part of the table for each day, and merging parts is what the server is busy with. */
const MAX_EVENTS = 10_000;
/** An insert with fewer is gathered with others by the server, which answers when they are stored. */
const FEW_EVENTS = 1_000;
/** Users of one statement. */
const HASHES_AT_ONCE = 1_000;

/** Codes of what is refused for its content. https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp */
const REFUSALS: readonly string[] = ['6', '26', '27', '38', '41', '53', '69', '70', '72', '117', '131', '349'];

const codeOf = (fault: unknown): string => (fault as { readonly code?: string }).code ?? '';
const TIMESTAMPS = EVENT_COLUMN_NAMES.filter((name) => eventColumn(name).type === 'timestamp');

/** As the server reads it fastest, in UTC, which is the zone of its column. */
const clickHouseMoment = (at: Date): string => at.toISOString().replace('T', ' ').slice(0, -1);

/** As a line of JSONEachRow. */
export const clickHouseRow = (event: SinkEvent): Readonly<Record<string, unknown>> => ({
  ...event,
  ...Object.fromEntries(TIMESTAMPS.map((name) => [name, clickHouseMoment(event[name] as Date)])),
});

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

/**
 * Inserts events into a table of ClickHouse, which `create-clickhouse-tables` makes. The token of an insert is that of its
 * batch, so the server leaves out a repeated one; events that come in another batch are replaced when parts are merged, and in each
 * query with FINAL.
 */
export const openClickHouseSink: OpenSink = async ({ name, url, keepsUserHash }) => {
  const { client, table } = await openClickHouse(url);
  const final = { do_not_merge_across_partitions_select_final: 1 } as const;

  const rowsOf = async <Row>(query: string, signal: AbortSignal, day?: string): Promise<readonly Row[]> => {
    const found = await client.query({
      ...{ query, format: 'JSONEachRow', abort_signal: signal, clickhouse_settings: final },
      ...(day !== undefined && { query_params: { day } }),
    });
    return found.json<Row>();
  };

  return {
    name,
    maxEvents: MAX_EVENTS,
    write: async ({ shard, id, events }, signal) => {
      if (events.length === 0) return;
      const gathered =
        events.length < FEW_EVENTS
          ? ({ async_insert: 1, wait_for_async_insert: 1, async_insert_deduplicate: 1 } as const)
          : ({ async_insert: 0 } as const);
      try {
        await client.insert({
          table,
          values: events.map(clickHouseRow),
          format: 'JSONEachRow',
          abort_signal: signal,
          clickhouse_settings: { ...gathered, insert_deduplicate: 1, insert_deduplication_token: `${shard ?? 'read'}-${id}` },
        });
      } catch (fault) {
        if (REFUSALS.includes(codeOf(fault))) throw new SinkRefusal(`ClickHouse refuses it (code ${codeOf(fault)})`, { cause: fault });
        throw fault;
      }
    },
    count: async (day, by, signal) => {
      const group = by === 'hour' ? `formatDateTime(counted_at, '%Y-%m-%dT%H', 'UTC')` : 'toString(line_item_id)';
      const rows = await rowsOf<Readonly<Record<keyof SinkCount, string>>>(
        `select ${group} as "group", kind, state, count() as events, sum(e.billed_micros) as micros
         from ${table} as e final where day = {day: Date} group by 1, 2, 3 order by 1, 2, 3`,
        signal,
        day,
      );
      return rows.map(({ events, micros, ...row }) => ({ ...row, events: Number(events), micros: Number(micros) }));
    },
    writeDecisions: async (rows, signal) => {
      await client.insert({
        table: decisionsTable(table),
        values: rows.map((row) => ({ ...row, decided_at: clickHouseMoment(row.decided_at) })),
        ...{ format: 'JSONEachRow', abort_signal: signal },
      });
    },
    forget: async (userHashes, signal) => {
      if (!keepsUserHash) return 0;
      let forgotten = 0;
      for (let from = 0; from < userHashes.length; from += HASHES_AT_ONCE) {
        const among = `user_hash in (${userHashes
          .slice(from, from + HASHES_AT_ONCE)
          .map(quoted)
          .join(', ')})`;
        const [found] = await rowsOf<{ readonly events: string }>(`select count() as events from ${table} final where ${among}`, signal);
        forgotten += Number(found?.events ?? 0);
        // Waits for every part: who asked may rely on it.
        await client.command({
          ...{ query: `alter table ${table} update user_hash = null where ${among}`, abort_signal: signal },
          clickhouse_settings: { mutations_sync: '2' },
        });
      }
      return forgotten;
    },
    close: () => client.close(),
  };
};
