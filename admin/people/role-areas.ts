import type { Role } from './rights-fields.ts';

export type RolePermission = Role['permissions'][number];

export interface PermissionArea {
  readonly area: string;
  readonly permissions: readonly RolePermission[];
}

/** The permissions that any of some roles has, by what they are about. An administrator has all. */
export const permissionAreas = (roles: readonly Role[]): readonly PermissionArea[] => {
  const known = new Map(roles.flatMap(({ permissions }) => permissions.map((one) => [one.name, one] as const)));
  const all = [...known.values()];
  return [...new Set(all.map(({ area }) => area))].map((area) => ({ area, permissions: all.filter((one) => one.area === area) }));
};
