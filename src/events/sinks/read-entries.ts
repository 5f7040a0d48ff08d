import { dateOfDay, MS_PER_HOUR, MS_PER_MINUTE } from '../../base/utc-day.ts';
import type { StreamEntry } from '../../redis/stream-consumer.ts';
import type { StoredEvent } from '../postgres/stored-event.ts';
import { eventIn, splitEntry } from '../read-event.ts';
import type { SinkHour } from './event-sink.ts';

export interface ReadEntry {
  readonly entryId: string;
  readonly event: StoredEvent;
  /** Of the event. */
  readonly fields: readonly string[];
}

/** The events of entries. One that cannot be read is a dead event of Postgres (event-writer.ts), and no sink gets it. */
export const readEntries = (entries: readonly StreamEntry[]): readonly ReadEntry[] =>
  entries.flatMap(([entryId, fields]) =>
    splitEntry(fields ?? []).flatMap((own) => eventIn(own).map((event) => ({ entryId, fields: own, event }))),
  );

/** YYYY-MM-DDTHH. */
export const hourOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 13);

/** Events of an hour that has ended may be on their way for so long. */
const ON_THEIR_WAY_MS = 10 * MS_PER_MINUTE;
/** Whether an hour (YYYY-MM-DDTHH) has ended, and its events have come: a sink may be given it whole. */
export const isHourOver = (hour: string, nowMs: number): boolean => Date.parse(`${hour}:00:00Z`) + MS_PER_HOUR + ON_THEIR_WAY_MS < nowMs;

/** In which hours of which days these events are, repeatedly. */
export const hoursOf = (events: readonly Pick<ReadEntry, 'event'>[]): readonly SinkHour[] =>
  events.map(({ event }) => ({ day: dateOfDay(event.hit.ad.day), hour: hourOf(event.atMs) }));
