import { ADD_TO_DAILY, ADD_TO_EVENTS, ADD_TO_FILTERED, ADD_TO_HOURLY, COUNTED, DAILY_KEY, EVENT_KEY, HOURLY_KEY } from './count-tables.ts';
import { addToRollUps, GROUPED, GROUPINGS } from './roll-ups.ts';

/** Sums of a group of rows; a row that is taken away has the sign -1. */
const SUMS = `sum(sign) as count, coalesce(sum(sign) filter (where is_repeat), 0) as repeats, sum(sign * billed_micros) as micros`;

/**
 * SQL: members of a WITH that add rows of events to every table of counts. Rows are read three times, and each count is made from
 * the groups that this leaves.
 *
 * @param from a relation with the columns of events, and `sign`: 1 for a row that is added, -1 for one that is taken away
 */
export const countRows = (from: string): string => `
  local as materialized (
    select *, day as of_day, at at time zone zone as local_at from ${from}
  ), ${GROUPED.map(
    (grouped) => `${grouped} as materialized (
    select ${Object.entries(GROUPINGS[grouped])
      .map(([name, sql]) => `${sql} as ${name}`)
      .join(', ')}, ${SUMS}
    from local group by ${Object.keys(GROUPINGS[grouped])
      .map((_, i) => i + 1)
      .join(', ')}
  )`,
  ).join(', ')}, counted as (
    insert into daily_counts (${DAILY_KEY}, impressions, clicks, repeat_clicks, spend_micros)
    select ${ofDay(DAILY_KEY)}, coalesce(sum(count) filter (where kind = 'impression'), 0), coalesce(sum(count) filter (where kind = 'click'), 0),
           sum(repeats), sum(micros)
    from shown where (kind in ('impression', 'click') or micros <> 0) and ${COUNTED}
    group by ${ofDay(DAILY_KEY)} order by ${ofDay(DAILY_KEY)}
    ${ADD_TO_DAILY}
  ), tallied as (
    insert into event_counts (${EVENT_KEY}, count)
    select ${ofDay(EVENT_KEY)}, sum(count) from shown where kind = 'event' and ${COUNTED}
    group by ${ofDay(EVENT_KEY)} order by ${ofDay(EVENT_KEY)}
    ${ADD_TO_EVENTS}
  ), filtered as (
    insert into filtered_counts (${DAILY_KEY}, kind, reason, count)
    select ${ofDay(DAILY_KEY)}, kind, invalid_reason, sum(count) from shown where not (${COUNTED})
    group by ${ofDay(DAILY_KEY)}, kind, invalid_reason order by ${ofDay(DAILY_KEY)}, kind, invalid_reason
    ${ADD_TO_FILTERED}
  ), timed as (
    insert into hourly_counts (${HOURLY_KEY}, impressions)
    select utc_hour::date, extract(hour from utc_hour), publisher_id, sum(count)
    from shown where kind = 'impression' and ${COUNTED}
    group by 1, 2, 3 order by 1, 2, 3
    ${ADD_TO_HOURLY}
  ), ${addToRollUps()}`;

/** The day of the selection: groups have the publisher's day of the hit beside it. */
const ofDay = (key: string): string => key.replace(/^day\b/, 'of_day');
