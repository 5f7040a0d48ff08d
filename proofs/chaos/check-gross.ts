import { dayOf } from '../../src/base/utc-day.ts';
import type { Lane } from './lane.ts';
import type { Model, Violation } from './model.ts';

/** Gross = filtered + provisional + net, by line item, day and kind: what rows say of each state against its counts. */
const DIFFERENCES = `
  with rows as (
    select line_item_id, day, kind::text as kind, invalid_reason as state, count(*) as hits from events
    where (kind <> 'event' or invalid_reason <> '') and batch not in (select batch from event_batches) group by 1, 2, 3, 4
  ), counts as (
    select line_item_id, day, kind, reason as state, sum(count) as hits from filtered_counts group by 1, 2, 3, 4
    union all select line_item_id, day, 'impression', '', sum(impressions) from daily_counts group by 1, 2
    union all select line_item_id, day, 'click', '', sum(clicks) from daily_counts group by 1, 2
  )
  select line_item_id || ' ' || kind || ' ' || state as name, coalesce(rows.hits, 0) as rows, coalesce(counts.hits, 0) as counts
  from rows full join counts using (line_item_id, day, kind, state) where coalesce(rows.hits, 0) <> coalesce(counts.hits, 0)`;

/** Whether each hit that Postgres has counted is in the counts of exactly one state. */
export const checkGross = async ({ knex }: Pick<Lane, 'knex'>): Promise<readonly Violation[]> => {
  const { rows } = await knex.raw<{ rows: { name: string; rows: string; counts: string }[] }>(DIFFERENCES);
  return rows.map(({ name, rows: of, counts }) => ({ rule: 'gross', text: `${name}: ${of} rows, ${counts} in the counts of Postgres` }));
};

/** Whether Redis has tallied what is neither net nor lost: of today and yesterday, which are compared and corrected. */
export const checkTallies = (model: Model, tallies: ReadonlyMap<string, number>, nowMs: number): readonly Violation[] => {
  const due = new Map<string, number>();
  for (const { hit, reason } of model.logged.values()) {
    const name = `${hit.ad.day}:${hit.ad.lineItemId}:${hit.kind}:${reason}`;
    if (reason !== '') due.set(name, (due.get(name) ?? 0) + 1);
  }
  return [...new Set([...due.keys(), ...tallies.keys()])].flatMap((name): Violation[] => {
    const [is, by] = [tallies.get(name) ?? 0, due.get(name) ?? 0];
    const isCompared = Number.parseInt(name, 10) >= dayOf(nowMs) - 1;
    return is === by || !isCompared ? [] : [{ rule: 'gross', text: `the tally of ${name} in Redis: ${is}, by the events ${by}` }];
  });
};
