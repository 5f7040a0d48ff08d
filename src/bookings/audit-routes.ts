import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { isLimited, type Scope } from '../access/scope.ts';
import { nextPageLink, readPageOfRows } from '../api/page-of-rows.ts';
import { answer, fileHeaders, fileReply, type Asked, type Handlers } from '../api/route.ts';
import { searchWords } from '../api/search-words.ts';
import { csvText } from '../base/csv.ts';
import { definedMembers } from '../base/narrow.ts';
import type { AUDIT_API, AuditRow } from './audit-api.ts';
import { restorableDeletions } from './deleted-records.ts';
import { ENTITY_KINDS } from './entity-kind.ts';
import { createIsThere } from './existing-records.ts';
import { scopeBinding } from './record-scope.ts';
import { shownRecord } from './shown-fields.ts';
import { isVisibleChange } from './visible-changes.ts';

const COLUMNS = [
  'id',
  'at',
  'actor',
  'action',
  'entity',
  'entity_id',
  'note',
  'approved_by',
  'network',
  'device',
  'before',
  'after',
] as const;
const ROW_BYTES = "256 + octet_length(coalesce(before::text, '')) + octet_length(coalesce(after::text, ''))";
/** What `q` searches; of callers who do not see records whole, what they see for certain. */
const SEARCHED = `concat_ws(' ', actor, approved_by, note, before::text, after::text)`;
const SEARCHED_IN_PART = `concat_ws(' ', actor, note, before ->> 'name', after ->> 'name')`;

/** As Postgres returns it. */
type StoredChange = Omit<AuditRow, 'id' | 'at' | 'exists' | 'restorable'> & { readonly id: string; readonly at: Date };
type Wanted = Omit<Asked<(typeof AUDIT_API)['listChanges']>, 'limit' | 'offset' | 'format'>;

/** The history of the catalog: as many changes as fit into an answer, or all of them as a file. */
export const auditRoutes = ({ knex }: { readonly knex: Knex }): Handlers<typeof AUDIT_API> => ({
  listChanges: async ({ limit, offset, format, ...wanted }, { url, caller, isHead }) => {
    const changes = wantedChanges(knex, wanted, caller);
    if (format === 'csv')
      return fileReply(async (begin) => {
        const file = begin(fileHeaders('history.csv', 'text/csv; charset=utf-8; header=present'));
        await pipeline(isHead ? [] : csvOf(knex, changes, caller), file);
        return undefined;
      });
    const query = { columns: COLUMNS, order: 'desc', limit, offset, rowBytes: ROW_BYTES } as const;
    const page = await readPageOfRows<StoredChange>(knex, changes, query);
    const deletions = page.rows.filter(({ action }) => action === 'delete').map(({ id }) => Number(id));
    const [restorable, isThere] = await Promise.all([restorableDeletions(knex, deletions), createIsThere(knex, page.rows)]);
    return answer(
      page.rows.map((change) => ({
        ...shownChange(change, caller),
        exists: isThere(change),
        restorable: restorable.has(Number(change.id)),
      })),
      nextPageLink(url, page, { limit, offset }),
    );
  },
});

const wantedChanges = (knex: Knex, { q = '', from, to, ...where }: Wanted, scope: Scope): Knex.QueryBuilder => {
  const changes = knex('audit').where(definedMembers(where));
  if (isLimited(scope)) void changes.whereRaw(isVisibleChange(scope), { ...scopeBinding(scope) });
  if (from !== undefined) void changes.whereRaw(`at >= cast(:from as timestamp) at time zone 'utc'`, { from });
  if (to !== undefined) void changes.whereRaw(`at < (cast(:to as date) + 1)::timestamp at time zone 'utc'`, { to });
  for (const { pattern } of searchWords(q))
    void changes.whereRaw(`${scope.advertisers ? SEARCHED_IN_PART : SEARCHED} ilike :pattern`, { pattern });
  return changes;
};

/** Newest first, a page at a time, without those that are made meanwhile. */
async function* csvOf(knex: Knex, changes: Knex.QueryBuilder, scope: Scope): AsyncGenerator<string> {
  yield csvText([COLUMNS]);
  const query = { columns: COLUMNS, order: 'desc', limit: 1_000, offset: 0, rowBytes: ROW_BYTES } as const;
  for (let before: string | undefined; ;) {
    const older = before === undefined ? changes.clone() : changes.clone().where('id', '<', before);
    const { rows, more } = await readPageOfRows<StoredChange>(knex, older, query);
    yield csvText(rows.map((change) => Object.values({ ...shownChange(change, scope), ...jsonOf(change, scope) })));
    before = rows.at(-1)?.id;
    if (!more) return;
  }
}

const jsonOf = (change: StoredChange, scope: Scope) => {
  const { before, after } = shownChange(change, scope);
  return { before: before && JSON.stringify(before), after: after && JSON.stringify(after) };
};

const NOWHERE = { network: null, device: null };

/** In the order of COLUMNS. */
const shownChange = ({ id, at, before, after, ...change }: StoredChange, scope: Scope) => {
  const { actor, action, entity, entity_id, note, approved_by } = change;
  // Callers for some advertisers are not staff, whose places they do not see.
  const { network, device } = scope.advertisers ? NOWHERE : change;
  const kind = Object.values(ENTITY_KINDS).find(({ name }) => name === entity);
  const shown = (record: AuditRow['before']) => (record && kind ? shownRecord(scope, kind, record) : record);
  const who = { id: Number(id), at: at.toISOString(), actor, action, entity, entity_id, note, approved_by, network, device };
  return { ...who, before: shown(before), after: shown(after) };
};
