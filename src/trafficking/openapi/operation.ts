import { CATALOG_TABLES } from '../../catalog/model/catalog-reading.ts';
import { PROBLEMS, type ProblemCode } from '../../http/problems/problem.ts';
import { ref, type Schema } from './schema.ts';

export const TAGS = ['ads', 'tracking', 'operations', ...CATALOG_TABLES, 'delivery'] as const;

export interface Operation {
  /** Unique in the document: the method name in a generated client. */
  readonly operationId: string;
  readonly tags: readonly [(typeof TAGS)[number]];
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

export const jsonBody = (schema: Schema, mediaType = 'application/json'): object => ({
  required: true,
  content: { [mediaType]: { schema } },
});

export const jsonAnswer = (description: string, schema: Schema, headers: object = {}): object => ({
  description,
  content: { 'application/json': { schema } },
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

/** The problem responses of an operation, by problem code. */
export const problems = (...codes: readonly ProblemCode[]): Readonly<Record<string, object>> => {
  const answers: Record<string, object> = {};
  for (const status of new Set(codes.map((code) => PROBLEMS[code].status))) {
    const sameStatus = codes.filter((code) => PROBLEMS[code].status === status);
    answers[status] = {
      description: sameStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('. '),
      content: { 'application/problem+json': { schema: ref('Problem') } },
    };
  }
  return answers;
};

/** Problems of every operation behind the admin token that reads or writes the database. */
export const READ_PROBLEMS = ['admin_unauthorized', 'forbidden', 'too_many_requests', 'unavailable'] as const;
export const WRITE_PROBLEMS = [...READ_PROBLEMS, 'conflict'] as const;
export const BODY_PROBLEMS = ['invalid_json', 'invalid_request', 'body_too_large'] as const;
