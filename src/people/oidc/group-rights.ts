import type { Rights } from '../../access/caller.ts';
import type { Ids } from '../../access/scope.ts';
import { isSame } from '../rights.ts';

/** What members of a group of a provider may do. */
export interface GroupRights extends Rights {
  readonly group: string;
}

/**
 * What the groups of a person give together, in the order of the settings; undefined: nothing. Rights
 * with the same roles add their publishers and advertisers, rights for the same records their roles. Others are
 * left out: a trafficker of one publisher who reads the statements of another one must not get both
 * rights for both.
 */
export const rightsOfGroups = (known: readonly GroupRights[], groups: readonly string[]): Rights | undefined =>
  known
    .filter(({ group }) => groups.includes(group))
    .map(({ roles, publishers, advertisers }): Rights => ({ roles, publishers, advertisers }))
    .reduce<Rights | undefined>((sum, more) => (sum ? added(sum, more) : more), undefined);

const added = (sum: Rights, more: Rights): Rights => {
  if (isSame(sum.publishers, more.publishers) && isSame(sum.advertisers, more.advertisers))
    return { ...sum, roles: [...new Set([...sum.roles, ...more.roles])] };
  if (!isSame(sum.roles, more.roles)) return sum;
  if (isSame(sum.advertisers, more.advertisers)) return { ...sum, publishers: both(sum.publishers, more.publishers) };
  if (isSame(sum.publishers, more.publishers)) return { ...sum, advertisers: both(sum.advertisers, more.advertisers) };
  return sum;
};

const both = (a: Ids, b: Ids): Ids => (a === null || b === null ? null : [...new Set([...a, ...b])]);

/**
 * The groups in a claim: a list of texts, or one text. `name` is that of the claim, or the way to it,
 * such as `realm_access.roles`.
 */
export const groupsIn = (claims: Readonly<Record<string, unknown>>, name: string): readonly string[] => {
  const claim = name in claims ? claims[name] : name.split('.').reduce<unknown>(memberOf, claims);
  return [claim].flat().filter((group) => typeof group === 'string');
};

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
