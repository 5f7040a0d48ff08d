import type { OpenApiDocument, Operation } from '../../src/api/openapi-document.ts';

/** A JSON Schema of the document. */
export interface Schema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

interface QueryParameter {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** An operation as a client calls it: the ids of its path, then its body, then its query and options. */
export interface ClientOperation {
  readonly id: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  readonly pathParameters: readonly { readonly name: string; readonly schema: Schema }[];
  readonly body: { readonly mediaType: string; readonly schema: Schema } | undefined;
  readonly query: readonly QueryParameter[];
  /** Parameters of the query whose values are one text with commas. */
  readonly joined: readonly string[];
  /** `record`: takes If-Match; `write`: a Change-Note; `read`: neither. */
  readonly options: 'record' | 'write' | 'read';
  /** Takes an Idempotency-Key. */
  readonly isKeyed: boolean;
  /** A list that is read by pages. */
  readonly isPaged: boolean;
  /** Of records of a page. */
  readonly maxPage: number;
  /** undefined: it answers a file; null: nothing. For a paged list, of one item. */
  readonly answer: { readonly status: string; readonly schema: Schema } | undefined | null;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly explode?: boolean;
  readonly schema: Schema;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;

/** The client reads all pages, and JSON where there are files too. */
const ofTheClient = (name: string, isPaged: boolean, isJson: boolean): boolean =>
  (isPaged && (name === 'limit' || name === 'offset')) || (isJson && name === 'format');

const operationOf = (method: string, path: string, shared: readonly Parameter[], operation: Operation): ClientOperation => {
  const parameters = [...shared, ...((operation.parameters ?? []) as readonly Parameter[])];
  const has = (place: string, name: string): boolean => parameters.some((one) => one.in === place && one.name === name);
  const [status = '', answer] = Object.entries(operation.responses).find(([code]) => Number(code) < 400) ?? [];
  const content = (answer as { readonly content?: Content } | undefined)?.content;
  const schema = content?.['application/json']?.schema;
  const isPaged = schema?.type === 'array' && has('query', 'limit') && has('query', 'offset');
  const bodies = Object.entries((operation.requestBody as { readonly content?: Content } | undefined)?.content ?? {});
  const [body] = bodies;
  const query = parameters.filter((one) => one.in === 'query' && !ofTheClient(one.name, isPaged, schema !== undefined && !isFilter(one)));
  return {
    ...{ id: operation.operationId, summary: operation.summary, method, path, isPaged },
    maxPage: Number(parameters.find((one) => one.name === 'limit')?.schema['maximum'] ?? 0),
    pathParameters: parameters.filter((one) => one.in === 'path'),
    body: body && { mediaType: body[0], schema: body[1].schema },
    query: query.map((one) => ({ name: one.name, schema: one.schema, isRequired: one.required === true })),
    joined: query.filter((one) => one.explode === false).map(({ name }) => name),
    options: has('header', 'If-Match') ? 'record' : has('header', 'Change-Note') ? 'write' : 'read',
    isKeyed: has('header', 'Idempotency-Key'),
    answer: schema ? { status, schema: isPaged ? schema.items! : schema } : content ? undefined : null,
  };
};

/** `format` of creatives is one of their fields; of reports it is that of the file. */
const isFilter = ({ schema }: Parameter): boolean => schema.type === 'array';

/** The operations of a document, in its order. */
export const readOperations = (document: OpenApiDocument): readonly ClientOperation[] =>
  Object.entries(document.paths).flatMap(([path, { parameters = [], ...operations }]) =>
    Object.entries(operations).map(([method, operation]) =>
      operationOf(method.toUpperCase(), path, parameters as readonly Parameter[], operation),
    ),
  );

/** The name of the component that a schema refers to. */
export const referenceOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

/**
 * The members of a record that only answers have, and those that each answer has; undefined: answers have what is sent.
 * An answer shows the defaults of what was left out.
 */
export const answeredMembersOf = ({ properties = {}, required = [] }: Schema) => {
  const names = Object.keys(properties);
  const readOnly = names.filter((name) => properties[name]!['readOnly'] === true);
  if (readOnly.length === 0) return undefined;
  const isAlways = (name: string): boolean => name === 'id' || required.includes(name) || 'default' in properties[name]!;
  return { readOnly, always: names.filter(isAlways) };
};
