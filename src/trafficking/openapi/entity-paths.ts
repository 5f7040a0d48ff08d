import { ENTITY_KINDS, type EntityKind } from '../entities/entity-kind.ts';
import { FILTERS } from '../entities/entity-reader.ts';
import { MOST_LISTED } from '../entities/list-query.ts';
import { jsonAnswer, jsonBody, listOf, problems, query, ref, type PathItem } from './operation.ts';
import { ENTITY_SCHEMA_NAMES } from './schemas.ts';

const BODY = ['invalid_json', 'invalid_request', 'body_too_large'] as const;
const WRITE = ['admin_unauthorized', 'forbidden', 'conflict', 'unavailable'] as const;
const READ = ['admin_unauthorized', 'unavailable'] as const;
const ETAG = { ETag: { schema: { type: 'string' } } };
const ifMatch = {
  name: 'If-Match',
  in: 'header',
  schema: { type: 'string' },
  description: 'Refuses the change when the record is another by now',
};

/** Create, read, update and delete for each entity. */
export const entityPaths = (): Readonly<Record<string, PathItem>> => ({
  ...Object.fromEntries(Object.values(ENTITY_KINDS).flatMap((kind) => [listPath(kind), onePath(kind)])),
  ...action(ENTITY_KINDS.publishers, 'rotate_key', 'Make a new API key; the old one ends at once. The answer shows it, for the only time'),
  ...action(ENTITY_KINDS.creatives, 'block', 'Take it out of delivery'),
  ...action(ENTITY_KINDS.creatives, 'unblock', 'Put it back into delivery'),
});

const schemaOf = ({ table }: EntityKind) => ref(ENTITY_SCHEMA_NAMES[table]);

const listPath = (kind: EntityKind): [string, PathItem] => [
  `/api/${kind.table}`,
  {
    get: {
      tags: [kind.table],
      summary: 'List',
      parameters: [
        ...Object.keys(FILTERS[kind.table]).map((name) =>
          query(name, { type: name === 'placement_id' ? 'string' : 'integer' }, 'Only what belongs to it'),
        ),
        query('q', { type: 'string' }, `Part of: ${kind.search.join(', ')}`),
        query('limit', { type: 'integer', minimum: 1, maximum: MOST_LISTED, default: MOST_LISTED }, 'At most so many'),
        query('offset', { type: 'integer', minimum: 0, default: 0 }, 'Skip so many'),
      ],
      responses: {
        200: jsonAnswer('By id', listOf(schemaOf(kind)), { 'X-Total-Count': { schema: { type: 'integer' } } }),
        ...problems('invalid_request', ...READ),
      },
    },
    post: {
      tags: [kind.table],
      summary: 'Create',
      requestBody: jsonBody(schemaOf(kind)),
      responses: {
        201: jsonAnswer(kind.table === 'publishers' ? 'Created; api_key is shown this once' : 'Created', schemaOf(kind), {
          ...ETAG,
          Location: { schema: { type: 'string' } },
        }),
        ...problems(...BODY, ...WRITE),
      },
    },
  },
];

const idOf = ({ namedByClient }: EntityKind) => ({
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: namedByClient ? 'string' : 'integer' },
});

const onePath = (kind: EntityKind): [string, PathItem] => {
  const changed = {
    200: jsonAnswer('As it is now', schemaOf(kind), ETAG),
    ...problems(...BODY, ...WRITE, 'not_found', 'precondition_failed'),
  };
  return [
    `/api/${kind.table}/{id}`,
    {
      parameters: [idOf(kind)],
      get: {
        tags: [kind.table],
        summary: 'Read',
        parameters: [query('include', { type: 'string', enum: ['counts'] }, 'Adds counts: what would be deleted with it')],
        responses: {
          200: jsonAnswer('The record', schemaOf(kind), ETAG),
          ...problems('not_found', ...READ),
        },
      },
      put: { tags: [kind.table], summary: 'Replace', parameters: [ifMatch], requestBody: jsonBody(schemaOf(kind)), responses: changed },
      patch: {
        tags: [kind.table],
        summary: 'Change some fields (JSON merge patch, RFC 7396)',
        parameters: [ifMatch],
        requestBody: jsonBody({ type: 'object' }, 'application/merge-patch+json'),
        responses: changed,
      },
      delete: {
        tags: [kind.table],
        summary: 'Delete, with all that belongs to it',
        parameters: [ifMatch],
        responses: { 204: { description: 'Gone' }, ...problems(...WRITE, 'not_found', 'precondition_failed') },
      },
    },
  ];
};

const action = (kind: EntityKind, name: string, summary: string): Readonly<Record<string, PathItem>> => ({
  [`/api/${kind.table}/{id}/${name}`]: {
    parameters: [idOf(kind)],
    post: {
      tags: [kind.table],
      summary,
      responses: { 200: jsonAnswer('As it is now', schemaOf(kind), ETAG), ...problems(...WRITE, 'not_found') },
    },
  },
});
