import type { Knex } from 'knex';
import { mayDo, type Caller, type Rights } from '../../access/caller.ts';
import { includesAll, isLimited } from '../../access/scope.ts';
import type { Fault } from '../../base/fault.ts';
import { isVisible, scopeBinding, visibleIds } from '../../bookings/record-scope.ts';

/** Whether a caller manages all people; others who may invite manage those of advertisers, within their own scope. */
export const managesAll = (caller: Caller): boolean => mayDo(caller, 'people.write') && !isLimited(caller);

/** Leaves the people whom a caller manages. */
export const onlyManaged = (people: Knex.QueryBuilder, caller: Caller): Knex.QueryBuilder =>
  managesAll(caller) ? people : people.whereRaw(isManaged(caller), { ...scopeBinding(caller) });

const isManaged = (caller: Caller): string => {
  const seen = `select id from advertisers where ${isVisible('advertisers', caller)}`;
  return [
    `people.roles = '{advertiser}'`,
    caller.publishers ? 'people.publishers <@ cast(:publishers as int[])' : 'true',
    `not exists (select from unnest(people.advertisers) one where one not in (${seen}))`,
  ].join(' and ');
};

/** What a caller may not give to a person whom it invites. Rejects when Postgres is unavailable. */
export const invitedFaults = async (knex: Knex, caller: Caller, rights: Rights): Promise<readonly Fault[]> => {
  if (managesAll(caller)) return [];
  const { roles, publishers, advertisers } = rights;
  const faults: Fault[] = [];
  if (roles.some((role) => role !== 'advertiser'))
    faults.push({ pointer: '/roles', detail: 'must be advertiser: others are given by administrators' });
  if (publishers === null && !includesAll(caller.publishers, publishers))
    faults.push({ pointer: '/publishers', detail: 'must be some of your publishers: your access is for some' });
  const missing = (pointer: string, ids: Rights['publishers'], isKnown: (id: number) => boolean): readonly Fault[] =>
    (ids ?? []).flatMap((id, i) => (isKnown(id) ? [] : [{ pointer: `${pointer}/${i}`, detail: `${id} does not exist` }]));
  const seen = new Set(await visibleIds(knex, 'advertisers', caller, advertisers ?? []));
  return [
    ...faults,
    ...missing('/publishers', publishers, (id) => includesAll(caller.publishers, [id])),
    ...missing('/advertisers', advertisers, (id) => !isLimited(caller) || seen.has(id)),
  ];
};
