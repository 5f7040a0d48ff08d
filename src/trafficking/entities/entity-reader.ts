import type { Knex } from 'knex';
import { COLUMNS } from '../../catalog/postgres/catalog-rows.ts';
import type { CatalogRow, CatalogTable } from '../../catalog/model/catalog-reading.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';

export interface ListQuery {
  readonly limit: number;
  readonly offset: number;
  /** Looked for in names, in any letter case; '' finds all. */
  readonly text: string;
  /** By a parent, or a parent's parent: see FILTERS. */
  readonly parents: Readonly<Record<string, string | number>>;
}

/** What goes with an entity when it is deleted. */
export type CascadeCounts = Readonly<Record<string, number>>;

export interface EntityReader {
  list(kind: EntityKind, query: ListQuery): Promise<{ readonly records: readonly EntityRecord[]; readonly total: number }>;
  find(kind: EntityKind, id: string | number): Promise<EntityRecord | undefined>;
  cascade(kind: EntityKind, id: string | number): Promise<CascadeCounts>;
}

/** The filters of each list, in SQL: one placeholder each. */
export const FILTERS: Readonly<Record<CatalogTable, Readonly<Record<string, string>>>> = {
  publishers: {},
  placements: { publisher_id: 'publisher_id = ?' },
  campaigns: { publisher_id: 'publisher_id = ?' },
  line_items: {
    campaign_id: 'campaign_id = ?',
    publisher_id: 'campaign_id in (select id from campaigns where publisher_id = ?)',
  },
  creatives: {
    line_item_id: 'line_item_id = ?',
    placement_id: 'placement_id = ?',
    campaign_id: 'line_item_id in (select id from line_items where campaign_id = ?)',
    publisher_id: 'line_item_id in (select l.id from line_items l join campaigns c on c.id = l.campaign_id where c.publisher_id = ?)',
  },
};

const CASCADES: Readonly<Record<CatalogTable, Readonly<Record<string, string>>>> = {
  publishers: {
    placements: 'select count(*) from placements where publisher_id = :id',
    campaigns: 'select count(*) from campaigns where publisher_id = :id',
    line_items: 'select count(*) from line_items where campaign_id in (select id from campaigns where publisher_id = :id)',
    creatives: `select count(*) from creatives
      where placement_id in (select id from placements where publisher_id = :id)
      or line_item_id in (select l.id from line_items l join campaigns c on c.id = l.campaign_id where c.publisher_id = :id)`,
  },
  placements: { creatives: 'select count(*) from creatives where placement_id = :id' },
  campaigns: {
    line_items: 'select count(*) from line_items where campaign_id = :id',
    creatives: 'select count(*) from creatives where line_item_id in (select id from line_items where campaign_id = :id)',
  },
  line_items: { creatives: 'select count(*) from creatives where line_item_id = :id' },
  creatives: {},
};

/** Reads the catalog's tables as they stand, for people: a transaction sees its own writes. */
export const createEntityReader = ({ knex }: { readonly knex: Knex }): EntityReader => ({
  list: async (kind, { limit, offset, text, parents }) => {
    const query = knex(kind.table);
    for (const [name, value] of Object.entries(parents)) void query.whereRaw(FILTERS[kind.table][name]!, [value]);
    if (text !== '') {
      const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
      void query.where((either) => kind.search.forEach((column) => void either.orWhereILike(column, pattern)));
    }
    const counted = await query.clone().count<{ count: string }[]>('* as count');
    const rows = (await query.select(COLUMNS[kind.table]).orderBy('id').limit(limit).offset(offset)) as CatalogRow[];
    return { records: rows.map(kind.toRecord), total: Number(counted[0]?.count) };
  },

  find: async (kind, id) => {
    const row = await knex(kind.table).where({ id }).first<CatalogRow | undefined>(COLUMNS[kind.table]);
    return row && kind.toRecord(row);
  },

  cascade: async ({ table }, id) => {
    const counts = Object.entries(CASCADES[table]);
    if (counts.length === 0) return {};
    const sql = counts.map(([name, count]) => `(${count})::int as ${name}`).join(', ');
    const { rows } = await knex.raw<{ rows: Record<string, number>[] }>(`select ${sql}`, { id });
    return rows[0]!;
  },
});
