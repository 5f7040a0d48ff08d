import type { SinkCount, SinkGroup } from '../event-sink.ts';
import { hourOf, readLakeFile } from './lake-files.ts';
import { readLakeDay } from './lake-log.ts';
import type { LakeStore } from './lake-store.ts';

/** Ids that are held in memory; of a day with more, the files are read several times. */
const MAX_IDS = 1_000_000;

const COLUMNS = ['event_id', 'version', 'kind', 'state', 'billed_micros', 'line_item_id', 'counted_at'] as const;

/** FNV-1a, of 32 bits. http://www.isthe.com/chongo/tech/comp/fnv/ */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
};

interface Kept {
  readonly version: number;
  readonly key: string;
  readonly micros: number;
}

/** The sums of a day, of each event once. Of the files that its manifests name now. */
export const countLake = async (store: LakeStore, day: string, by: SinkGroup, signal: AbortSignal): Promise<readonly SinkCount[]> => {
  const { live } = await readLakeDay(store, day, signal);
  const passes = Math.max(1, Math.ceil(live.reduce((sum, { rows }) => sum + rows, 0) / MAX_IDS));
  const counts = new Map<string, { events: number; micros: number }>();
  for (let pass = 0; pass < passes; pass++) {
    const kept = new Map<string, Kept>();
    for (const { name } of live)
      for (const event of await readLakeFile(store, name, COLUMNS, signal)) {
        if (passes > 1 && hashOf(event.event_id) % passes !== pass) continue;
        if ((kept.get(event.event_id)?.version ?? -1) >= event.version) continue;
        const group = by === 'hour' ? hourOf(event) : String(event.line_item_id);
        kept.set(event.event_id, { version: event.version, key: `${group} ${event.kind} ${event.state}`, micros: event.billed_micros });
      }
    for (const { key, micros } of kept.values()) {
      const { events, micros: sum } = counts.get(key) ?? { events: 0, micros: 0 };
      counts.set(key, { events: events + 1, micros: sum + micros });
    }
  }
  return [...counts].map(([key, sums]) => {
    const [group = '', kind = '', state = ''] = key.split(' ');
    return { group, kind, state, ...sums };
  });
};
