import { EVENT_COLUMN_NAMES, eventColumn } from '../../../src/events/export/event-columns.ts';
import type { StoredEvent } from '../../../src/events/postgres/stored-event.ts';
import type { SinkEvent } from '../../../src/events/sinks/event-sink.ts';
import type { HitState } from '../../../src/ledger/hit.ts';
import { eventOf, NOON } from '../events.ts';

const HOUR_MS = 3_600_000;

const toSinkEvent = (event: StoredEvent): SinkEvent =>
  Object.fromEntries(
    EVENT_COLUMN_NAMES.map((name) => {
      const { type, of } = eventColumn(name);
      const value = of(event, { zone: 'Europe/Berlin', advertiserId: 5 });
      return [name, value === undefined || value === '' ? null : type === 'timestamp' ? new Date(value as number) : value];
    }),
  ) as unknown as SinkEvent;

/**
 * The nth hit of a stream: impressions and clicks of three line items on 2026-06-15, within three hours; each tenth click is under
 * judgement, and the hit after it is what became of it.
 */
export const nthEvent = (n: number): SinkEvent => {
  const isFinal = n % 20 === 11;
  const of = isFinal ? n - 1 : n;
  const reason: HitState = isFinal ? '' : of % 20 === 10 ? 'provisional' : of % 7 === 0 ? 'spider' : '';
  const atMs = NOON + (n % 3) * HOUR_MS + n;
  const ad = {
    tokenId: `t-${of}`,
    lineItemId: 1 + (of % 3),
    publisherId: 1 + (of % 2),
    placementId: 'top, "ätt"',
    userHash: `user-${of % 50}`,
  };
  const hit = { kind: of % 10 === 0 ? 'click' : 'impression', country: of % 2 ? 'DE' : null } as const;
  return toSinkEvent({ ...eventOf(ad, hit, atMs), reason, billedMicros: reason === '' ? 1_000_001 + of : 0 });
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
