import { ENTITY_KINDS, ancestorsOf, type EntityAction, type EntityKind } from '../../bookings/entity-kind.ts';
import { ARCHIVED_QUERIES, MAX_LISTED } from '../../bookings/entity-reader.ts';
import { ACTIONS } from '../../bookings/entity-routes.ts';
import { fixedParentOf } from '../../bookings/fixed-parent.ts';
import { LIST_FIELDS } from '../../bookings/list-fields.ts';
import { MAX_IDS, MAX_OFFSET } from '../../bookings/list-query.ts';
import { changeRef, entityRef, pascalCase } from './entity-schemas.ts';
import {
  BODY_PROBLEMS,
  idInPath,
  jsonAnswer,
  jsonBody,
  LINK,
  pageQuery,
  problems,
  query,
  READ_PROBLEMS,
  WRITE_PROBLEMS,
  type PathItem,
  type Paths,
} from './operation.ts';
import { listOf } from '../../api/schema.ts';

const ETAG = { ETag: { schema: { type: 'string' } } };
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  schema: { type: 'string' },
  description: 'An ETag. The change is refused when the record has changed since.',
};

const ACTION_SUMMARIES: Readonly<Record<EntityAction, string>> = {
  rotate_key: 'Replace the API key. The old key stops working; the answer shows the new one this once.',
  block: 'Stop serving the creative',
  unblock: 'Serve the creative again',
  duplicate: 'Copy the campaign with its line items and creatives, in one transaction; the copy is paused',
};

/** List, create, read, replace, change and delete for each entity, and its actions. */
export const entityPaths = (): Paths =>
  Object.fromEntries(
    Object.values(ENTITY_KINDS).flatMap((kind) => [
      [`/api/${kind.table}`, listPath(kind)],
      [`/api/${kind.table}/{id}`, recordPath(kind)],
      ...kind.actions.map((action) => [`/api/${kind.table}/{id}/${action}`, actionPath(kind, action)] as const),
    ]),
  );

/** `list` → `listLineItems`; `get` → `getLineItem`; `rotate_key` → `rotatePublisherKey`. */
const operationId = ({ table, name }: EntityKind, does: string): string => {
  const [verb, ...object] = does.split('_');
  return `${verb}${pascalCase(verb === 'list' ? table : name)}${pascalCase(object.join('_'))}`;
};

const idOf = ({ namedByClient }: EntityKind): object => idInPath(namedByClient ? 'string' : 'integer');

const listPath = (kind: EntityKind): PathItem => ({
  get: {
    operationId: operationId(kind, 'list'),
    tags: [kind.table],
    summary: 'List',
    parameters: [
      ...ancestorsOf(kind).map(({ reference, namedByClient, words }) =>
        query(reference, { type: namedByClient ? 'string' : 'integer' }, `Only records of this ${words}`),
      ),
      query(
        'q',
        { type: 'string' },
        `Only records with each of these words in their ${LIST_FIELDS[kind.table].searchWords}, or as their id, or in what they belong to`,
      ),
      {
        ...query(
          'id',
          { type: 'array', items: { type: kind.namedByClient ? 'string' : 'integer' }, maxItems: MAX_IDS },
          'Only these records',
        ),
        style: 'form',
        explode: true,
      },
      ...Object.entries(LIST_FIELDS[kind.table].filters).map(([name, { values }]) => ({
        ...query(name, { type: 'array', items: { type: 'string', enum: values } }, 'Only records with one of these, separated by commas'),
        style: 'form',
        explode: false,
      })),
      query(
        'sort',
        { type: 'string', enum: Object.keys(LIST_FIELDS[kind.table].sorts).flatMap((by) => [by, `-${by}`]), default: 'id' },
        'What the list is ordered by; with `-` in front, the largest first. Records without a value are last',
      ),
      query(
        'archived',
        { type: 'string', enum: ARCHIVED_QUERIES, default: 'false' },
        'Archived records: left out, listed too, or listed alone',
      ),
      query('include', { type: 'string', enum: ['children'] }, 'Adds how many records belong to each directly, without archived ones'),
      ...pageQuery({ default: MAX_LISTED, max: MAX_LISTED }, MAX_OFFSET),
    ],
    responses: {
      200: jsonAnswer('In the order of `sort`', listOf(entityRef(kind)), { 'X-Total-Count': { schema: { type: 'integer' } }, ...LINK }),
      ...problems('invalid_request', ...READ_PROBLEMS),
    },
  },
  post: {
    operationId: operationId(kind, 'create'),
    tags: [kind.table],
    summary: 'Create',
    requestBody: jsonBody(entityRef(kind), 'application/json', `New${pascalCase(kind.name)}`),
    responses: {
      201: jsonAnswer(kind.table === 'publishers' ? 'Created; api_key is shown this once' : 'Created', entityRef(kind), {
        ...ETAG,
        Location: { schema: { type: 'string' } },
      }),
      ...problems(...BODY_PROBLEMS, ...WRITE_PROBLEMS),
    },
  },
});

const recordPath = (kind: EntityKind): PathItem => {
  const changed = {
    200: jsonAnswer('The record after the change', entityRef(kind), ETAG),
    ...problems(
      ...BODY_PROBLEMS,
      ...WRITE_PROBLEMS,
      'not_found',
      'precondition_failed',
      ...(fixedParentOf(kind) ? ['parent_fixed' as const] : []),
    ),
  };
  return {
    parameters: [idOf(kind)],
    get: {
      operationId: operationId(kind, 'get'),
      tags: [kind.table],
      summary: 'Read',
      parameters: [query('include', { type: 'string', enum: ['counts'] }, 'Adds the number of records that a deletion would also delete')],
      responses: { 200: jsonAnswer('The record', entityRef(kind), ETAG), ...problems('not_found', ...READ_PROBLEMS) },
    },
    put: {
      operationId: operationId(kind, 'replace'),
      tags: [kind.table],
      summary: 'Replace',
      parameters: [ifMatch],
      requestBody: jsonBody(entityRef(kind), 'application/json', `New${pascalCase(kind.name)}`),
      responses: changed,
    },
    patch: {
      operationId: operationId(kind, 'update'),
      tags: [kind.table],
      summary: 'Change some fields (JSON merge patch, RFC 7396)',
      parameters: [ifMatch],
      requestBody: jsonBody(changeRef(kind), 'application/merge-patch+json'),
      responses: changed,
    },
    delete: {
      operationId: operationId(kind, 'delete'),
      tags: [kind.table],
      summary: 'Delete the record and every record that belongs to it',
      parameters: [ifMatch],
      responses: { 204: { description: 'Deleted' }, ...problems(...WRITE_PROBLEMS, 'not_found', 'precondition_failed') },
    },
  };
};

const actionPath = (kind: EntityKind, action: EntityAction): PathItem => ({
  parameters: [idOf(kind)],
  post: {
    operationId: operationId(kind, action),
    tags: [kind.table],
    summary: ACTION_SUMMARIES[action],
    parameters: [ifMatch],
    responses:
      ACTIONS[action].status === 201
        ? {
            201: jsonAnswer('The copy', entityRef(kind), { ...ETAG, Location: { schema: { type: 'string' } } }),
            ...problems('invalid_request', ...WRITE_PROBLEMS, 'not_found', 'precondition_failed'),
          }
        : {
            200: jsonAnswer('The record after the change', entityRef(kind), ETAG),
            ...problems(...WRITE_PROBLEMS, 'not_found', 'precondition_failed'),
          },
  },
});
