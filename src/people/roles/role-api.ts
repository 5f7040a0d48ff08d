import { PERMISSION_AREAS, PERMISSION_NAMES, PERMISSIONS } from '../../access/permissions.ts';
import { component } from '../../api/component.ts';
import { idInPath, textQuery } from '../../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, noContent, OF_ONESELF, ok } from '../../api/route.ts';
import * as s from '../../base/schema.ts';
import { role } from '../rights.ts';

const permission = s.oneOf(PERMISSION_NAMES);
const count = (description: string) => s.orNull(s.count, { description });
const ROLE = component(
  'Role',
  s.record({
    id: s.orNull(s.integer, { description: 'null: it is built in, and cannot be changed' }),
    name: role,
    permissions: s.listOf(
      s.record({
        name: permission,
        area: s.oneOf(Object.keys(PERMISSION_AREAS)),
        words: s.described(s.text, 'What it allows'),
      }),
    ),
    people: count('How many people have it; null: not for the caller'),
    tokens: count('How many tokens have it'),
  }),
  {
    ...{ id: null, name: 'viewer', people: 4, tokens: 1 },
    permissions: [{ name: 'reports.read', area: 'Results', words: PERMISSIONS['reports.read'] }],
  },
);
const permissions = s.listOf(permission, { minItems: 1, uniqueItems: true });
const example = { name: 'booker', permissions: ['records.read', 'bookings.write'] } as const;
const NEW_ROLE = component('NewRole', s.closedRecord({ name: role, permissions }), { ...example, permissions: [...example.permissions] });
const CHANGE = component('RoleChange', s.closedRecord({ name: s.optional(role), permissions: s.optional(permissions) }), {
  permissions: ['records.read', 'reports.read'],
});

const id = idInPath('role');

/** What roles allow, and roles beside the built-in ones. */
export const ROLE_API = defineRoutes({
  listRoles: {
    ...at('GET', '/api/roles', 'people', OF_ONESELF),
    summary:
      'The roles, with what each allows: the built-in ones, then others by name. Who does not manage all people gets the built-in ones and its own.',
    answer: ok('Roles', s.listOf(ROLE)),
  },
  createRole: {
    ...at('POST', '/api/roles', 'people'),
    needs: 'people.write',
    summary: 'Make a role of permissions that you have',
    body: jsonBody(NEW_ROLE, 'The role has faults.'),
    answer: created('Created', ROLE),
  },
  changeRole: {
    ...at('PATCH', '/api/roles/{id}', 'people'),
    needs: 'people.write',
    summary: 'Change a role that was made. It applies to the next call of everyone who has it.',
    parameters: { id },
    body: jsonBody(CHANGE, 'The change has faults.'),
    answer: ok('The role', ROLE),
  },
  deleteRole: {
    ...at('DELETE', '/api/roles/{id}', 'people'),
    needs: 'people.write',
    summary: 'Delete a role that was made',
    parameters: { id, instead: textQuery('The role that its people and tokens get; without it a role in use is refused') },
    answer: noContent('Deleted'),
  },
});
