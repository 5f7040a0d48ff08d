import { ifMatchOf, keepTag } from './etag-of.ts';
import { createPages } from './pages.ts';
import { send, type Answer } from './send.ts';

export interface ClientOptions {
  /** Of the service: `https://ads.example.com` */
  readonly baseUrl: string;
  /** An API token, or what reads the current one. */
  readonly token: string | (() => string | Promise<string>);
  /** How often a call is sent again; 4. */
  readonly retries?: number;
  /** For each answer; 30,000. */
  readonly timeoutMs?: number;
  /** A longer Retry-After is not waited for; 60,000. */
  readonly maxWaitMs?: number;
  /** Records of a page of a list; 500. */
  readonly pageSize?: number;
  readonly fetch?: typeof fetch;
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
}
export interface WriteOptions extends ReadOptions {
  /** Why, for the history. */
  readonly note?: string;
  /** By default a new one for each call. */
  readonly idempotencyKey?: string;
}
export interface RecordOptions extends WriteOptions {
  /** The record as it was read, or its ETag: the change is refused (`precondition_failed`) if it has changed since. */
  readonly ifMatch?: object | string;
}

/** How an operation is called. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  /** The media type of its body. */
  readonly body?: string;
  readonly query?: true;
  /** Parameters of the query with commas between their values. */
  readonly joined?: readonly string[];
  readonly record?: true;
  readonly keyed?: true;
  /** A list that is read by pages: the most records of one. */
  readonly paged?: number;
  readonly file?: true;
}
export type OperationTable = Readonly<Record<string, Operation>>;

type Query = Readonly<Record<string, unknown>>;

/** A function for each operation: ids of the path, then the body, the query, and options. */
export const createCalls = <Client>(table: OperationTable, options: ClientOptions): Client => {
  const { baseUrl, token, retries = 4, timeoutMs = 30_000, maxWaitMs = 60_000, pageSize = 500, fetch: call = fetch } = options;

  const callOf =
    (operation: Operation) =>
    (...given: unknown[]): unknown => {
      const rest = [...given];
      const path = operation.path.replaceAll(/\{\w+\}/g, () => stepOf(rest.shift()));
      const body = operation.body === undefined ? undefined : rest.shift();
      const query = (operation.query ? rest.shift() : undefined) as Query | undefined;
      const asked = (rest.shift() ?? {}) as RecordOptions;
      const ask = async (more: Query = {}): Promise<Answer> => {
        const url = new URL(path, baseUrl);
        addQuery(url, { ...query, ...more }, operation.joined ?? []);
        const headers = { ...headersOf(operation, asked), Authorization: `Bearer ${typeof token === 'string' ? token : await token()}` };
        const isRepeatable = operation.method === 'GET' || operation.method === 'POST' || asked.ifMatch === undefined;
        const sent = { method: operation.method, url, headers, isRepeatable, signal: asked.signal, body: bodyOf(operation, body) };
        return send(sent, { fetch: call, retries, timeoutMs, maxWaitMs });
      };
      if (operation.paged === undefined) return ask().then((answer) => (operation.file ? answer.bytes : valueOf(answer)));
      return createPages(
        async (limit, offset) => {
          const answer = await ask({ limit, offset });
          return { rows: valueOf(answer) as unknown[], hasLink: answer.headers.get('link')?.includes('rel="next"') === true };
        },
        Math.min(pageSize, operation.paged),
      );
    };

  return Object.fromEntries(Object.entries(table).map(([id, operation]) => [id, callOf(operation)])) as Client;
};

const stepOf = (id: unknown): string => {
  if (typeof id !== 'string' && typeof id !== 'number') throw new TypeError('An id must be a number or a text.');
  return encodeURIComponent(id);
};

const addQuery = ({ searchParams }: URL, query: Query, joined: readonly string[]): void => {
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    const values = Array.isArray(value) && !joined.includes(name) ? value : [value];
    for (const one of values) searchParams.append(name, String(one));
  }
};

const headersOf = (
  { method, body, keyed, record }: Operation,
  { note, idempotencyKey, ifMatch }: RecordOptions,
): Record<string, string> => {
  if (ifMatch !== undefined && !record) throw new TypeError(`This ${method} takes no ifMatch.`);
  return {
    Accept: 'application/json',
    ...(body !== undefined && { 'Content-Type': body }),
    ...(note !== undefined && { 'Change-Note': encodeURIComponent(note) }),
    ...(ifMatch !== undefined && { 'If-Match': ifMatchOf(ifMatch) }),
    // The same for every time that the call is sent, so that it is carried out once.
    ...(keyed && { 'Idempotency-Key': idempotencyKey ?? crypto.randomUUID() }),
  };
};

const bodyOf = ({ body: mediaType }: Operation, body: unknown): string | Uint8Array | undefined =>
  mediaType === undefined ? undefined : mediaType.endsWith('json') ? JSON.stringify(body) : (body as Uint8Array);

const valueOf = ({ status, headers, bytes }: Answer): unknown => {
  if (status === 204 || bytes.length === 0) return undefined;
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
  keepTag(value, headers.get('etag'));
  return value;
};
