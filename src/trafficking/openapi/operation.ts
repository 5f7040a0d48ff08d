import { PROBLEMS } from '../../http/problems/problem.ts';

/** Small words to write OpenAPI 3.1 with. */
export type Schema = Readonly<Record<string, unknown>>;
export type Operation = Readonly<Record<string, unknown>>;
export type PathItem = Readonly<Record<string, Operation | readonly object[]>>;

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const listOf = (items: Schema): Schema => ({ type: 'array', items });

export const orNull = (type: string, more: Schema = {}): Schema => ({ type: [type, 'null'], ...more });

/** All properties are always there. */
export const record = (properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  ...more,
});

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

/** The problems that an operation may answer, by their codes. */
export const problems = (...codes: readonly (keyof typeof PROBLEMS)[]): Readonly<Record<string, object>> => {
  const answers: Record<string, object> = {};
  for (const status of new Set(codes.map((code) => PROBLEMS[code].status))) {
    const meant = codes.filter((code) => PROBLEMS[code].status === status);
    answers[status] = {
      description: meant.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('. '),
      content: { 'application/problem+json': { schema: ref('Problem') } },
    };
  }
  return answers;
};
