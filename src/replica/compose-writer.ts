import { within } from '../base/within.ts';
import { createCatalogWriter, type CatalogWriter } from '../bookings/catalog-writer.ts';
import type { Delivery } from './compose-delivery.ts';
import type { Foundation } from './lay-foundation.ts';

/**
 * A write answers when this replica serves the change, or after this long: a large catalog loads
 * for several seconds.
 */
const MAX_RELOAD_WAIT_MS = 1000;

/** Writes of people and of agents. */
export const composeWriter = (
  { stores, dimensions }: Foundation,
  { secretBox, bookkeeping, catalog }: Pick<Delivery, 'secretBox' | 'bookkeeping' | 'catalog'>,
): CatalogWriter =>
  createCatalogWriter({
    ...{ knex: stores.knex, dimensions, secretBox, prepareAccounts: bookkeeping.prepareAccounts },
    goLive: async () => {
      // The change is committed even if the reload fails: the catalog logs the failure and reloads at
      // its next version check.
      await within(
        MAX_RELOAD_WAIT_MS,
        catalog.reloadEverywhere().catch(() => undefined),
        () => undefined,
      );
    },
  });
