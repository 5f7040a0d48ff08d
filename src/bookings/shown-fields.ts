import type { Scope } from '../access/scope.ts';
import { isObject } from '../base/narrow.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';

type Fields = Readonly<Partial<Record<EntityTable, readonly string[]>>>;

/** What callers for some advertisers see of records that are not theirs: what their bookings need. */
const NEEDED: Fields = {
  publishers: ['id', 'name', 'domain', 'currency'],
  placements: ['id', 'publisher_id', 'width', 'height', 'formats'],
};
/** What they do not see of their own: bidders, and what staff make of the price. */
const OF_STAFF: Fields = { line_items: ['bidder_id', 'endpoint', 'gvl_id', 'notice_hosts', 'floor', 'value_cpm', 'deal_id'] };
/** What answers add to a record. */
const ADDED = ['counts', 'children', 'warnings'];

/** A record as it is shown in a scope. */
export const shownRecord = ({ advertisers }: Scope, { table }: Pick<EntityKind, 'table'>, record: EntityRecord): EntityRecord => {
  const needed = NEEDED[table];
  const ofStaff = OF_STAFF[table] ?? [];
  if (!advertisers || (!needed && ofStaff.length === 0)) return record;
  const isShown = (name: string): boolean => (needed ? [...needed, ...ADDED].includes(name) : !ofStaff.includes(name));
  return Object.fromEntries(Object.entries(record).filter(([name]) => isShown(name)));
};

/** What replaces a record: what its caller does not see of it stays. */
export const withKept = ({ advertisers }: Scope, { table }: EntityKind, before: EntityRecord, input: unknown): unknown => {
  const kept = advertisers ? (OF_STAFF[table] ?? []) : [];
  return isObject(input) ? { ...Object.fromEntries(kept.map((name) => [name, before[name]])), ...input } : input;
};
