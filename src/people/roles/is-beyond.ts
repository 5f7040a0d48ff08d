import type { Knex } from 'knex';
import type { Caller, Rights } from '../../access/caller.ts';
import { refuse, type Refused } from '../../api/route.ts';
import { permissionsOfRoles } from './own-permissions.ts';

/**
 * Refuses a person who may do more than the caller, who could otherwise get these permissions by a link for that person.
 * undefined: the person may do no more.
 */
export type IsBeyond = (person: Pick<Rights, 'roles'>, caller: Caller) => Promise<Refused | undefined>;

/** The function rejects when Postgres is unavailable. */
export const createIsBeyond =
  (knex: Knex): IsBeyond =>
  async ({ roles }, { permissions }) => {
    const theirs = await permissionsOfRoles(knex, roles);
    const isMore = [...theirs].some((one) => !permissions.has(one));
    return isMore ? refuse('forbidden', 'This person may do more than you: ask an administrator.') : undefined;
  };
