import { arrayLiteral } from '../events/postgres/array-literal.ts';
import type { RollUp } from '../events/postgres/roll-ups.ts';
import type { Figures } from '../events/sinks/clickhouse/clickhouse-figures.ts';

/** SQL with named bindings. */
export interface Statement {
  readonly sql: string;
  readonly bindings: Readonly<Record<string, unknown>>;
}

/** A roll-up whose rows a statement brings along. */
export interface GivenRollUp {
  /** With the name of a member of a WITH as its table. */
  readonly rollUp: RollUp;
  readonly member: Statement;
}

/** The types of keys; what is summed are bigints. */
const TYPES = new Map<string, string>([
  ['day', 'date'],
  ['hour', 'float8'],
  ...['publisher_id', 'campaign_id', 'line_item_id', 'creative_id', 'advertiser_id'].map((name) => [name, 'int'] as const),
  ...['placement_id', 'size', 'country', 'region', 'device', 'browser', 'reason', 'error_code'].map((name) => [name, 'text'] as const),
]);

/** Figures as the roll-up that they are read instead of. Those that are by no day are all of the first one of the report. */
export const givenRollUp = (rollUp: RollUp, { columns }: Figures): GivenRollUp => {
  const table = `given_${rollUp.table}`;
  const names = columns.map(({ name }) => name);
  const arrays = names.map((name) => `:${table}_${name}::${TYPES.get(name) ?? 'bigint'}[]`);
  const read = names.map((name) => (name === 'hour' ? 'to_timestamp(hour) as hour' : name));
  const day = names.includes('day') ? [] : [':from::date as day'];
  return {
    rollUp: { ...rollUp, table },
    member: {
      sql: `${table} as materialized (select ${[...day, ...read].join(', ')} from unnest(${arrays.join(', ')}) as given (${names.join(', ')}))`,
      bindings: Object.fromEntries(columns.map(({ name, values }) => [`${table}_${name}`, arrayLiteral(values)])),
    },
  };
};
