import { SinkRefusal, type EventSink, type SinkBatch, type SinkEvent } from './event-sink.ts';

export interface Delivery {
  readonly entryId: string;
  readonly fields: readonly string[];
  readonly event: SinkEvent;
}

/**
 * Writes a batch. When its content is refused, it is divided until each refused event is alone. Rejects with the first fault that passes;
 * what was written before is written again then.
 */
export const writeEach = async (
  sink: Pick<EventSink, 'write'>,
  { shard, id }: Pick<SinkBatch, 'shard' | 'id'>,
  deliveries: readonly Delivery[],
  signal: AbortSignal,
  onRefused: (delivery: Delivery, reason: string) => Promise<void>,
): Promise<void> => {
  const [first] = deliveries;
  if (first === undefined) return;
  try {
    await sink.write({ shard, id, events: deliveries.map(({ event }) => event) }, signal);
  } catch (fault) {
    if (!(fault instanceof SinkRefusal)) throw fault;
    if (deliveries.length === 1) return onRefused(first, fault.message);
    const middle = deliveries.length >> 1;
    await writeEach(sink, { shard, id: `${id}a` }, deliveries.slice(0, middle), signal, onRefused);
    await writeEach(sink, { shard, id: `${id}b` }, deliveries.slice(middle), signal, onRefused);
  }
};
