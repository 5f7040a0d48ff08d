import { divideRefused } from '../divide-refused.ts';
import { SinkRefusal, type EventSink, type SinkBatch, type SinkEvent } from './event-sink.ts';

export interface Delivery {
  readonly entryId: string;
  readonly fields: readonly string[];
  readonly event: SinkEvent;
}

/** Events that are refused one after the other, before others of the batch are tried. */
const MAX_IN_A_ROW = 10;
/** Events that are tried then. */
const TRIED = 5;

const isRefusal = (fault: unknown): fault is SinkRefusal => fault instanceof SinkRefusal;

/**
 * Writes batches to a sink, and divides one where its content is refused (divide-refused.ts). What was written before a fault is written again.
 *
 * A sink that takes nothing has changed, not the events: after ten refusals in a row, and when it refuses others of the batch as well, it is away until it
 * takes one, and its events wait. Rejects then too.
 */
export const createWriteEach = <Item extends { readonly event: SinkEvent }>(sink: Pick<EventSink, 'write'>) => {
  /** Since the last write that it took. */
  let refused = 0;

  return async (
    { shard, id }: Pick<SinkBatch, 'shard' | 'id'>,
    items: readonly Item[],
    signal: AbortSignal,
    onRefused: (item: Item, reason: string) => Promise<void>,
  ): Promise<void> => {
    const write = async (some: readonly Item[], part: string): Promise<void> => {
      await sink.write({ shard, id: `${id}${part}`, events: some.map(({ event }) => event) }, signal);
      refused = 0;
    };
    const takesOthers = async (): Promise<boolean> => {
      for (let n = 1; n <= TRIED && refused > 0; n++) {
        const other = items[Math.floor(((items.length - 1) * n) / TRIED)]!;
        await write([other], `t${n}`).catch((fault: unknown) => {
          if (!isRefusal(fault)) throw fault;
        });
      }
      return refused === 0;
    };
    await divideRefused(items, {
      write,
      refusalOf: (fault) => (isRefusal(fault) ? fault.message : undefined),
      onRefused: async (item, reason) => {
        refused++;
        if (refused > MAX_IN_A_ROW && !(await takesOthers()))
          throw new Error(`it refuses every event, as if its schema had changed: ${reason}`);
        await onRefused(item, reason);
      },
    });
  };
};
