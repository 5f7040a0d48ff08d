import type { Knex } from 'knex';
import { createEventStore, type EventStore } from '../../src/events/postgres/event-store.ts';
import { rollUpAll } from '../../src/events/postgres/roll-up-batches.ts';

/** A store of events whose rows are in every count when they are appended, for tests of what reads counts. */
export const createCountedStore = ({ knex }: { readonly knex: Knex }): EventStore => {
  const store = createEventStore({ knex });
  return {
    ...store,
    append: async (events) => {
      const stored = await store.append(events);
      await rollUpAll(knex);
      return stored;
    },
  };
};
