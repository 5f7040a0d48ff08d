import type { Knex } from 'knex';
import { setImmediate as otherRequests } from 'node:timers/promises';
import { groupBy } from '../base/group-by.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import { ENTITY_KINDS, isArchived, type EntityRecord } from '../bookings/entity-kind.ts';
import { isOwned, scopeBinding } from '../bookings/record-scope.ts';
import { DECLARATION_VERSION } from './declaration.ts';
import { declaredOf, namedBy, ownerField, OWNERS, partOf, TOP_LISTS, WRITE_ORDER } from './declared-fields.ts';
import { ofPublisher, readRecords } from './read-bookings.ts';

export const DECLARATION_FORMATS = { json: 'application/json', yaml: 'application/yaml' } as const;
export type DeclarationFormat = keyof typeof DECLARATION_FORMATS;

interface Listed {
  readonly id: string | number;
  readonly key: string | null;
  readonly ownerId: string | number | null;
}

const CAMPAIGNS = `campaigns where publisher_id = :publisher and not archived`;
const LINE_ITEMS = `line_items where not archived and campaign_id in (select id from ${CAMPAIGNS})`;
/** Its own, and those that its creatives name: open ones of all publishers, and archived ones, without which the creatives are not what they are. */
const EXPORTED: Readonly<Partial<Record<EntityTable, string>>> = {
  advertisers: `id in (select advertiser_id from ${CAMPAIGNS}
    union select unnest(blocked_advertiser_ids) from publishers where id = :publisher
    union select unnest(blocked_advertiser_ids) from placements where publisher_id = :publisher)`,
  bidders: `id in (select bidder_id from ${LINE_ITEMS})`,
  placements: `(publisher_id = :publisher and not archived or id in (
  select unnest(array_prepend(placement_id, more_placement_ids)) from creatives
  where not archived and line_item_id in (select id from ${LINE_ITEMS})))`,
};

/**
 * The bookings of a publisher as a declaration, in parts of its text. What is archived is left out, and so are secrets. The
 * order is that of keys: equal bookings make equal files, wherever they are.
 *
 * @param knex a transaction that sees one moment
 */
export async function* exportDeclaration(knex: Knex, publisherId: number, format: DeclarationFormat): AsyncGenerator<string> {
  const listed = new Map<EntityTable, readonly Listed[]>();
  const names = new Map<string, string>();
  for (const table of WRITE_ORDER) listed.set(table, await listOf(knex, table, publisherId, names));
  const named = namedBy(names);
  const installation = await installationOf(knex);
  const write = format === 'yaml' ? await loadYamlWriter() : JSON_WRITER;
  const all = (table: EntityTable): readonly Listed[] => listed.get(table) ?? [];
  const byOwner = new Map(WRITE_ORDER.map((table) => [table, groupBy(all(table), ({ ownerId }) => ownerId)]));

  async function* declared(table: EntityTable, rows: readonly Listed[]): AsyncGenerator<EntityRecord & { readonly own: EntityRecord }> {
    const ids = rows.map(({ id }) => id);
    for await (const record of readRecords(knex, table, ids)) yield { own: record, ...declaredOf(table, record, named) };
  }

  async function* list(table: EntityTable, rows: readonly Listed[], depth: number): AsyncGenerator<string> {
    let first = true;
    for await (const { own, ...record } of declared(table, rows)) {
      yield write.item(table, record, depth, first);
      first = false;
      const part = partOf(table);
      const parts = part && byOwner.get(part)?.get(own['id'] as number);
      if (parts) yield* list(part, parts, depth + 1);
      yield write.itemEnd(depth);
    }
    if (!first) yield write.listEnd(depth);
  }

  for await (const { own: _, ...publisher } of declared('publishers', all('publishers')))
    yield write.head({ version: DECLARATION_VERSION, installation, publisher });
  for (const table of TOP_LISTS) {
    yield* list(table, all(table), 0);
    await otherRequests();
  }
  yield write.end;
}

/** What the declaration of a publisher says of the publisher: applied again, it changes nothing. undefined: there is none. */
export const declaredPublisher = async (knex: Knex, publisherId: number): Promise<EntityRecord | undefined> => {
  const names = new Map<string, string>();
  for (const table of ['publishers', 'advertisers'] as const) await listOf(knex, table, publisherId, names);
  for await (const record of readRecords(knex, 'publishers', [publisherId])) return declaredOf('publishers', record, namedBy(names));
  return undefined;
};

/** The rows of a table in the order of a declaration. */
const listOf = async (knex: Knex, table: EntityTable, publisherId: number, names: Map<string, string>): Promise<readonly Listed[]> => {
  const { namedByClient } = ENTITY_KINDS[table];
  const scope = ofPublisher(publisherId);
  const isLeftOut = OWNERS[table] === undefined || table === 'placements' ? 'false' : isArchived(table);
  const rows = await knex(table)
    .whereRaw(EXPORTED[table] ?? isOwned(table, scope), { publisher: publisherId, ...scopeBinding(scope) })
    .whereRaw(`not (${isLeftOut})`)
    .orderByRaw(namedByClient ? 'id collate "C"' : 'external_key collate "C" nulls last, id')
    .select<Listed[]>('id', { key: 'external_key' }, knex.raw(`${ownerField(table) ?? 'null::int'} as "ownerId"`));
  for (const { id, key } of rows) if (key !== null) names.set(`${table} ${id}`, key);
  return rows;
};

export const installationOf = async (knex: Knex): Promise<string> =>
  (await knex('instance').first<{ installation_id: string }>('installation_id')).installation_id;

interface Writer {
  head(head: object): string;
  /** A record of a list, open for its parts. */
  item(list: string, record: object, depth: number, first: boolean): string;
  itemEnd(depth: number): string;
  listEnd(depth: number): string;
  readonly end: string;
}

const JSON_WRITER: Writer = {
  head: (head) => JSON.stringify(head).slice(0, -1),
  item: (list, record, _, first) => `${first ? `,\n${JSON.stringify(list)}:[` : ','}\n${JSON.stringify(record).slice(0, -1)}`,
  itemEnd: () => '}',
  listEnd: () => ']',
  end: '}\n',
};

const indented = (text: string, spaces: number): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces));

/** Its package is loaded for the first export that wants it. */
const loadYamlWriter = async (): Promise<Writer> => {
  const { stringify } = await import('yaml');
  return {
    head: (head) => stringify(head, { lineWidth: 0 }),
    item: (list, record, depth, first) =>
      (first ? `${' '.repeat(depth * 4)}${list}:\n` : '') + indented(stringify([record], { lineWidth: 0 }), depth * 4 + 2),
    itemEnd: () => '',
    listEnd: () => '',
    end: '',
  };
};
