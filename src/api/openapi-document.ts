import type { Schema } from '../base/schema.ts';
import { ENTITY_TABLES, type EntityTable } from '../catalog/entities/entities.ts';
import { parametersOf } from './change-note.ts';
import { componentOf, componentsIn, exampleOf, type Component } from './component.ts';
import type { Parameter } from './parameters.ts';
import { problemAnswers, problemsOf } from './problem-answers.ts';
import { ACCESS, type AnswerDefinition, type BodyDefinition, type RouteDefinition, type RouteTable, type Tag } from './route.ts';

/** The groups of operations, in the order of the API page. */
const TAGS: Readonly<Record<Tag, string>> = {
  ads: 'Ad requests of pages and servers',
  tracking: 'What a page or the SDK calls after an ad was rendered',
  operations: 'Health, metrics and reloads; internal to the installation',
  ...(Object.fromEntries(ENTITY_TABLES.map((table) => [table, `The ${table.replace('_', ' ')} of the catalog`])) as Readonly<
    Record<EntityTable, string>
  >),
  delivery: 'Live figures, reports, explanations and the audit trail',
  people: 'Who may do what: roles and API tokens',
};

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly securitySchemes: object };
}

export interface PathItem extends Partial<Readonly<Record<'get' | 'put' | 'post' | 'patch' | 'delete', Operation>>> {
  readonly parameters?: readonly object[];
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [Tag];
  readonly summary: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}

/**
 * The HTTP API as OpenAPI 3.1, derived from the definitions that serve it.
 *
 * @param publicUrl '': the origin that serves the document
 */
export const createOpenApiDocument = (table: RouteTable, publicUrl: string): OpenApiDocument => {
  const paths: Record<string, PathItem> = {};
  for (const [operationId, route] of Object.entries(table)) {
    const inPath = parametersIn(route, (place) => place === 'path');
    paths[route.path] = {
      ...paths[route.path],
      ...(inPath.length > 0 && { parameters: inPath }),
      [route.method.toLowerCase()]: operationOf(operationId, route),
    };
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Ad server',
      version: '1',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      description:
        'Ads, tracking and trafficking; see docs/api.md. Money is decimal, in the currency of the publisher; days are those of its time zone.',
    },
    servers: [{ url: publicUrl === '' ? '/' : publicUrl }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ adminToken: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(Array.from(componentsIn(paths), ([name, { schema }]) => [name, schema])),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'API key of the publisher in ext.publisher_id' },
        reportLink: { type: 'http', scheme: 'bearer', description: 'The token of a read-only link to a report' },
        proofLink: { type: 'http', scheme: 'bearer', description: 'The token of a link to proofs of ads' },
        adminToken: { type: 'http', scheme: 'bearer', description: 'A token of ADMIN_TOKEN, when ADMIN_TOKEN is set, or an API token' },
      },
    },
  } as const;
  return document;
};

const operationOf = (operationId: string, route: RouteDefinition): Operation => {
  const { tag, summary, access = 'staff', cost = 'light', body, answer, needs } = route;
  const security = ACCESS[access];
  const parameters = parametersIn(route, (place) => place !== 'path');
  return {
    operationId,
    tags: [tag],
    summary,
    ...(access === 'staff' && { 'x-cost': cost, 'x-permission': needs }),
    ...(security && { security }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBody(body) }),
    responses: { [answer.status]: successOf(answer), ...answer.others, ...problemAnswers(problemsOf(route)) },
  };
};

const parametersIn = (route: RouteDefinition, isWanted: (place: Parameter<unknown>['in']) => boolean): readonly object[] =>
  Object.entries(parametersOf(route)).flatMap(([name, { read: _, words: __, in: place, ...said }]) =>
    isWanted(place) ? [{ name, in: place, ...said }] : [],
  );

/** A body in one of several forms has an example of each. */
const requestBody = ({ schema, mediaType = 'application/json', example, forms, content, description }: BodyDefinition): object => ({
  required: true,
  ...(description !== undefined && { description }),
  content:
    content ??
    (forms
      ? {
          [mediaType]: {
            schema: { anyOf: forms },
            examples: Object.fromEntries(forms.flatMap((form) => examplesOf(componentOf(form)))),
          },
        }
      : { [mediaType]: { schema, example: example ?? exampleOf(schema) } }),
});

const examplesOf = (named: Component | undefined): readonly (readonly [string, object])[] =>
  named ? [[named.name, { value: named.example }]] : [];

const successOf = ({ description, schema, files, headers }: AnswerDefinition): object => ({
  description,
  ...((schema || files) && { content: { ...(schema && { 'application/json': { schema, example: exampleOf(schema) } }), ...files } }),
  ...(headers && { headers }),
});

/** Files beside JSON, or in its place. */
export const CSV_CONTENT = { 'text/csv': { schema: { type: 'string' } } };
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
export const FILE_CONTENT = { ...CSV_CONTENT, [XLSX_TYPE]: { schema: { type: 'string', contentMediaType: XLSX_TYPE } } };

/** The header of a page of a list. */
export const LINK = { Link: { schema: { type: 'string' }, description: 'Leads to the next page (rel="next") when there is one' } };
export const TOTAL = { 'X-Total-Count': { schema: { type: 'integer' } } };
export const ETAG = { ETag: { schema: { type: 'string' } } };
export const LOCATION = { Location: { schema: { type: 'string' } } };
