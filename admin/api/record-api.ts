import type { RouteDefinition } from '../../src/api/route.ts';
import type { EntityAction } from '../../src/bookings/entity-kind.ts';
import type { Answer, Counts, Kind, Records } from './wire.ts';

type Id = string | number;
type Fields = Readonly<Record<string, unknown>>;
type Changed<K extends Kind> = Promise<Answer<Records[K]>>;

/** One request: a path with names in braces, and what is sent to it. */
export interface Asked extends Readonly<Record<string, unknown>> {
  readonly body?: unknown;
  /** The entity tag of the record as it was read: the service answers 412 when it has changed since. */
  readonly 'If-Match'?: string | null | undefined;
  /** Why, for the history. */
  readonly 'Change-Note'?: string | undefined;
}

/** Sends a request, and reads the body of an answer. */
export type Call = <T>(method: RouteDefinition['method'], path: string, asked?: Asked) => Promise<Answer<T>>;

/** The records of the catalog, by kind. `ifMatch`: refused with 412 when the record has changed since it had this tag. */
export interface RecordApi {
  /** @param query parameters of the list, as text */
  list<K extends Kind>(kind: K, query: string): Promise<Answer<readonly Records[K][]>>;
  read<K extends Kind>(kind: K, id: Id): Changed<K>;
  /** The record as fields by name. */
  fields(kind: Kind, id: Id): Promise<Answer<Fields>>;
  /** The record, and how many records a deletion would also delete. */
  readWithCounts<K extends Kind>(kind: K, id: Id): Promise<Answer<Records[K] & { readonly counts?: Counts }>>;
  /** @param note why, for the history */
  create<K extends Kind>(kind: K, record: Fields, note?: string): Changed<K>;
  replace<K extends Kind>(kind: K, id: Id, record: Fields, ifMatch: string | null | undefined, note?: string): Changed<K>;
  update<K extends Kind>(kind: K, id: Id, patch: Fields, ifMatch?: string | null): Changed<K>;
  remove(kind: Kind, id: Id, ifMatch?: string | null): Promise<Answer<undefined>>;
  act<K extends Kind>(kind: K, id: Id, action: EntityAction): Changed<K>;
}

export const createRecordApi = (call: Call): RecordApi => ({
  list: (kind, query) => call('GET', `/${kind}${query && '?'}${query}`),
  read: (kind, id) => call('GET', `/${kind}/{id}`, { id }),
  fields: (kind, id) => call('GET', `/${kind}/{id}`, { id }),
  readWithCounts: (kind, id) => call('GET', `/${kind}/{id}`, { id, include: 'counts' }),
  create: (kind, body, note) => call('POST', `/${kind}`, { body, 'Change-Note': note }),
  replace: (kind, id, body, ifMatch, note) => call('PUT', `/${kind}/{id}`, { id, body, 'If-Match': ifMatch, 'Change-Note': note }),
  update: (kind, id, body, ifMatch) => call('PATCH', `/${kind}/{id}`, { id, body, 'If-Match': ifMatch }),
  remove: (kind, id, ifMatch) => call('DELETE', `/${kind}/{id}`, { id, 'If-Match': ifMatch }),
  act: (kind, id, action) => call('POST', `/${kind}/{id}/${action}`, { id }),
});
