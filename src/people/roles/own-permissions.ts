import type { Knex } from 'knex';
import { isRoleName, permissionsOf, PERMISSION_NAMES, PERMISSIONS, type Permission } from '../../access/permissions.ts';
import type { Caller, Rights } from '../../access/caller.ts';
import type { Fault } from '../../base/fault.ts';

/** SQL: the permissions of the roles of one's own among those of a row of people or tokens. */
export const ownPermissions = (table: 'people' | 'api_tokens'): string =>
  `array(select distinct unnest(own_roles.permissions) from own_roles where own_roles.name = any(${table}.roles))`;

/** What roles allow together, those of one's own too; a name that no role has allows nothing. Rejects when Postgres is unavailable. */
export const permissionsOfRoles = async (knex: Knex, roles: readonly string[]): Promise<ReadonlySet<Permission>> => {
  const own = roles.filter((name) => !isRoleName(name));
  const rows = own.length === 0 ? [] : await knex('own_roles').whereIn('name', own).select<{ permissions: Permission[] }[]>('permissions');
  return permissionsOf(
    roles,
    rows.flatMap(({ permissions }) => permissions),
  );
};

/** Those of some roles that exist. */
export const existingRoles = async (knex: Knex, roles: readonly string[]): Promise<readonly string[]> => {
  const own = roles.filter((name) => !isRoleName(name));
  const rows = own.length === 0 ? [] : await knex('own_roles').whereIn('name', own).select<{ name: string }[]>('name');
  const known = new Set(rows.map(({ name }) => name));
  return roles.filter((name) => isRoleName(name) || known.has(name));
};

/** What keeps a caller from giving roles: one does not exist, or they allow more than the caller may do. */
export const roleFaults = async (
  knex: Knex,
  giver: Pick<Caller, 'permissions'>,
  { roles = [] }: Partial<Rights>,
): Promise<readonly Fault[]> => {
  const known = new Set(await existingRoles(knex, roles));
  const missing = roles.flatMap((name, i) =>
    known.has(name) ? [] : [{ pointer: `/roles/${i}`, detail: `${name} is not a role: see GET /api/roles` }],
  );
  return [...missing, ...beyondFaults('/roles', giver, await permissionsOfRoles(knex, roles))];
};

/** A fault when permissions are more than a caller has. */
export const beyondFaults = (
  pointer: string,
  { permissions: own }: Pick<Caller, 'permissions'>,
  given: Iterable<Permission>,
): readonly Fault[] => {
  const beyond = PERMISSION_NAMES.filter((name) => new Set(given).has(name) && !own.has(name));
  const words = beyond.map((name) => PERMISSIONS[name]).join('; ');
  return beyond.length === 0 ? [] : [{ pointer, detail: `must allow no more than you may do yourself. You may not ${words}` }];
};
