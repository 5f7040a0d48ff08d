import type { Knex } from 'knex';
import { isAdvertiserOfAll, type Rights } from '../access/caller.ts';
import type { Columns } from '../api/columns.ts';
import type { Fault } from '../base/fault.ts';
import * as s from '../base/schema.ts';

const MAX_IDS = 1_000;

/** Of a role: letters and digits of any language, with spaces and hyphens between them. OIDC_ROLES has other signs between names. */
const ROLE_NAME = '^[\\p{L}\\p{N}](?:[\\p{L}\\p{N} _-]{0,38}[\\p{L}\\p{N}])?$';
export const role = s.textOf({ pattern: ROLE_NAME, description: 'One of GET /api/roles: viewer' });
const ids = (description: string) => s.orNull(s.listOf(s.recordId, { minItems: 1, maxItems: MAX_IDS, uniqueItems: true }), { description });
const publishers = ids('Whose records may be seen and changed; null: those of all publishers, also of later ones');
const advertisers = ids('Whose bookings may be seen and changed; null: those of all advertisers of the publishers');

/** What a client sends as the rights of a person or an API token. */
export const rightsSchema = {
  roles: s.listOf(role, { minItems: 1, uniqueItems: true }),
  publishers,
  advertisers: s.withDefault(advertisers, null),
};

/** Rights in an answer. */
export const RIGHTS_COLUMNS = {
  roles: { schema: s.listOf(role), of: ({ roles }) => roles },
  publishers: { schema: publishers, of: (row) => row.publishers },
  advertisers: { schema: advertisers, of: (row) => row.advertisers },
} satisfies Columns<Rights>;

/** A fault for a role of advertisers without any. */
export const advertiserFaults = (rights: Pick<Rights, 'roles' | 'advertisers'>): readonly Fault[] =>
  isAdvertiserOfAll(rights)
    ? [{ pointer: '/advertisers', detail: 'must name advertisers: the roles advertiser and buyer are for some' }]
    : [];

/** A fault for each id of rights that names no record. */
export const missingIds = async (trx: Knex.Transaction, rights: Partial<Rights>): Promise<readonly Fault[]> => {
  const faults = (['publishers', 'advertisers'] as const).map(async (table) => {
    const wanted = rights[table] ?? [];
    const rows = await trx(table).whereIn('id', wanted).select<{ id: number }[]>('id');
    const known = new Set(rows.map(({ id }) => id));
    return wanted.flatMap((id, i) => (known.has(id) ? [] : [{ pointer: `/${table}/${i}`, detail: `${id} does not exist` }]));
  });
  return (await Promise.all(faults)).flat();
};

/** Whether two lists have the same values, in any order. */
export const isSame = <T extends string | number>(a: readonly T[] | null, b: readonly T[] | null): boolean =>
  a === null || b === null ? a === b : a.length === b.length && a.every((one) => b.includes(one));
