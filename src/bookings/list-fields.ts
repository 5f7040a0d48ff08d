import { BUDGET_TYPES, CREATIVE_FORMATS, CREATIVE_STATUSES, LINE_ITEM_TYPES, PACINGS } from '../catalog/model/choices.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import { DELIVERY_STATUSES } from '../decision/no-bid-reason.ts';
import { ENTITY_KINDS } from './entity-kind.ts';

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
}

const nameOf = (table: EntityTable, id: string): string => `(select lower(name) from ${table} p where p.id = ${id})`;
const ofToday = (column: string): string =>
  `(select coalesce(sum(c.${column}), 0) from daily_counts c where c.line_item_id = line_items.id and c.day = cast(now() at time zone 'utc' as date))`;
const one = (column: string): string => `array[cast(${column} as text)]`;

const NAMED = { id: 'id', name: 'lower(name)' };
const FLIGHT = { start_date: 'start_at', end_date: 'end_at' };
/** Of computed statuses (status/judge-list.ts); the first are those that need attention. */
const BY_STATUS = { status: 'status_rank' };
const STATUS: Readonly<Record<string, ListFilter>> = { status: { values: DELIVERY_STATUSES } };

export const LIST_FIELDS: Readonly<Record<EntityTable, ListFields>> = {
  publishers: { search: ['name', 'domain'], searchWords: 'name or domain', sorts: { ...NAMED, domain: 'lower(domain)' }, filters: {} },
  placements: {
    search: ['id', `width || 'x' || height || ' ' || width || ' × ' || height`],
    searchWords: 'id or size',
    sorts: { id: 'id', size: 'cast(width as bigint) * height', publisher: nameOf('publishers', 'publisher_id') },
    filters: {
      format: { values: CREATIVE_FORMATS, sql: 'formats' },
      open: { values: ['true', 'false'], sql: one('publisher_id is null') },
    },
  },
  advertisers: { search: ['name', 'domain'], searchWords: 'name or domain', sorts: { ...NAMED, domain: 'lower(domain)' }, filters: {} },
  bidders: {
    search: ['name', 'endpoint'],
    searchWords: 'name or endpoint',
    sorts: { ...NAMED, currency: 'currency' },
    filters: {},
  },
  campaigns: {
    search: ['name'],
    searchWords: 'name',
    sorts: {
      ...NAMED,
      ...FLIGHT,
      ...BY_STATUS,
      budget: 'budget_micros',
      publisher: nameOf('publishers', 'publisher_id'),
      advertiser: nameOf('advertisers', 'advertiser_id'),
    },
    filters: STATUS,
  },
  line_items: {
    search: ['name'],
    searchWords: 'name',
    sorts: {
      ...NAMED,
      ...FLIGHT,
      ...BY_STATUS,
      campaign: nameOf('campaigns', 'campaign_id'),
      price: `case when type = 'direct' and lower(budget_type) <> 'flat' then coalesce(cpm_micros, cpc_micros) end`,
      priority: 'coalesce(priority, 2)',
      daily_impression_cap: 'daily_impression_cap',
      impressions_today: ofToday('impressions'),
      spend_today: ofToday('spend_micros'),
    },
    filters: {
      ...STATUS,
      type: { values: LINE_ITEM_TYPES, sql: one('type') },
      pacing: { values: PACINGS, sql: one('pacing') },
      budget_type: { values: BUDGET_TYPES, sql: one('budget_type') },
      priority: { values: ['1', '2', '3'], sql: one('coalesce(priority, 2)') },
    },
  },
  creatives: {
    search: ['name', 'advertiser_domain', 'placement_id', 'format'],
    searchWords: 'name, advertiser domain, placement or format',
    sorts: { ...NAMED, format: 'format', status: 'status', line_item: nameOf('line_items', 'line_item_id') },
    filters: {
      status: { values: CREATIVE_STATUSES, sql: one('status') },
      format: { values: CREATIVE_FORMATS, sql: one('format') },
    },
  },
};

/** SQL with `:pattern` and `:word`: a row matches a word of a search, itself or by what it belongs to. */
export const matchesWord = (table: EntityTable): string => {
  const { namedByClient, parents } = ENTITY_KINDS[table];
  const own = LIST_FIELDS[table].search.map((sql) => `${sql} ilike :pattern`);
  const byId = namedByClient ? [] : ['cast(id as text) = :word'];
  const through = parents
    .filter(({ table: parent }) => parent !== 'placements')
    .map(({ field, table: parent }) => `${field} in (select id from ${parent} where ${matchesWord(parent)})`);
  return [...own, ...byId, ...through].join(' or ');
};
