import type { Scope } from '../access/scope.ts';
import { entityOf, perTable, type EntityTable } from '../catalog/entities/entities.ts';
import type { Field } from '../catalog/entities/field.ts';
import { CREATIVE_FORMATS } from '../catalog/model/choices.ts';
import { columnOf } from '../catalog/postgres/rows.ts';
import { DELIVERY_STATUSES } from '../decision/no-bid-reason.ts';
import { ENTITY_KINDS } from './entity-kind.ts';
import { isVisible } from './record-scope.ts';

/** A parameter of a list: values of a closed set, of which a record has one. */
export interface ListFilter {
  readonly values: readonly string[];
  /** SQL for the values of a row, as text[]. undefined: judged from the counters (status/judge-list.ts). */
  readonly sql?: string;
}

/** How a list can be searched, sorted and filtered. */
export interface ListFields {
  /** SQL texts of which one contains each searched word, and the words for them. Parents are searched, too. */
  readonly search: readonly string[];
  readonly searchWords: string;
  /** Values of `sort`, each with the SQL that orders by it. */
  readonly sorts: Readonly<Record<string, string>>;
  readonly filters: Readonly<Record<string, ListFilter>>;
  /** What its records can be grouped by. */
  readonly groups: Readonly<Record<string, ListGroup>>;
}

/** SQL for the record that each row of a list is grouped by: its id, and its name. */
export interface ListGroup {
  readonly id: string;
  readonly name: string;
}

/**
 * Of today, or of some days before it. A day is the publisher's, which is that of UTC or one beside it.
 * @param days whole days before today; 0: today
 */
const ofDays = (column: string, days = 0): string =>
  `(select coalesce(sum(c.${column}), 0) from daily_counts c join publishers p on p.id = c.publisher_id
    where c.line_item_id = line_items.id and c.day >= cast(now() at time zone 'utc' as date) - ${days + 1}
      and c.day >= cast(now() at time zone p.time_zone as date) - ${days}
      and c.day ${days === 0 ? '=' : '<'} cast(now() at time zone p.time_zone as date))`;
const one = (column: string): string => `array[cast(${column} as text)]`;

/** SQL of what is searched and sorted by and is no field. */
const COMPUTED: Readonly<Record<string, { readonly search?: string; readonly sort: string }>> = {
  size: { search: `width || 'x' || height || ' ' || width || ' × ' || height`, sort: 'cast(width as bigint) * height' },
  // Of computed statuses (status/judge-list.ts); the first are those that need attention.
  status: { sort: 'status_rank' },
  price: {
    sort: `case when type = 'direct' then case lower(budget_type) when 'flat' then null when 'cpc' then cpc_micros when 'cpcv' then cpcv_micros else cpm_micros end end`,
  },
  impressions_today: { sort: ofDays('impressions') },
  impressions_week: { sort: ofDays('impressions', 7) },
  spend_today: { sort: ofDays('spend_micros') },
};

const STATUS: Readonly<Record<string, ListFilter>> = { status: { values: DELIVERY_STATUSES } };
/** Filters that are not by one field. */
const FILTERS: Readonly<Partial<Record<EntityTable, ListFields['filters']>>> = {
  placements: {
    format: { values: CREATIVE_FORMATS, sql: 'formats' },
    open: { values: ['true', 'false'], sql: one('publisher_id is null') },
  },
  campaigns: STATUS,
  line_items: STATUS,
};

const nameOf = (table: EntityTable, id: string): string => `(select g.name from ${table} g where g.id = ${id})`;
const ADVERTISER_OF_CAMPAIGN = '(select g.advertiser_id from campaigns g where g.id = campaign_id)';

const GROUPS: Readonly<Partial<Record<EntityTable, ListFields['groups']>>> = {
  campaigns: {
    advertiser: { id: 'advertiser_id', name: nameOf('advertisers', 'advertiser_id') },
    publisher: { id: 'publisher_id', name: nameOf('publishers', 'publisher_id') },
  },
  line_items: {
    campaign: { id: 'campaign_id', name: nameOf('campaigns', 'campaign_id') },
    advertiser: { id: ADVERTISER_OF_CAMPAIGN, name: nameOf('advertisers', ADVERTISER_OF_CAMPAIGN) },
  },
};

/** SQL for the value that lists show. */
const valueOf = (name: string, field: Field): string => {
  const column = columnOf(name, field) ?? name;
  return field.view?.[2] === undefined ? column : `coalesce(${column}, ${field.view[2]})`;
};

/** A value of `sort`, and its SQL: a parent by its name, a text without regard to case. */
const sortBy = (name: string, field: Field | undefined): readonly [string, string] => {
  if (field === undefined) return [name, COMPUTED[name]?.sort ?? name];
  if (field.parent) return [name.replace(/_id$/, ''), `(select lower(name) from ${field.parent} p where p.id = ${name})`];
  const isText = field.schema['type'] === 'string' && !field.choices && !('format' in field.schema) && name !== 'id';
  return [name, isText || name === 'domain' ? `lower(${name})` : valueOf(name, field)];
};

const listFields = (table: EntityTable): ListFields => {
  const { fields, list } = entityOf(table);
  const { searched, sorted, filtered = [] } = list;
  const words = searched.map((name) => name.replace(/_id$/, '').replaceAll('_', ' '));
  const byField = filtered.flatMap((name) => {
    const field = fields[name];
    return field ? [[name, { values: Object.keys(field.choices ?? {}), sql: one(valueOf(name, field)) }] as const] : [];
  });
  return {
    search: searched.map((name) => COMPUTED[name]?.search ?? name),
    searchWords: [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' or '),
    sorts: Object.fromEntries(sorted.map((name) => sortBy(name, fields[name]))),
    filters: { ...FILTERS[table], ...Object.fromEntries(byField) },
    groups: GROUPS[table] ?? {},
  };
};

export const LIST_FIELDS = perTable(listFields);

/** SQL with `:pattern`, `:word` and a scope's bindings: a row matches a word of a search, itself or by what it belongs to of the scope. */
export const matchesWord = (table: EntityTable, scope: Scope): string => {
  const { namedByClient, parents } = ENTITY_KINDS[table];
  const own = LIST_FIELDS[table].search.map((sql) => `${sql} ilike :pattern`);
  const byId = namedByClient ? [] : ['cast(id as text) = :word'];
  const through = parents
    .filter(({ table: parent }) => parent !== 'placements')
    .map(
      ({ field, table: parent }) =>
        `${field} in (select id from ${parent} where (${matchesWord(parent, scope)}) and ${isVisible(parent, scope)})`,
    );
  return [...own, ...byId, ...through].join(' or ');
};
