import { permissionsOf, type Permission, type RoleName } from './permissions.ts';

/** Who calls a route, and what the call may do and see. */
export interface Caller {
  /** In the audit trail. What people keep for themselves (views, mutes) is kept under it. */
  readonly name: string;
  /** Of an API token; null: a token of the settings. */
  readonly id: number | null;
  readonly roles: readonly RoleName[];
  readonly permissions: ReadonlySet<Permission>;
  /** The publishers whose records the call may see; null: all. */
  readonly publishers: Publishers;
}

/** Ids of publishers; null: all, also those that are created later. */
export type Publishers = readonly number[] | null;

/** Whether callers for these publishers see what belongs to one. */
export const maySee = (publishers: Publishers, publisherId: number): boolean => publishers === null || publishers.includes(publisherId);

/** What a route needs: a permission, or only that the caller is known. */
export type Need = Permission | 'sign_in';

/** A caller that may do everything: a token of ADMIN_TOKEN, and everyone while no token is required. */
export const unlimitedCaller = (name: string): Caller => ({
  ...{ name, id: null, publishers: null },
  ...{ roles: ['administrator'], permissions: permissionsOf(['administrator']) },
});

/** A caller that a route of its own lets in, such as the bearer of a link: it may do nothing else. */
export const outsideCaller = (name: string): Caller => ({ name, id: null, roles: [], permissions: new Set(), publishers: [] });

export const mayDo = ({ permissions }: Caller, need: Need): boolean => need === 'sign_in' || permissions.has(need);
