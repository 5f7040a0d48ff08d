import type { CatalogTable } from '../model/catalog-reading.ts';
import type { HourlyTraffic } from './hourly-traffic.ts';
import type { Quarantined, Vacancy } from './snapshot.ts';

/**
 * What one load has changed. No buffer is copied: the blocks, which the next load reads again, are
 * shared, and the parts of slots change hands. V8 counts the latter as memory of the thread that
 * serves, and collects replaced ones in time; shared memory it does not count.
 */
export interface CatalogUpdate {
  /** All of the catalog, because the loader remembers no earlier load. */
  readonly whole: boolean;
  readonly version: number;
  readonly loadedAtMs: number;
  /** Hex. */
  readonly userHashKey: string;
  readonly blocks: readonly BlockUpdate[];
  readonly slots: readonly SlotUpdate[];
  /** Learned from recent days, by publisher. */
  readonly traffic: ReadonlyMap<number, HourlyTraffic>;
  /** The end of the last flight, by publisher. Epoch ms. */
  readonly flightEndsMs: ReadonlyMap<number, number>;
  readonly quarantined: readonly Quarantined[];
  readonly quarantinedCount: number;
}

/** A block that is new, changed or, without a buffer, gone. */
export interface BlockUpdate {
  readonly table: CatalogTable;
  readonly block: number;
  readonly rows: number;
  readonly buffer: SharedArrayBuffer | undefined;
}

/** A slot that is new, changed or, without parts, gone. */
export interface SlotUpdate {
  readonly placementId: string;
  readonly publisherId: number;
  readonly parts: SlotParts | undefined;
}

export interface SlotParts {
  /** CANDIDATE_ARRAYS; undefined: no candidates. */
  readonly direct: ArrayBuffer | undefined;
  readonly programmatic: ArrayBuffer | undefined;
  /** Ids of creatives, 32 bits each; undefined: none. */
  readonly leftOut: ArrayBuffer | undefined;
  readonly vacancy: Vacancy | undefined;
}
