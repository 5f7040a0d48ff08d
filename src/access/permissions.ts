/** What someone may do, each with its words. A route names the one that it needs. */
export const PERMISSIONS = {
  'records.read': 'read publishers, placements, advertisers, bidders, targetings, campaigns, line items, creatives, comments and files',
  'bookings.write': 'change advertisers, targetings, campaigns and line items, delete creatives and files, and hand out traces of ads',
  'creatives.write': 'upload and correct creatives and their files, and share proofs of them',
  'media_buys.write': 'see what is for sale to agents, and buy it',
  'comments.write': 'comment on campaigns and line items',
  'inventory.write': 'change placements',
  'creatives.approve': 'approve, reject, block and unblock creatives',
  'changes.approve': 'approve changes that need a second person',
  'setup.write': 'change publishers, their API keys, bidders, and to whom alerts are sent',
  'delivery.read': 'read statuses and deliveries',
  'alerts.read': 'read alerts and complaints, ask why, and test ads',
  'reports.read': 'read reports',
  'reports.write': 'save, send and share reports',
  'finance.read': 'read statements',
  'finance.write': 'close months',
  'events.read': 'export events',
  'history.read': 'read the history of changes',
  'people.invite': 'invite and disable people of advertisers',
  'people.write': 'invite, change and disable people, and read, create and revoke API tokens',
} as const;
export type Permission = keyof typeof PERMISSIONS;
export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as readonly Permission[];

/** The permissions by what they are about, for people. */
export const PERMISSION_AREAS = {
  Bookings: [
    'records.read',
    'bookings.write',
    'creatives.write',
    'media_buys.write',
    'comments.write',
    'inventory.write',
    'creatives.approve',
    'changes.approve',
  ],
  Delivery: ['delivery.read', 'alerts.read'],
  Results: ['reports.read', 'reports.write', 'finance.read', 'finance.write', 'events.read'],
  'Set-up': ['setup.write', 'history.read', 'people.invite', 'people.write'],
} as const satisfies Readonly<Record<string, readonly Permission[]>>;
export type PermissionArea = keyof typeof PERMISSION_AREAS;

/** @throws Error for one that is in no area */
export const areaOf = (permission: Permission): PermissionArea => {
  const [area] = Object.entries(PERMISSION_AREAS).find(([, all]) => (all as readonly Permission[]).includes(permission)) ?? [];
  if (area === undefined) throw new Error(`The permission ${permission} is in no area.`);
  return area as PermissionArea;
};

const OWN = ['records.read', 'delivery.read', 'reports.read'] as const;
const VIEWER = [...OWN, 'alerts.read'] as const;
const STAFF = [...VIEWER, 'history.read', 'reports.write'] as const;

/** The built-in roles as sets of permissions. Who has several may do what any of them allows. */
export const ROLES = {
  viewer: VIEWER,
  trafficker: [...STAFF, 'bookings.write', 'creatives.write', 'comments.write', 'inventory.write', 'people.invite'],
  approver: [...STAFF, 'creatives.approve', 'changes.approve'],
  finance: [...STAFF, 'finance.read', 'finance.write', 'events.read'],
  administrator: PERMISSION_NAMES,
  /** Of those who book, and no staff: only with `advertisers`. */
  advertiser: [...OWN, 'creatives.write', 'comments.write'],
  /** Of an agent that buys for advertisers: only with `advertisers`. */
  buyer: [...OWN, 'creatives.write', 'media_buys.write'],
} as const satisfies Readonly<Record<string, readonly Permission[]>>;
export type RoleName = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as readonly RoleName[];

/** Roles of those who book. For all advertisers they allow nothing. */
export const ROLES_OF_ADVERTISERS: readonly string[] = ['advertiser', 'buyer'] satisfies readonly RoleName[];

export const isRoleName = (name: string): name is RoleName => Object.hasOwn(ROLES, name);

/** What roles allow together. @param own the permissions of those that are not built in */
export const permissionsOf = (roles: readonly string[], own: readonly Permission[] = []): ReadonlySet<Permission> =>
  new Set([...roles.flatMap((role): readonly Permission[] => (isRoleName(role) ? ROLES[role] : [])), ...own]);
