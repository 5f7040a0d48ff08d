import type { DimensionSchema } from '../../targeting/dimension-schema.ts';
import type { CatalogStore } from '../postgres/catalog-store.ts';
import { createCatalogBuilder } from '../snapshot/build-catalog.ts';
import type { CatalogUpdate } from '../snapshot/catalog-update.ts';

/** Reads the catalog and builds what has changed. */
export interface CatalogLoader {
  /**
   * The changes since the last update that this returned. One call at a time.
   *
   * @param nowMs epoch milliseconds at which flights are judged
   */
  load(nowMs: number): Promise<CatalogUpdate>;
  /** Ends a load that is running; its promise rejects. */
  stop(): Promise<void>;
}

export interface CatalogLoaderOptions {
  readonly store: Pick<CatalogStore, 'readAll'>;
  readonly dimensions: DimensionSchema;
}

/** A loader in the calling thread. The service hosts it in a worker (run-catalog-worker.ts). */
export const createCatalogLoader = ({ store, dimensions }: CatalogLoaderOptions): CatalogLoader => {
  const builder = createCatalogBuilder({ dimensions });
  return {
    load: (nowMs) => store.readAll((reading) => builder.build(reading, nowMs)),
    stop: () => Promise.resolve(),
  };
};
