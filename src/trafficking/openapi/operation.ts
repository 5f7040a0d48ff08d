import { ENTITY_TABLES, type EntityTable } from '../../catalog/entities/entities.ts';
import { PROBLEMS, type ProblemCode } from '../../http/problems/problem.ts';
import { XLSX_TYPE } from '../../reports/report-routes.ts';
import { exampleOf } from './examples.ts';
import { REMEDIES } from '../../api/remedies.ts';
import { ref, type Schema } from '../../api/schema.ts';
import { EXAMPLE_REQUEST_ID } from './serving-examples.ts';

/** The groups of operations, in the order of the API page. */
export const TAGS = {
  ads: 'Ad requests of pages and servers',
  tracking: 'What a page or the SDK calls after an ad was rendered',
  operations: 'Health, metrics and reloads; internal to the installation',
  ...(Object.fromEntries(ENTITY_TABLES.map((table) => [table, `The ${table.replace('_', ' ')} of the catalog`])) as Readonly<
    Record<EntityTable, string>
  >),
  delivery: 'Live figures, reports, explanations and the audit trail',
};

export interface Operation {
  /** Unique in the document: the method name in a generated client. */
  readonly operationId: string;
  readonly tags: readonly [keyof typeof TAGS];
  readonly summary: string;
  /** [] for operations without authentication. By default the admin token. */
  readonly security?: readonly object[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}

export interface PathItem extends Partial<Readonly<Record<'get' | 'put' | 'post' | 'patch' | 'delete', Operation>>> {
  readonly parameters?: readonly object[];
}

export type Paths = Readonly<Record<string, PathItem>>;

/** A body of a media type, with the example of its component. */
export const jsonContent = (schema: Schema, mediaType = 'application/json', example = exampleOf(schema)): object => ({
  [mediaType]: { schema, example },
});

/** Rows as a file, beside JSON. */
export const CSV_CONTENT = { 'text/csv': { schema: { type: 'string' } } };
export const FILE_CONTENT = { ...CSV_CONTENT, [XLSX_TYPE]: { schema: { type: 'string', contentMediaType: XLSX_TYPE } } };

/** @param exampleName the example to show, when it is not that of the schema's component */
export const jsonBody = (schema: Schema, mediaType?: string, exampleName?: string): object => ({
  required: true,
  content: jsonContent(schema, mediaType, exampleName && exampleOf(ref(exampleName))),
});

/** A body in one of several forms, with an example of each. */
export const alternativeBody = (...names: readonly string[]): object => ({
  required: true,
  content: {
    'application/json': {
      schema: { anyOf: names.map(ref) },
      examples: Object.fromEntries(names.map((name) => [name, { value: exampleOf(ref(name)) }])),
    },
  },
});

export const jsonAnswer = (description: string, schema: Schema, headers: object = {}): object => ({
  description,
  content: jsonContent(schema),
  ...(Object.keys(headers).length > 0 ? { headers } : {}),
});

export const query = (name: string, schema: Schema, description: string, required = false): object => ({
  name,
  in: 'query',
  required,
  schema,
  description,
});

export const idInPath = (type: 'integer' | 'string' = 'integer'): object => ({ name: 'id', in: 'path', required: true, schema: { type } });

/** `limit` and `offset` of a list. */
export const pageQuery = (page: { readonly default: number; readonly max: number }, maxOffset: number): readonly object[] => [
  query('limit', { type: 'integer', minimum: 1, maximum: page.max, default: page.default }, 'Maximum number of rows'),
  query('offset', { type: 'integer', minimum: 0, maximum: maxOffset, default: 0 }, 'Number of rows to skip'),
];

/** The header of a page of a list. */
export const LINK = { Link: { schema: { type: 'string' }, description: 'Leads to the next page (rel="next") when there is one' } };

/** The problem responses of an operation, by problem code. */
export const problems = (...codes: readonly ProblemCode[]): Readonly<Record<string, object>> => {
  const answers: Record<string, object> = {};
  for (const status of new Set(codes.map((code) => PROBLEMS[code].status))) {
    const sameStatus = codes.filter((code) => PROBLEMS[code].status === status);
    answers[status] = {
      description: sameStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].title}. ${REMEDIES[code]}`).join('\n\n'),
      content: {
        'application/problem+json': {
          schema: ref('Problem'),
          examples: Object.fromEntries(sameStatus.map((code) => [code, { value: problemExample(code) }])),
        },
      },
    };
  }
  return answers;
};

const problemExample = (code: ProblemCode): object => {
  const { title, status } = PROBLEMS[code];
  return { type: `/problems/${code}`, title, status, detail: REMEDIES[code], instance: '/the/path', code, request_id: EXAMPLE_REQUEST_ID };
};

/** Problems of every operation behind the admin token that reads or writes the database. */
export const READ_PROBLEMS = ['admin_unauthorized', 'forbidden', 'too_many_requests', 'unavailable'] as const;
export const WRITE_PROBLEMS = [...READ_PROBLEMS, 'conflict'] as const;
export const BODY_PROBLEMS = ['invalid_json', 'invalid_request', 'body_too_large', 'unsupported_media'] as const;
