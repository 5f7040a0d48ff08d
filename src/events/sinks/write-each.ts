import { divideRefused } from '../divide-refused.ts';
import { SinkRefusal, type EventSink, type SinkBatch, type SinkEvent } from './event-sink.ts';

export interface Delivery {
  readonly entryId: string;
  readonly fields: readonly string[];
  readonly event: SinkEvent;
}

/** Writes a batch, and divides it where its content is refused (divide-refused.ts). What was written before a fault is written again. */
export const writeEach = (
  sink: Pick<EventSink, 'write'>,
  { shard, id }: Pick<SinkBatch, 'shard' | 'id'>,
  deliveries: readonly Delivery[],
  signal: AbortSignal,
  onRefused: (delivery: Delivery, reason: string) => Promise<void>,
): Promise<void> =>
  divideRefused(deliveries, {
    write: (some, part) => sink.write({ shard, id: `${id}${part}`, events: some.map(({ event }) => event) }, signal),
    refusalOf: (fault) => (fault instanceof SinkRefusal ? fault.message : undefined),
    onRefused,
  });
