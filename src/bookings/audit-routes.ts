import type { Knex } from 'knex';
import { isLimited } from '../access/scope.ts';
import { nextPageLink, readPageOfRows } from '../api/page-of-rows.ts';
import { answer, type Handlers } from '../api/route.ts';
import { scopeBinding } from './record-scope.ts';
import { isVisibleChange } from './visible-changes.ts';
import { definedMembers } from '../base/narrow.ts';
import type { AUDIT_API, AuditRow } from './audit-api.ts';
import { restorableDeletions } from './deleted-records.ts';

const COLUMNS = ['id', 'at', 'actor', 'action', 'entity', 'entity_id', 'before', 'after'];
const ROW_BYTES = "256 + octet_length(coalesce(before::text, '')) + octet_length(coalesce(after::text, ''))";

/** As Postgres returns it. */
type StoredChange = Omit<AuditRow, 'id' | 'at' | 'restorable'> & { readonly id: string; readonly at: Date };

/** The history of the catalog: as many changes as fit into an answer. */
export const auditRoutes = ({ knex }: { readonly knex: Knex }): Handlers<typeof AUDIT_API> => ({
  listChanges: async ({ limit, offset, ...where }, { url, caller }) => {
    const changes = knex('audit').where(definedMembers(where));
    if (isLimited(caller)) void changes.whereRaw(isVisibleChange(caller), { ...scopeBinding(caller) });
    const query = { columns: COLUMNS, order: 'desc', limit, offset, rowBytes: ROW_BYTES } as const;
    const page = await readPageOfRows<StoredChange>(knex, changes, query);
    const deletions = page.rows.filter(({ action }) => action === 'delete').map(({ id }) => Number(id));
    const restorable = await restorableDeletions(knex, deletions);
    return answer(
      page.rows.map((change) => shownChange(change, restorable)),
      nextPageLink(url, page, { limit, offset }),
    );
  },
});

const shownChange = (
  { id, at, actor, action, entity, entity_id, before, after }: StoredChange,
  restorable: ReadonlySet<number>,
): AuditRow => ({
  ...{ id: Number(id), at: at.toISOString(), actor, action },
  ...{ entity, entity_id, before, after, restorable: restorable.has(Number(id)) },
});
