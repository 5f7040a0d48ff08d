import { ETAG, LINK, LOCATION, TOTAL } from '../api/openapi-document.ts';
import { choiceQuery, header, idInPath, textInPath, type PathParameter } from '../api/parameters.ts';
import { created, defineRoutes, noContent, ok, ownBody, type RouteDefinition, type RouteTable } from '../api/route.ts';
import type { Permission } from '../access/permissions.ts';
import { listOf } from '../base/schema.ts';
import type { ProblemCode } from '../http/problems/problem.ts';
import { MAX_CONTENT_LENGTH } from '../catalog/entities/creative.ts';
import { RESTORE_DAYS } from '../catalog/model/choices.ts';
import { ENTITY_COMPONENTS, pascalCase } from './entity-components.ts';
import { SENT_EXAMPLES } from './entity-examples.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import { ENTITY_KINDS, isForAllAdvertisers, ownerOf, type EntityAction, type EntityKind } from './entity-kind.ts';
import { fixedParentOf } from './fixed-parent.ts';
import { listParameters } from './list-query.ts';

/** Block lists of the longest names take 300 kB. */
export const MAX_RECORD_BYTES = 512 * 1024;
/**
 * JSON escapes one UTF-16 unit in at most six bytes (`\u001f`), so six times the longest content,
 * and half a megabyte for the other fields.
 */
export const MAX_CREATIVE_BYTES = 8 * MAX_CONTENT_LENGTH;

/**
 * A schema that reports all faults takes about a microsecond for each value, also beyond its own
 * limits: 2 MiB of them held the event loop for 230 ms.
 */
const MAX_VALUES = 5_000;

const WRITES: Readonly<Partial<Record<EntityTable, Permission>>> = {
  ...{ publishers: 'setup.write', placements: 'inventory.write', bidders: 'setup.write' },
};
/** What a change of a record needs. */
const neededToWrite = ({ table }: EntityKind): Permission => WRITES[table] ?? 'bookings.write';
/** Who may upload and correct creatives may not delete them. */
const CORRECTIONS: Readonly<Partial<Record<EntityTable, Permission>>> = { creatives: 'creatives.write' };
const ACTION_NEEDS: Readonly<Partial<Record<EntityAction, Permission>>> = {
  ...{ approve: 'creatives.approve', reject: 'creatives.approve', block: 'creatives.approve', unblock: 'creatives.approve' },
};

/** Records that belong to no publisher are changed by callers whose scope is not limited, what a publisher has for all advertisers by its own. */
const reachOf = (kind: EntityKind) => {
  if (isForAllAdvertisers(kind)) return { reach: 'publishers' } as const;
  return ownerOf(kind) ? ({ reach: 'own' } as const) : {};
};

const idOf = ({ namedByClient, words }: EntityKind): PathParameter<string | number> =>
  namedByClient ? textInPath(words) : idInPath(words);
const ifMatch = { 'If-Match': header('An ETag. The change is refused when the record has changed since.') };

/** The routes of an entity: those that each has. */
export const entityApi = (kind: EntityKind) => {
  const { record, change } = ENTITY_COMPONENTS[kind.table];
  const all = { path: `/api/${kind.table}`, tag: kind.table };
  const one = { path: `/api/${kind.table}/{id}`, tag: kind.table };
  const id = { id: idOf(kind) };
  const limits = { maxBytes: kind.table === 'creatives' ? MAX_CREATIVE_BYTES : MAX_RECORD_BYTES, maxValues: MAX_VALUES };
  const body = ownBody(record, { ...limits, example: SENT_EXAMPLES[kind.table] });
  const changed = ok('The record after the change', record, { headers: ETAG });
  const write = { needs: CORRECTIONS[kind.table] ?? neededToWrite(kind), ...reachOf(kind) } as const;
  const creation = { needs: write.needs, ...(kind.parents.length > 0 ? reachOf(kind) : {}) } as const;
  const reading = { needs: 'records.read', reach: 'own' } as const;
  const ofWrite = ['precondition_failed', ...(fixedParentOf(kind) ? (['parent_fixed'] as const) : [])] as const;
  return defineRoutes({
    list: {
      ...{ method: 'GET', ...all, summary: 'List', cost: 'list', ...reading },
      parameters: listParameters(kind),
      answer: ok('In the order of `sort`', listOf(record), { headers: { ...TOTAL, ...LINK } }),
    },
    create: {
      ...{ method: 'POST', ...all, summary: 'Create', body, ...creation },
      answer: created(kind.table === 'publishers' ? 'Created; api_key is shown this once' : 'Created', record, {
        headers: { ...ETAG, ...LOCATION },
      }),
    },
    get: {
      ...{ method: 'GET', ...one, summary: 'Read', ...reading },
      parameters: { ...id, include: choiceQuery(['counts'], 'Adds the number of records that a deletion would also delete') },
      answer: ok('The record', record, { headers: ETAG }),
    },
    replace: {
      ...{ method: 'PUT', ...one, summary: 'Replace', body, answer: changed, problems: ofWrite, ...write },
      parameters: { ...id, ...ifMatch },
    },
    update: {
      ...{
        method: 'PATCH',
        ...one,
        summary: 'Change some fields (JSON merge patch, RFC 7396)',
        answer: changed,
        problems: ofWrite,
        ...write,
      },
      parameters: { ...id, ...ifMatch },
      body: ownBody(change, { ...limits, mediaType: 'application/merge-patch+json' }),
    },
    delete: {
      ...{
        method: 'DELETE',
        ...one,
        summary: 'Delete the record and every record that belongs to it',
        ...write,
        needs: neededToWrite(kind),
      },
      parameters: { ...id, ...ifMatch },
      answer: noContent('Deleted'),
      problems: kind.table === 'targetings' ? ['precondition_failed', 'conflict'] : ['precondition_failed'],
    },
  });
};

const ACTION_SUMMARIES: Readonly<Record<EntityAction, string>> = {
  rotate_key: 'Replace the API key. The old key stops working; the answer shows the new one this once.',
  approve: 'Approve the creative',
  reject: 'Reject the creative: it is not served',
  block: 'Stop serving the creative',
  unblock: 'Serve the creative again',
  duplicate: 'Copy the campaign with its line items and creatives, in one transaction; the copy is paused',
  make_good:
    'Create a line item that carries what this one did not deliver of its goals, linked by make_good_for, with its creatives; it is paused',
  restore: `Undo a deletion: the record, and all that was deleted with it, under their ids and with their counts; up to ${RESTORE_DAYS} days later`,
};
/** Actions that create a record, and answer with that one. */
export const CREATING: readonly EntityAction[] = ['duplicate', 'make_good'];

const ACTION_PROBLEMS: Readonly<Partial<Record<EntityAction, readonly ProblemCode[]>>> = {
  duplicate: ['invalid_request'],
  make_good: ['invalid_request'],
  restore: ['conflict', 'unavailable'],
};

/** The route of an action of an entity. */
export const actionApi = (kind: EntityKind, action: EntityAction) => {
  const { record } = ENTITY_COMPONENTS[kind.table];
  const creates = CREATING.includes(action);
  return defineRoutes({
    act: {
      ...{ method: 'POST', path: `/api/${kind.table}/{id}/${action}`, tag: kind.table, summary: ACTION_SUMMARIES[action] },
      ...{ needs: ACTION_NEEDS[action] ?? neededToWrite(kind), ...reachOf(kind) },
      parameters: { id: idOf(kind), ...ifMatch },
      answer: creates
        ? created('The new record', record, { headers: { ...ETAG, ...LOCATION } })
        : ok('The record after the change', record, { headers: ETAG }),
      problems: ['precondition_failed', ...(ACTION_PROBLEMS[action] ?? [])],
    },
  });
};

/** `list` → `listLineItems`; `get` → `getLineItem`; `rotate_key` → `rotatePublisherKey`. */
const operationId = ({ table, name }: EntityKind, does: string): string => {
  const [verb, ...object] = does.split('_');
  return `${verb}${pascalCase(verb === 'list' ? table : name)}${pascalCase(object.join('_'))}`;
};

/** The routes of all entities, by operationId. */
export const ENTITY_API: RouteTable = Object.fromEntries<RouteDefinition>(
  Object.values(ENTITY_KINDS).flatMap((kind) => [
    ...Object.entries(entityApi(kind)).map(([does, route]) => [operationId(kind, does), route] as const),
    ...kind.actions.map((action) => [operationId(kind, action), actionApi(kind, action).act] as const),
  ]),
);

/** What may be done with an entity: the routes that each has, and its actions. */
export type EntityVerb = keyof ReturnType<typeof entityApi> | EntityAction;

/** The route of an entity. */
export const entityRoute = (kind: EntityKind, verb: EntityVerb): RouteDefinition => {
  const route = ENTITY_API[operationId(kind, verb)];
  if (!route) throw new Error(`${kind.table} have no route to ${verb}.`);
  return route;
};
