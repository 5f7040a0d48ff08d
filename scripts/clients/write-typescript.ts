import type { OpenApiDocument } from '../../src/api/openapi-document.ts';
import { answeredMembersOf, readOperations, referenceOf, type ClientOperation, type Schema } from './read-operations.ts';

const OPTIONS = { record: 'RecordOptions', write: 'WriteOptions', read: 'ReadOptions' } as const;

/** The module of the TypeScript package that OpenAPI describes: types by name, and a method for each operation. */
export const writeTypescript = (document: OpenApiDocument): string => {
  const operations = readOperations(document);
  const sentName = (name: string): string => (answeredMembersOf(document.components.schemas[name] as Schema) ? `${name}Input` : name);
  return `// Generated from the OpenAPI document of the service by scripts/build-clients.ts.
import { createCalls, type ClientOptions, type OperationTable, type ReadOptions, type RecordOptions, type WriteOptions } from './create-calls.ts';
import type { Pages } from './pages.ts';
import { isProblem as isAnyProblem, type Problem } from './problem.ts';
import type { components, operations } from './schema.ts';

export { etagOf } from './etag-of.ts';
export { Problem, Unreachable } from './problem.ts';
export type { Pages } from './pages.ts';
export type { ClientOptions, ReadOptions, RecordOptions, WriteOptions } from './create-calls.ts';

type Schemas = components['schemas'];
type Answered<T, K extends keyof T> = Omit<T, K> & Required<Pick<T, K>>;
type JsonOf<R> = R extends { content: { 'application/json': infer J } } ? J : never;
type Answer<Id extends keyof operations, S extends keyof operations[Id]['responses']> = JsonOf<operations[Id]['responses'][S]>;
type Item<T> = T extends readonly (infer One)[] ? One : never;
type BodyOf<Id extends keyof operations, M extends string> = operations[Id] extends { requestBody: { content: { [K in M]: infer B } } } ? B : never;
type QueryOf<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;

${Object.entries(document.components.schemas)
  // The class of the same name is what calls throw.
  .filter(([name]) => name !== 'Problem')
  .map(([name, schema]) => typesOf(name, schema as Schema))
  .join('\n')}

export type ProblemCode = Schemas['Problem']['code'];

/** Whether something that was thrown is a problem that the service answered; with a code, whether it is that one. */
export const isProblem: (fault: unknown, code?: ProblemCode) => fault is Problem = isAnyProblem;

export interface AdServer {
${operations.map((operation) => methodOf(operation, sentName)).join('\n')}
}

const OPERATIONS: OperationTable = {
${operations.map(entryOf).join('\n')}
};

/** A client of the service at \`baseUrl\`, with the rights of its token. */
export const createAdServer = (options: ClientOptions): AdServer => createCalls<AdServer>(OPERATIONS, options);
`;
};

const union = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(' | ') || 'never';

/** Answers and what is sent are two types where they differ. */
const typesOf = (name: string, schema: Schema): string => {
  const members = answeredMembersOf(schema);
  if (!members) return `export type ${name} = Schemas['${name}'];`;
  return [
    `export type ${name} = Answered<Schemas['${name}'], ${union(members.always)}>;`,
    `export type ${name}Input = Omit<Schemas['${name}'], ${union(members.readOnly)}>;`,
  ].join('\n');
};

type SentName = (component: string) => string;

const methodOf = (operation: ClientOperation, sentName: SentName): string => {
  const { id, summary, pathParameters, body, query, options, answer, isPaged } = operation;
  const isNeeded = query.some(({ isRequired }) => isRequired);
  const parameters = [
    ...pathParameters.map(({ name, schema }) => `${name}: ${schema.type === 'integer' ? 'number' : 'string'}`),
    ...(body ? [`body: ${bodyOf({ id, sentName, body })}`] : []),
    ...(query.length > 0 ? [`query${isNeeded ? '' : '?'}: Pick<QueryOf<'${id}'>, ${union(query.map(({ name }) => name))}>`] : []),
    `options?: ${OPTIONS[options]}`,
  ];
  return `  /** ${summary.replaceAll('*/', '')} */\n  ${id}(${parameters.join(', ')}): ${isPaged ? `Pages<${answerOf(operation)}>` : `Promise<${answerOf(operation)}>`};`;
};

const answerOf = ({ id, answer, isPaged }: ClientOperation): string => {
  if (answer === null) return 'void';
  if (answer === undefined) return 'Uint8Array';
  const json = `Answer<'${id}', ${answer.status}>`;
  return referenceOf(answer.schema) ?? (isPaged ? `Item<${json}>` : json);
};

const bodyOf = ({
  id,
  sentName,
  body: { mediaType, schema },
}: {
  readonly id: string;
  readonly sentName: SentName;
  readonly body: NonNullable<ClientOperation['body']>;
}): string => {
  if (!mediaType.endsWith('json')) return 'Uint8Array';
  const reference = referenceOf(schema);
  return reference === undefined ? `BodyOf<'${id}', '${mediaType}'>` : sentName(reference);
};

const entryOf = ({ id, method, path, body, query, joined, options, isKeyed, isPaged, maxPage, answer }: ClientOperation): string => {
  const more = {
    ...(body && { body: body.mediaType }),
    ...(query.length > 0 && { query: true }),
    ...(joined.length > 0 && { joined }),
    ...(options === 'record' && { record: true }),
    ...(isKeyed && { keyed: true }),
    ...(isPaged && { paged: maxPage }),
    ...(answer === undefined && { file: true }),
  };
  return `  ${id}: ${JSON.stringify({ method, path, ...more })},`;
};
