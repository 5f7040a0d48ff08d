import { areaOf, PERMISSION_NAMES, PERMISSIONS, ROLE_NAMES, ROLES, type Permission } from '../../access/permissions.ts';
import { answer, done, noSuch, refuse, type Handlers, type Refused } from '../../api/route.ts';
import { managesAll } from '../accounts/managed-people.ts';
import type { ROLE_API } from './role-api.ts';
import { MAX_ROLES, type OwnRole, type RoleRefused, type RoleStore } from './role-store.ts';

const refusalOf = ({ refusal, faults }: RoleRefused): Refused => {
  switch (refusal) {
    case 'name_taken':
      return refuse('conflict', 'There is a role with this name: choose another one.');
    case 'too_many':
      return refuse('conflict', `There are ${MAX_ROLES} roles beside the built-in ones: delete one first.`);
    case 'in_use':
      return refuse('conflict', 'People or tokens have this role: say in `instead` which one they get.', faults);
    case 'invalid':
      return refuse('invalid_request', 'The role has faults.', faults);
    case 'missing':
      return noSuch('role that can be changed');
  }
};

const inWords = (permissions: readonly Permission[]) =>
  PERMISSION_NAMES.filter((name) => permissions.includes(name)).map((name) => ({ name, area: areaOf(name), words: PERMISSIONS[name] }));

const show = ({ permissions, ...role }: OwnRole) => ({ ...role, permissions: inWords(permissions) });

/** What roles allow, and roles beside the built-in ones. */
export const roleRoutes = (roles: RoleStore): Handlers<typeof ROLE_API> => ({
  listRoles: async (_asked, { caller }) => {
    const seesAll = managesAll(caller);
    const counts = seesAll ? await roles.countUses() : undefined;
    const builtIn = ROLE_NAMES.map((name) => ({
      ...{ id: null, name, permissions: inWords(ROLES[name]) },
      ...{ people: counts ? (counts[name]?.people ?? 0) : null, tokens: counts ? (counts[name]?.tokens ?? 0) : null },
    }));
    const own = (await roles.list()).filter(({ name }) => seesAll || caller.roles.includes(name)).map(show);
    return answer([...builtIn, ...own.map((role) => (seesAll ? role : { ...role, people: null, tokens: null }))]);
  },
  createRole: async ({ body }, { caller }) => {
    const role = await roles.create(body, caller);
    return 'refusal' in role ? refusalOf(role) : answer(show(role));
  },
  changeRole: async ({ id, body }, { caller }) => {
    const role = await roles.change(id, body, caller);
    return 'refusal' in role ? refusalOf(role) : answer(show(role));
  },
  deleteRole: async ({ id, instead }, { caller }) => {
    const refused = await roles.remove(id, instead, caller);
    return refused ? refusalOf(refused) : done();
  },
});
