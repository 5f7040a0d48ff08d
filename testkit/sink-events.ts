import { MS_PER_HOUR } from '../src/base/utc-day.ts';
import type { SinkEvent } from '../src/events/sinks/event-sink.ts';

const DAY = '2026-06-15';
const NOON = Date.parse(`${DAY}T12:00:00Z`);

/**
 * The nth hit of a stream: impressions and clicks of three line items on 2026-06-15, within three hours; each second click is under
 * judgement, and the hit after it is what became of it.
 */
export const nthEvent = (n: number): SinkEvent => {
  const isFinal = n % 20 === 11;
  const of = isFinal ? n - 1 : n;
  const state = !isFinal && n % 20 === 10 ? 'provisional' : !isFinal && n % 7 === 0 ? 'filtered' : 'net';
  const kind = of % 10 === 0 ? 'click' : 'impression';
  return {
    ...{ day: DAY, counted_at: new Date(NOON + (n % 3) * MS_PER_HOUR + n), time_zone: 'Europe/Berlin', token_id: `t-${of}`, kind },
    ...{ event_type: null, reason: state === 'net' ? null : state === 'provisional' ? 'activity' : 'spider', state },
    ...{ billed_micros: state === 'net' ? 1_000_001 + of : 0, publisher_id: 1 + (of % 2), campaign_id: 2, line_item_id: 1 + (of % 3) },
    ...{ creative_id: 4, placement_id: 'top, "ätt"', size: of % 5 ? '300x250' : null, advertiser_id: of % 11 ? 5 : null },
    ...{ country: of % 2 ? 'DE' : null, region: null, device: 'desktop', browser: 'Firefox' },
    ...{ event_id: `t-${of}/${kind}`, version: state === 'provisional' ? 0 : 1, user_hash: `user-${of % 50}` },
  };
};

export const eventsFrom = (from: number, count: number): readonly SinkEvent[] =>
  Array.from({ length: count }, (_, i) => nthEvent(from + i));

/** What is left of events when each counts once, by line item, kind and state: events and micros. */
export const sumsOf = (events: Iterable<SinkEvent>): Readonly<Record<string, readonly [events: number, micros: number]>> => {
  const last = new Map<string, SinkEvent>();
  for (const event of events) if ((last.get(event.event_id)?.version ?? -1) < event.version) last.set(event.event_id, event);
  const sums: Record<string, readonly [number, number]> = {};
  for (const { line_item_id, kind, state, billed_micros } of last.values()) {
    const key = `${line_item_id} ${kind} ${state}`;
    const [events, micros] = sums[key] ?? [0, 0];
    sums[key] = [events + 1, micros + billed_micros];
  }
  return Object.fromEntries(Object.entries(sums).sort(([a], [b]) => (a < b ? -1 : 1)));
};
