import type { PathParameter, Parameters } from '../../src/api/parameters.ts';
import type { AnswerOf } from '../../src/api/route.ts';
import type { Shape, Schema } from '../../src/base/schema.ts';
import type { TRAFFICKING_API } from '../../src/trafficking/trafficking-api.ts';
import { proposableOf } from './proposable.ts';
import { createRecordApi, type Asked, type Call, type RecordApi } from './record-api.ts';
import { sendRequest, toProblem } from './request.ts';
import { bearer, dropTabToken, tabToken } from './tab-token.ts';
import type { Answer, Problem } from './wire.ts';
import { t } from '../words/texts.ts';

type Route = (typeof TRAFFICKING_API)[keyof typeof TRAFFICKING_API];
export type Method = Route['method'];
type Short<P> = P extends `/api${infer Path}` ? Path : never;

/** The paths of a method, as the service defines them: `/line_items/{id}/delivery`. */
export type PathOf<M extends Method> = Short<Extract<Route, { readonly method: M }>['path']>;
type RouteAt<M extends Method, P extends string> = Extract<Route, { readonly method: M; readonly path: `/api${P}` }>;
/** What a path answers. */
export type Answered<M extends Method, P extends PathOf<M>> = AnswerOf<RouteAt<M, P>>;

type Value = string | number | boolean | null | undefined | readonly (string | number)[];
type StepsOf<P extends Parameters> = {
  readonly [Name in keyof P as P[Name] extends PathParameter<unknown> ? Name : never]: string | number;
};
/** What is sent to a path: its parameters, and the body where there is one. */
export type Sent<R> = (R extends { readonly parameters: infer P extends Parameters }
  ? StepsOf<P> & { readonly [Name in Exclude<keyof P, keyof StepsOf<P>>]?: Value }
  : object) & { readonly 'Change-Note'?: string | undefined } & (R extends { readonly body: { readonly schema: infer S extends Schema } }
    ? { readonly body: Shape<S> }
    : object);
type Rest<R> = object extends Sent<R> ? [sent?: Sent<R>] : [sent: Sent<R>];

/**
 * The trafficking API over fetch, with the types of its route table. Parameters of the path are put
 * into it, others become the query: the items of a list one by one, and nothing for null and undefined. Never rejects: every failure is a
 * Problem.
 */
export interface Api {
  get<P extends PathOf<'GET'>>(path: P, ...sent: Rest<RouteAt<'GET', P>>): Promise<Answer<Answered<'GET', P>>>;
  send<M extends Exclude<Method, 'GET'>, P extends PathOf<M>>(
    method: M,
    path: P,
    ...sent: Rest<RouteAt<M, P>>
  ): Promise<Answer<Answered<M, P>>>;
  /** The answer's body as a file, for saving. */
  file<P extends PathOf<'GET'>>(path: P, ...sent: Rest<RouteAt<'GET', P>>): Promise<Answer<Blob>>;
  /** The records of the catalog. */
  readonly records: RecordApi;
}

export interface ApiOptions {
  /** Called when the service requires a sign-in. Resolves to whether to try again. @param isWrite whether a change waits for it */
  readonly signIn: (isWrite: boolean) => Promise<boolean>;
}

const asAsked = (sent: object = {}): Asked => ({ ...sent });

export const createApi = ({ signIn }: ApiOptions): Api => {
  let signingIn: Promise<boolean> | undefined;

  const request = async (method: string, path: string, asked: Asked): Promise<Response | Problem> => {
    for (;;) {
      const token = tabToken();
      const answer = await attempt(method, path, asked, token);
      if (!(answer instanceof Response) || answer.status !== 401) return answer;
      // A token that is not accepted any more: the person may be signed in as well.
      if (token !== null) dropTabToken();
      else {
        // Concurrent requests share one question.
        signingIn ??= signIn(method !== 'GET').finally(() => (signingIn = undefined));
        if (!(await signingIn)) return answer;
      }
    }
  };

  const ask = async <T>(
    read: (answer: Response) => Promise<unknown>,
    method: string,
    path: string,
    asked: Asked = {},
  ): Promise<Answer<T>> => {
    const answer = await request(method, path, asked);
    if (!(answer instanceof Response)) return { ok: false, problem: answer };
    const value: unknown = await (answer.ok ? read(answer) : answer.json()).catch(() => undefined);
    if (answer.ok) return { ok: true, value: value as T, ...pageOf(answer.headers) };
    const problem = toProblem(answer, value);
    const proposable = proposableOf(problem.code, value, method, path, asked);
    return { ok: false, problem: proposable.length > 0 ? { ...problem, proposable } : problem };
  };
  const call: Call = (method, path, asked) => ask((answer) => answer.json(), method, path, asked);

  return {
    get: (path, ...[sent]) => call('GET', path, asAsked(sent)),
    send: (method, path, ...[sent]) => call(method, path, asAsked(sent)),
    file: async (path, ...[sent]) => {
      const answer = await ask<Blob | undefined>((response) => response.blob(), 'GET', path, asAsked(sent));
      return !answer.ok || answer.value ? (answer as Answer<Blob>) : { ok: false, problem: BROKEN_OFF };
    },
    records: createRecordApi(call),
  };
};

const pageOf = (headers: Headers) => ({
  etag: headers.get('etag'),
  more: /rel="next"/.test(headers.get('link') ?? ''),
  total: headers.has('x-total-count') ? Number(headers.get('x-total-count')) : undefined,
});

/** The address of a request: `{name}` in the path is replaced, what is left is the query. */
const addressOf = (path: string, parameters: Readonly<Record<string, unknown>>): string => {
  const query = new URLSearchParams();
  const inPath = new Set<string>();
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name);
    return encodeURIComponent(String(parameters[name]));
  });
  for (const [name, value] of Object.entries(parameters)) if (!inPath.has(name)) for (const one of itemsOf(value)) query.append(name, one);
  const text = query.toString();
  return `/api${filled}${text && '?'}${text}`;
};

/** An absent value has none. */
const itemsOf = (value: unknown): readonly string[] =>
  [value]
    .flat()
    .flatMap((one: unknown) => (typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean' ? [String(one)] : []));

const attempt = (
  method: string,
  path: string,
  { body, 'If-Match': ifMatch, 'Change-Note': note, ...parameters }: Asked,
  token: string | null,
): Promise<Response | Problem> =>
  sendRequest(addressOf(path, parameters), {
    method,
    body,
    headers: { ...bearer(token), ...(ifMatch && { 'If-Match': ifMatch }), ...(note && { 'Change-Note': encodeURIComponent(note) }) },
  });

/** A file ends early when the service or the connection does. */
const BROKEN_OFF: Problem = {
  ...{ status: 0, title: t`The file is not complete`, detail: t`The service stopped while it wrote the file. Try again.` },
  ...{ code: 'unreachable', errors: [], waitS: 0 },
};
