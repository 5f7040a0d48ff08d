import { DECISION_FILE_COLUMNS } from '../../decisions/decision-columns.ts';
import {
  EVENT_COLUMN_NAMES,
  eventColumn,
  type EventColumn,
  type EventColumnName,
  type EventColumnType,
} from '../../export/event-columns.ts';

const TYPES: Readonly<Record<EventColumnType, string>> = {
  date: 'Date',
  timestamp: `DateTime64(3, 'UTC')`,
  text: 'String',
  integer: 'Int32',
  long: 'Int64',
};
/** Texts of which nearly every row has another; the others are stored as numbers in a dictionary. */
const DISTINCT: readonly EventColumnName[] = ['token_id', 'event_id', 'user_hash'];

const typeOf = ({ type, isNullable }: Pick<EventColumn, 'type' | 'isNullable'>, isDistinct: boolean): string => {
  const plain = isNullable ? `Nullable(${TYPES[type]})` : TYPES[type];
  return type === 'text' && !isDistinct ? `LowCardinality(${plain})` : plain;
};
/** The type of a column in ClickHouse. */
export const clickHouseType = (name: EventColumnName): string => typeOf(eventColumn(name), DISTINCT.includes(name));
const decisionType = (column: (typeof DECISION_FILE_COLUMNS)[number]): string =>
  typeOf(column, ['token_id', 'offered', 'refused'].includes(column.name));

/** The table of sampled decisions beside a table of events. */
export const decisionsTable = (table: string): string => `${table}_decisions`;

/**
 * What a hit is found by: the same under judgement and afterwards, so the row with the higher version takes the place of the other
 * one. First by what is asked for.
 */
const ROW_KEY: readonly EventColumnName[] = ['publisher_id', 'line_item_id', 'event_id'];

/** The name of a table: nothing in it has to be quoted. */
export const isTableName = (text: string): boolean => /^[a-z_][a-z0-9_]{0,63}$/.test(text);

/**
 * The statements that make the table of events and its views, each of which can be repeated.
 *
 * @param keepDays how long a row is kept after its day
 */
export const clickHouseSchema = (table: string, keepDays: number): readonly string[] => [
  `create table if not exists ${table} (
${EVENT_COLUMN_NAMES.map((name) => `  ${name} ${clickHouseType(name)}`).join(',\n')}
)
engine = ReplacingMergeTree(version)
partition by day
order by (${ROW_KEY.join(', ')})
ttl day + toIntervalDay(${keepDays})
settings non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1`,
  // A later release adds columns.
  ...EVENT_COLUMN_NAMES.map((name) => `alter table ${table} add column if not exists ${name} ${clickHouseType(name)}`),
  `create or replace view ${table}_once as
select * from ${table} final
settings do_not_merge_across_partitions_select_final = 1`,
  `create or replace view ${table}_days as
select day, publisher_id, campaign_id, line_item_id, creative_id, placement_id,
  countIf(kind = 'impression' and state = 'net') as impressions,
  countIf(kind = 'impression' and state = 'filtered') as filtered_impressions,
  countIf(kind = 'click' and state = 'net') as clicks,
  countIf(kind = 'click' and state = 'filtered') as filtered_clicks,
  countIf(kind = 'click' and state = 'provisional') as provisional_clicks,
  countIf(kind = 'event' and state = 'net') as events,
  sum(e.billed_micros) as billed_micros
from ${table} as e final
group by day, publisher_id, campaign_id, line_item_id, creative_id, placement_id
settings do_not_merge_across_partitions_select_final = 1`,
  `create table if not exists ${decisionsTable(table)} (
${DECISION_FILE_COLUMNS.map((column) => `  ${column.name} ${decisionType(column)}`).join(',\n')}
)
engine = MergeTree
partition by day
order by (publisher_id, placement_id, decided_at)
ttl day + toIntervalDay(${keepDays})
settings ttl_only_drop_parts = 1`,
  ...DECISION_FILE_COLUMNS.map(
    (column) => `alter table ${decisionsTable(table)} add column if not exists ${column.name} ${decisionType(column)}`,
  ),
];
