/** SQL: the hits that are counted and billed. What is filtered is stored and not counted. */
export const COUNTED = `invalid_reason = ''`;

/**
 * The key of each table of counts, in the order in which every writer of it writes: concurrent
 * writers lock the rows of a table in the same order.
 */
export const SERVES_KEY = 'day, line_item_id, creative_id, campaign_id, publisher_id';
export const DAILY_KEY = `${SERVES_KEY}, advertiser_id`;
export const EVENT_KEY = 'day, line_item_id, creative_id, event_type, advertiser_id';
export const HOURLY_KEY = 'day, hour, publisher_id';

export const HOLD_KEY = 'hold_end, line_item_id, day';

/** Ends an insert into each table of counts: adds to the row that there is. */
export const ADD_TO_DAILY = `on conflict (${DAILY_KEY}) do update set
      impressions = daily_counts.impressions + excluded.impressions,
      clicks = daily_counts.clicks + excluded.clicks,
      repeat_clicks = daily_counts.repeat_clicks + excluded.repeat_clicks,
      spend_micros = daily_counts.spend_micros + excluded.spend_micros`;
export const ADD_TO_EVENTS = `on conflict (${EVENT_KEY}) do update set count = event_counts.count + excluded.count`;
export const ADD_TO_FILTERED = `on conflict (${DAILY_KEY}, kind, reason) do update set count = filtered_counts.count + excluded.count`;
export const ADD_TO_HOURLY = `on conflict (${HOURLY_KEY}) do update set impressions = hourly_counts.impressions + excluded.impressions`;
