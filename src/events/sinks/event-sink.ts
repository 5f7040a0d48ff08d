import type { DecisionRow } from '../decisions/decision-columns.ts';
import type { EVENT_COLUMNS, RowOf } from '../export/event-columns.ts';

/**
 * A settled hit with the columns of a raw export (event-columns.ts). Of events with one `event_id` the one with
 * the highest `version` counts. `user_hash` is null unless the sink asks for it.
 */
export type SinkEvent = RowOf<typeof EVENT_COLUMNS>;

export interface SinkBatch {
  /** Whose stream it is of; undefined: it was read from Postgres. */
  readonly shard: number | undefined;
  /** The same when the same events are sent again, unless their shard has changed hands in between. At most 100 characters: letters, digits, `-`. */
  readonly id: string;
  readonly events: readonly SinkEvent[];
}

/** The events of a day (column `day`) that were counted in an hour of UTC. All of them are in one partition of Postgres. */
export interface SinkHour {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** YYYY-MM-DDTHH. */
  readonly hour: string;
}

/** How a sink's events of a day are summed for `reconcile`. */
export type SinkGroup = 'line_item_id' | 'hour';

/** After the removal of repeated events. */
export interface SinkCount {
  /** Id of the line item, or the hour of `counted_at` in UTC as YYYY-MM-DDTHH. */
  readonly group: string;
  readonly kind: string;
  readonly state: string;
  readonly events: number;
  readonly micros: number;
}

/**
 * Takes the settled events of each shard, in order, from one replica at a time. At least once: a sink, or who reads it, removes
 * repeated events by `event_id` and `version`.
 */
export interface EventSink {
  /** Unique among the sinks; a label of metrics. */
  readonly name: string;
  /** The events that one write takes at most. */
  readonly maxEvents: number;
  /**
   * Resolves when the batch is durable there. Rejects with SinkRefusal when its content is refused and would be again; with
   * anything else when the fault passes. Writes of different shards run at the same time.
   */
  write(batch: SinkBatch, signal: AbortSignal): Promise<void>;
  /** Sums of the events of a day (column `day`); absent when the sink cannot be read. */
  count?(day: string, by: SinkGroup, signal: AbortSignal): Promise<readonly SinkCount[]>;
  /** Replaces what the sink has of an hour; absent when a repeated `write` of its events is enough. */
  replaceHour?(hour: SinkHour, pages: AsyncIterable<readonly SinkEvent[]>, signal: AbortSignal): Promise<void>;
  /** Sets `user_hash` to null where it is one of these. Resolves to the number of events; absent when the sink cannot change what it has. */
  forget?(userHashes: readonly string[], signal: AbortSignal): Promise<number>;
  /** Writes sampled decisions, once; absent when the sink takes none. */
  writeDecisions?(rows: readonly DecisionRow[], signal: AbortSignal): Promise<void>;
  /** Finishes what was begun and closes connections. */
  close(): Promise<void>;
}

/** The content of a batch is refused, and would be again: the batch is divided until the refused event is alone, which becomes a dead event of this sink. */
export class SinkRefusal extends Error {
  override readonly name = 'SinkRefusal';
}

export interface SinkOptions {
  readonly name: string;
  /** As in SINKS, with its credentials: never log it. Options are its query parameters. */
  readonly url: URL;
  /** `?user_hash=true`: events keep `user_hash`. */
  readonly keepsUserHash: boolean;
  /** Unique to this replica. */
  readonly replica: string;
  /** Called for what an operator should know and that stops nothing. */
  readonly onNotice: (message: string, details: Readonly<Record<string, unknown>>) => void;
}

/** Opens a sink of one URL scheme. Rejects, or throws, only when the URL is wrong: a store that is away is found at the first write. */
export type OpenSink = (options: SinkOptions) => Promise<EventSink>;
