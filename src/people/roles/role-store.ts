import type { Knex } from 'knex';
import { isRoleName, ROLES_OF_ADVERTISERS, type Permission } from '../../access/permissions.ts';
import type { Caller } from '../../access/caller.ts';
import type { Fault } from '../../base/fault.ts';
import { changedBy, recordChange } from '../../bookings/audit-trail.ts';
import { lockPeople } from '../accounts/person-store.ts';
import { beyondFaults, roleFaults } from './own-permissions.ts';

/** A role that administrators have made. */
export interface OwnRole {
  readonly id: number;
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** Who has it: people, disabled ones too, and tokens that can be used. */
  readonly people: number;
  readonly tokens: number;
}

export type RoleWanted = Pick<OwnRole, 'name' | 'permissions'>;

/** Why a role was not created, changed or deleted. */
export interface RoleRefused {
  readonly refusal: 'name_taken' | 'too_many' | 'invalid' | 'in_use' | 'missing';
  readonly faults: readonly Fault[];
}

export const MAX_ROLES = 50;

const IS_USABLE = 'revoked_at is null and (expires_at is null or expires_at > now())';
const LISTED = `id, name, permissions,
  (select count(*)::int from people where own_roles.name = any(people.roles)) as people,
  (select count(*)::int from api_tokens where own_roles.name = any(api_tokens.roles) and ${IS_USABLE}) as tokens`;

const USES = `
  select name, count(*) filter (where is_person)::int as people, count(*) filter (where not is_person)::int as tokens
  from (select unnest(roles) as name, true as is_person from people
        union all select unnest(roles), false from api_tokens where ${IS_USABLE}) as uses
  group by name`;

/** Roles beside the built-in ones. Every method rejects when Postgres is unavailable. */
export const createRoleStore = ({ knex }: { readonly knex: Knex }) => {
  const read = (trx: Knex, id: number): Promise<OwnRole | undefined> => trx('own_roles').where({ id }).first(trx.raw(LISTED));

  const isTaken = async (trx: Knex, name: string, id = 0): Promise<boolean> =>
    isRoleName(name.toLowerCase()) ||
    (await trx('own_roles').whereRaw('lower(name) = lower(?)', [name]).whereNot({ id }).first('id')) !== undefined;

  return {
    /** By name. */
    list: async (): Promise<readonly OwnRole[]> => knex('own_roles').orderBy('name').select<OwnRole[]>(knex.raw(LISTED)),

    /** By the name of any role. */
    countUses: async (): Promise<Readonly<Record<string, Pick<OwnRole, 'people' | 'tokens'>>>> => {
      const { rows } = await knex.raw<{ rows: { name: string; people: number; tokens: number }[] }>(USES);
      return Object.fromEntries(rows.map(({ name, people, tokens }) => [name, { people, tokens }]));
    },

    create: (wanted: RoleWanted, caller: Caller): Promise<OwnRole | RoleRefused> =>
      knex.transaction(async (trx) => {
        await lockPeople(trx);
        const faults = beyondFaults('/permissions', caller, wanted.permissions);
        if (faults.length > 0) return refused('invalid', faults);
        if (await isTaken(trx, wanted.name)) return refused('name_taken');
        const [all] = await trx('own_roles').count<{ count: string }[]>('* as count');
        if (Number(all?.count) >= MAX_ROLES) return refused('too_many');
        const [stored] = await trx('own_roles')
          .insert({ ...wanted, created_by: caller.name })
          .returning<{ id: number }[]>('id');
        const id = stored?.id ?? 0;
        await recordChange(trx, {
          ...changedBy(caller),
          action: 'create',
          entity: 'role',
          entityId: id,
          before: null,
          after: { id, ...wanted },
        });
        return { id, ...wanted, people: 0, tokens: 0 };
      }),

    /** A new name is that of people and tokens with the same commit. What changes takes effect with the next call of each. */
    change: (id: number, change: Partial<RoleWanted>, caller: Caller): Promise<OwnRole | RoleRefused> =>
      knex.transaction(async (trx) => {
        await lockPeople(trx);
        const before = await read(trx, id);
        if (!before) return refused('missing');
        const { name = before.name, permissions = before.permissions } = change;
        // Neither may be more: who has the role would lose what the caller cannot give back.
        const faults = beyondFaults('/permissions', caller, [...before.permissions, ...permissions]);
        if (faults.length > 0) return refused('invalid', faults);
        if (await isTaken(trx, name, id)) return refused('name_taken');
        await trx('own_roles').where({ id }).update({ name, permissions });
        if (name !== before.name) await replaceRole(trx, before.name, name);
        const [old, now] = [
          { id, name: before.name, permissions: before.permissions },
          { id, name, permissions },
        ];
        await recordChange(trx, { ...changedBy(caller), action: 'update', entity: 'role', entityId: id, before: old, after: now });
        return { ...before, name, permissions };
      }),

    /** @param instead the role that its people and tokens get; undefined: it is refused while there are some. Undefined: it is gone */
    remove: (id: number, instead: string | undefined, caller: Caller): Promise<RoleRefused | undefined> =>
      knex.transaction(async (trx) => {
        await lockPeople(trx);
        const before = await read(trx, id);
        if (!before) return refused('missing');
        const { name, permissions, people, tokens } = before;
        const faults = beyondFaults('/permissions', caller, permissions);
        if (faults.length > 0) return refused('invalid', faults);
        if (people + tokens > 0 && instead === undefined)
          return refused('in_use', [{ pointer: '/instead', detail: `must name a role for its ${people} people and ${tokens} tokens` }]);
        if (instead !== undefined) {
          // People of all advertisers cannot have a role of advertisers.
          const wrong =
            instead === name || ROLES_OF_ADVERTISERS.includes(instead) ? [{ pointer: '', detail: 'must be another role of staff' }] : [];
          const given = [...wrong, ...(await roleFaults(trx, caller, { roles: [instead] }))];
          if (given.length > 0)
            return refused(
              'invalid',
              given.map(({ detail }) => ({ pointer: '/instead', detail })),
            );
          await replaceRole(trx, name, instead);
        }
        await trx('own_roles').where({ id }).delete();
        const change = { before: { id, name, permissions }, after: instead === undefined ? null : { instead } };
        await recordChange(trx, { ...changedBy(caller), action: 'delete', entity: 'role', entityId: id, ...change });
        return undefined;
      }),
  };
};

export type RoleStore = ReturnType<typeof createRoleStore>;

const refused = (refusal: RoleRefused['refusal'], faults: readonly Fault[] = []): RoleRefused => ({ refusal, faults });

/** Gives everyone who has a role another one, each once. */
const replaceRole = async (trx: Knex.Transaction, from: string, to: string): Promise<void> => {
  for (const table of ['people', 'api_tokens'])
    await trx.raw('update ?? set roles = array(select distinct unnest(array_replace(roles, ?, ?))) where ? = any(roles)', [
      table,
      from,
      to,
      from,
    ]);
};
