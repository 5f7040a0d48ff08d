import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { CATALOG_TABLES } from '../src/catalog/model/catalog-reading.ts';
import { withClient } from './databases.ts';

/** Every table that the service writes while it serves; partitions are in their parents. */
const TABLES = `
  select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    and relname <> all($1) and relname not like 'knex%' order by 1`;

const servingTables = async (client: pg.Client): Promise<readonly string[]> => {
  const kept = [...CATALOG_TABLES, 'publishers', 'placements', 'campaigns', 'line_items', 'creatives', 'instance'];
  return (await client.query<{ relname: string }>(TABLES, [kept])).rows.map(({ relname }) => relname);
};

/** Remembers what the service has written until now, in the database itself. */
export const keepState = (databaseUrl: string): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    const tables = await servingTables(client);
    await client.query('begin isolation level repeatable read');
    await client.query('drop schema if exists earlier cascade; create schema earlier');
    for (const table of tables) await client.query(`create table earlier.${table} as table public.${table}`);
    await client.query('commit');
  });

const MAX_ATTEMPTS = 20;

/** Replaces what the service has written by what `keepState` remembers, as a restore to that moment would; replicas may run. */
export const restoreState = (databaseUrl: string): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    const tables = await servingTables(client);
    for (let attempt = 1; ; attempt++) {
      try {
        await client.query('begin');
        await client.query(`truncate ${tables.map((table) => `public.${table}`).join(', ')}`);
        for (const table of tables) await client.query(`insert into public.${table} overriding system value table earlier.${table}`);
        await client.query('commit');
        return;
      } catch (fault) {
        await client.query('rollback');
        // A deadlock with a replica that writes to the same tables in another order.
        if (attempt === MAX_ATTEMPTS || (fault as pg.DatabaseError).code !== '40P01') throw fault;
        await sleep(50);
      }
    }
  });
