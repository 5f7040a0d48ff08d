import type { Knex } from 'knex';
import { ownPermissions } from './roles/own-permissions.ts';
import { ROLE_NAMES, ROLES, type Permission } from '../access/permissions.ts';

/** A person who can be written to. */
export interface Reachable {
  readonly email: string;
  readonly name: string;
}

/** Staff of a publisher who have a permission for all its advertisers, by name. Rejects when Postgres is unavailable. */
export const whoMay = (knex: Knex, permission: Permission, publisherId: number): Promise<readonly Reachable[]> =>
  knex('people')
    .whereNull('disabled_at')
    .whereNull('advertisers')
    .whereRaw('(publishers is null or ? = any(publishers))', [publisherId])
    .whereRaw(`(roles && ?::text[] or ? = any(${ownPermissions('people')}))`, [rolesWith(permission), permission])
    .orderByRaw('lower(name), id')
    .select('email', 'name');

const rolesWith = (permission: Permission): string[] =>
  ROLE_NAMES.filter((name) => (ROLES[name] as readonly Permission[]).includes(permission));
