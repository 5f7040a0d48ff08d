import { dateOfDay, dayOf } from '../../../base/utc-day.ts';
import { measuresOf, summedEvents, type EventSource, type RollUpKey } from '../../postgres/roll-ups.ts';
import { PROVISIONAL } from '../../../ledger/hit.ts';
import { EVENT_COLUMN_NAMES } from '../../export/event-columns.ts';
import { openClickHouse } from './clickhouse-client.ts';

/** Sums of the events of some days. */
export interface FiguresAsked {
  readonly of: EventSource;
  /** By what they are summed. */
  readonly keys: readonly RollUpKey[];
  /** Those of the keys that only these line items are summed by. Of the others they are 0, '' or the first day of a month. */
  readonly apart: { readonly keys: readonly RollUpKey[]; readonly lineItems: readonly number[] };
  /** First and last day of the hits, in the time zone of the publisher then: YYYY-MM-DD. */
  readonly from: string;
  readonly to: string;
  /** The only values of some columns; rows with others may be among the figures where the table has no such column. */
  readonly only: Partial<Readonly<Record<RollUpKey, readonly string[]>>>;
  readonly maxRows: number;
}

/** The values of each column: those of the keys, then of what is summed. An hour is in seconds since 1970. */
export interface Figures {
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly values: readonly (string | number)[] }[];
}

/** A hit may come so many days after the selection of its ad, which its row is stored with, in another zone too. */
const DAYS_BEFORE = 2;
const DAYS_AFTER = 1;
const shifted = (date: string, days: number): string => dateOfDay(dayOf(Date.parse(`${date}T00:00:00Z`)) + days);

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

/** Over rows `e`, of which each has one of these zones. A function of ClickHouse takes a zone as a constant only. */
const inZone = (zones: readonly string[], sqlOf: (zone: string) => string): string => {
  const [last = "'UTC'", ...others] = zones.map(quoted).reverse();
  if (others.length === 0) return sqlOf(last);
  return `multiIf(${others.map((zone) => `e.time_zone = ${zone}, ${sqlOf(zone)}`).join(', ')}, ${sqlOf(last)})`;
};

/** What `summedEvents` reads, from the columns of a sink: each as a row of events in Postgres has it. */
const COLUMNS = {
  publisher_id: 'e.publisher_id',
  campaign_id: 'e.campaign_id',
  line_item_id: 'e.line_item_id',
  creative_id: 'e.creative_id',
  placement_id: 'e.placement_id',
  size: `ifNull(e.size, '')`,
  advertiser_id: 'ifNull(e.advertiser_id, 0)',
  country: `ifNull(e.country, '')`,
  region: `ifNull(e.region, '')`,
  device: `ifNull(e.device, '')`,
  browser: `ifNull(e.browser, '')`,
  kind: 'e.kind',
  event_type: `ifNull(e.event_type, '')`,
  invalid_reason: `multiIf(e.state = 'net', '', e.state = '${PROVISIONAL}', '${PROVISIONAL}', ifNull(e.reason, ''))`,
  count: '1',
  micros: 'e.billed_micros',
} as const;

const isColumn = (name: string): boolean => EVENT_COLUMN_NAMES.some((column) => column === name);
/** The types of columns that can be narrowed. */
const typeOf = (key: RollUpKey): string => (key.endsWith('_id') && key !== 'placement_id' ? 'Int32' : 'String');

/** What a key is where it is not told. */
const untold = (key: RollUpKey): string => {
  if (key === 'day') return 'greatest(toStartOfMonth(day), {from: Date})';
  return key === 'hour' || typeOf(key) === 'Int32' ? '0' : `''`;
};

/**
 * What reports ask a ClickHouse that is a sink. Each method rejects when it is away.
 *
 * @throws when the URL is wrong: see openClickHouse
 */
export const openClickHouseFigures = async (url: URL) => {
  const { client, table } = await openClickHouse(url);

  const query = async <Row>(text: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<readonly Row[]> => {
    const found = await client.query({
      ...{ query: text, format: 'JSONCompactEachRow', abort_signal: signal, query_params: params },
      clickhouse_settings: { do_not_merge_across_partitions_select_final: 1, output_format_json_quote_64bit_integers: 1 },
    });
    return found.json<Row>();
  };

  return {
    /** The first day of an event; undefined: it has none. */
    firstDay: async (signal: AbortSignal): Promise<string | undefined> => {
      const [found] = await query<[string]>(`select toString(min(e.day)) from ${table} as e having count() > 0`, {}, signal);
      return found?.[0];
    },
    /** undefined: there are more rows than `maxRows`. */
    read: async ({ of, keys, apart, from, to, only, maxRows }: FiguresAsked, signal: AbortSignal): Promise<Figures | undefined> => {
      const narrowed = (Object.entries(only) as [RollUpKey, readonly string[]][]).filter(([key]) => isColumn(key));
      const params = {
        ...{ from, to, first: shifted(from, -DAYS_BEFORE), last: shifted(to, DAYS_AFTER) },
        apart: apart.lineItems,
        ...Object.fromEntries(narrowed.map(([key, values]) => [`only_${key}`, typeOf(key) === 'String' ? values : values.map(Number)])),
      };
      const where = [
        'e.day between {first: Date} and {last: Date}',
        ...narrowed.map(([key]) => `e.${key} in {only_${key}: Array(${typeOf(key)})}`),
      ].join(' and ');
      const zones = await query<[string]>(`select distinct e.time_zone from ${table} as e where ${where}`, params, signal);
      const zoned = {
        day: inZone(zones.flat(), (zone) => `toDate(e.counted_at, ${zone})`),
        hour: inZone(zones.flat(), (zone) => `toUnixTimestamp(toStartOfHour(e.counted_at, ${zone}))`),
      };
      const columns = Object.entries({ ...zoned, ...COLUMNS }).map(([name, sql]) => `${sql} as ${name}`);
      const told = apart.keys.map((key) => `if(is_apart, ${key}, ${untold(key)}) as ${key}`);
      const rows = await query<readonly (string | number)[]>(
        `with hits as (select ${columns.join(', ')} from ${table} as e final where ${where}),
           asked as (select *, line_item_id in {apart: Array(Int32)} as is_apart from hits where day between {from: Date} and {to: Date}),
           told as (select *${told.length > 0 ? ` replace (${told.join(', ')})` : ''} from asked)
         ${summedEvents(of, keys, 'told')} limit ${maxRows + 1}`,
        params,
        signal,
      );
      if (rows.length > maxRows) return undefined;
      const names = [...keys, ...measuresOf(of)];
      return { rows: rows.length, columns: names.map((name, i) => ({ name, values: rows.map((row) => row[i] ?? 0) })) };
    },
    close: (): Promise<void> => client.close(),
  };
};

export type ClickHouseFigures = Awaited<ReturnType<typeof openClickHouseFigures>>;
