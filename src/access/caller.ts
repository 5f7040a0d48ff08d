import { permissionsOf, type Permission, type RoleName } from './permissions.ts';

/** Who calls a route, and what the call may do and see. */
export interface Caller {
  readonly kind: CallerKind;
  /** In the audit trail: of a person the e-mail address. What people keep for themselves (views, mutes) is kept under it. */
  readonly name: string;
  /** Of a person or an API token; null: it is neither. */
  readonly id: number | null;
  /** Of a person. */
  readonly fullName: string | null;
  /** The session of a person. */
  readonly sessionId: number | null;
  readonly roles: readonly RoleName[];
  readonly permissions: ReadonlySet<Permission>;
  /** The publishers whose records the call may see; null: all. */
  readonly publishers: Ids;
  /** The advertisers whose bookings the call may see; null: all. */
  readonly advertisers: Ids;
}

/** machine: a token of ADMIN_TOKEN, or everyone while no sign-in is required. link: the bearer of a link. */
export const CALLER_KINDS = ['person', 'token', 'machine', 'link'] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];

/** Ids of publishers or advertisers; null: all, also those that are created later. */
export type Ids = readonly number[] | null;
export type Publishers = Ids;

/** Whether callers for these see what belongs to one. */
export const maySee = (ids: Ids, id: number): boolean => ids === null || ids.includes(id);

/** What a route needs: a permission, or only that the caller is known. */
export type Need = Permission | 'sign_in';

/** Rights as they are stored with a person or an API token. */
export interface Rights {
  readonly roles: readonly RoleName[];
  readonly publishers: Ids;
  readonly advertisers: Ids;
}

export const callerWith = (
  { roles, publishers, advertisers }: Rights,
  who: Pick<Caller, 'kind' | 'name' | 'id'> & Partial<Pick<Caller, 'fullName' | 'sessionId'>>,
): Caller => ({ fullName: null, sessionId: null, ...who, roles, permissions: permissionsOf(roles), publishers, advertisers });

/** A caller that may do everything: a token of ADMIN_TOKEN, and everyone while no sign-in is required. */
export const unlimitedCaller = (name: string): Caller =>
  callerWith({ roles: ['administrator'], publishers: null, advertisers: null }, { kind: 'machine', name, id: null });

/** A caller that a route of its own lets in, such as the bearer of a link: it may do nothing else. */
export const outsideCaller = (name: string): Caller =>
  callerWith({ roles: [], publishers: [], advertisers: [] }, { kind: 'link', name, id: null });

export const mayDo = ({ permissions }: Caller, need: Need): boolean => need === 'sign_in' || permissions.has(need);
