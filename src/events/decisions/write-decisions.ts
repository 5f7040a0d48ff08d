import type { EventSink } from '../sinks/event-sink.ts';
import type { DecisionRow } from './decision-columns.ts';

export interface WriteDecisionsOptions {
  readonly sinks: readonly EventSink[];
  readonly onWritten: (sink: string, rows: number) => void;
  /** They were chosen, and a sink does not have them. */
  readonly onDropped: (sink: string, rows: number) => void;
  readonly onFailure: (sink: string, fault: Error) => void;
}

/** Each write is a file of a lake. */
const FLUSH_MS = 30_000;
const WRITE_MS = 30_000;
/** Gathered between two writes, about 10 MB. */
const MAX_GATHERED = 20_000;

/**
 * Hands sampled decisions to the sinks that take them. Decisions are a sample, and are not kept when a sink refuses them or is away: each
 * write is tried once, and what is lost is counted. Nothing of this is in the way of events.
 */
export const createWriteDecisions = ({ sinks, onWritten, onDropped, onFailure }: WriteDecisionsOptions) => {
  const takers = sinks.filter(({ writeDecisions }) => writeDecisions);
  let gathered: DecisionRow[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> | undefined;

  const writeTo = async (sink: EventSink, rows: readonly DecisionRow[], lost: number): Promise<void> => {
    if (lost > 0) onDropped(sink.name, lost);
    if (rows.length === 0) return;
    try {
      await sink.writeDecisions!(rows, AbortSignal.timeout(WRITE_MS));
      onWritten(sink.name, rows.length);
    } catch (fault) {
      onDropped(sink.name, rows.length);
      onFailure(sink.name, fault as Error);
    }
  };
  const flush = (): Promise<unknown> => {
    const [rows, lost] = [gathered, dropped];
    [gathered, dropped] = [[], 0];
    return Promise.all(takers.map((sink) => writeTo(sink, rows, lost)));
  };
  const tick = (): Promise<unknown> => (running ??= flush().finally(() => (running = undefined)));

  return {
    /** Never waits. */
    add: (rows: readonly DecisionRow[]): void => {
      if (gathered.length + rows.length > MAX_GATHERED) dropped += rows.length;
      else gathered.push(...rows);
      if (gathered.length > MAX_GATHERED / 2 && timer !== undefined) void tick();
    },
    start: (): void => {
      if (takers.length > 0) timer ??= setInterval(() => void tick(), FLUSH_MS);
    },
    /** Resolves after a last attempt to write what was gathered. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await running;
      if (takers.length > 0) await tick();
    },
  };
};
