import { permissionsOf, ROLES_OF_ADVERTISERS, type Permission } from './permissions.ts';
import { EVERYTHING, type Scope } from './scope.ts';

/** Who calls a route, and what the call may do and see. */
export interface Caller extends Scope {
  readonly kind: CallerKind;
  /** In the audit trail: of a person the e-mail address. What people keep for themselves (views, mutes) is kept under it. */
  readonly name: string;
  /** Of a person or an API token; null: it is neither. */
  readonly id: number | null;
  /** Of a person. */
  readonly fullName: string | null;
  /** The session of a person. */
  readonly sessionId: number | null;
  readonly roles: readonly string[];
  readonly permissions: ReadonlySet<Permission>;
  /** Why it calls, in its own words: for the audit trail. null: not said. */
  readonly note: string | null;
  /** Of a person or an API token; null: not known. */
  readonly from: CalledFrom | null;
  /** The second person, who has approved what this call changes; null: nobody has. */
  readonly approvedBy: string | null;
}

/** Who calls, as what is kept for a caller names it: limits, confirmations, answers of repeated calls. */
export const callerKey = ({ kind, id, name }: Pick<Caller, 'kind' | 'id' | 'name'>): string => `${kind} ${id ?? name}`;

/** From where a call came, as the history shows it. */
export interface CalledFrom {
  /** Without the part that names a person: a /24 or /48. '' when the address is unknown. */
  readonly network: string;
  /** `Firefox on Linux`, `curl/8.5`. */
  readonly device: string;
}

/** machine: a token of ADMIN_TOKEN, or everyone while no sign-in is required. link: the bearer of a link. */
export const CALLER_KINDS = ['person', 'token', 'machine', 'link'] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];

/** What a route needs: a permission, or only that the caller is known. */
export type Need = Permission | 'sign_in';

/** Rights as they are stored with a person or an API token. */
export interface Rights extends Scope {
  /** Built-in ones, and those that administrators have made. */
  readonly roles: readonly string[];
}

/** Whether rights have a role of advertisers for all of them, which allows nothing. */
export const isAdvertiserOfAll = ({ roles, advertisers }: Pick<Rights, 'roles' | 'advertisers'>): boolean =>
  advertisers === null && roles.some((role) => ROLES_OF_ADVERTISERS.includes(role));

/** @param rights `own`: the permissions of its roles that are not built in */
export const callerWith = (
  rights: Rights & { readonly own?: readonly Permission[] },
  who: Pick<Caller, 'kind' | 'name' | 'id'> & Partial<Pick<Caller, 'fullName' | 'sessionId'>>,
): Caller => {
  const { roles, publishers, advertisers } = rights;
  const permissions = permissionsOf(
    isAdvertiserOfAll(rights) ? roles.filter((role) => !ROLES_OF_ADVERTISERS.includes(role)) : roles,
    rights.own,
  );
  return { fullName: null, sessionId: null, note: null, from: null, approvedBy: null, ...who, roles, permissions, publishers, advertisers };
};

/** A caller that may do everything: a token of ADMIN_TOKEN, and everyone while no sign-in is required. */
export const unlimitedCaller = (name: string): Caller =>
  callerWith({ roles: ['administrator'], ...EVERYTHING }, { kind: 'machine', name, id: null });

/** A caller that a route of its own lets in, such as the bearer of a link: it may do nothing else. */
export const outsideCaller = (name: string): Caller =>
  callerWith({ roles: [], publishers: [], advertisers: [] }, { kind: 'link', name, id: null });

export const mayDo = ({ permissions }: Caller, need: Need): boolean => need === 'sign_in' || permissions.has(need);
