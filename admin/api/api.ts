import type { Fault } from '../../src/base/fault.ts';
import type { Answer, Problem } from './wire.ts';

/** The trafficking API over fetch. Never rejects: every failure is a Problem. */
export interface Api {
  get<T>(path: string): Promise<Answer<T>>;
  send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown, options?: SendOptions): Promise<Answer<T>>;
  /** Stores a file as it is. */
  upload<T>(path: string, file: Blob): Promise<Answer<T>>;
  /** The answer's body as a file, for saving. */
  file(path: string): Promise<Answer<Blob>>;
}

export interface SendOptions {
  /**
   * The entity tag of the record as it was read: the service answers 412 when it has changed since.
   */
  readonly ifMatch?: string | null | undefined;
}

export interface ApiOptions {
  /** Asks for the bearer token; undefined: the person cancelled. */
  readonly askToken: (refused: boolean) => Promise<string | undefined>;
}

const TOKEN = 'admin-token';

/** Asks for the token when the service first requires one, and keeps it until the tab is closed. */
export const createApi = ({ askToken }: ApiOptions): Api => {
  let asking: Promise<string | undefined> | undefined;

  const request = async (method: string, path: string, body: unknown, options: SendOptions = {}): Promise<Response | Problem> => {
    for (let refused = false; ; refused = true) {
      const token = sessionStorage.getItem(TOKEN);
      const answer = await attempt(method, path, body, token, options);
      if (!(answer instanceof Response) || answer.status !== 401) return answer;
      // Concurrent requests share one question; a late one first tries the token that was given
      // meanwhile.
      if (sessionStorage.getItem(TOKEN) !== token) continue;
      asking ??= askToken(refused || token !== null).finally(() => (asking = undefined));
      const given = await asking;
      if (given === undefined) return answer;
      sessionStorage.setItem(TOKEN, given);
    }
  };

  const ask = async <T>(
    read: (answer: Response) => Promise<unknown>,
    method: string,
    path: string,
    body?: unknown,
    options?: SendOptions,
  ): Promise<Answer<T>> => {
    const answer = await request(method, path, body, options);
    if (!(answer instanceof Response)) return { ok: false, problem: answer };
    const value: unknown = await (answer.ok ? read(answer) : answer.json()).catch(() => undefined);
    return answer.ok ? { ok: true, value: value as T, ...pageOf(answer.headers) } : { ok: false, problem: toProblem(answer.status, value) };
  };

  return {
    get: (path) => ask((answer) => answer.json(), 'GET', path),
    send: (...request) => ask((answer) => answer.json(), ...request),
    upload: (path, file) => ask((answer) => answer.json(), 'PUT', path, file),
    file: async (path) => {
      const answer = await ask<Blob | undefined>((response) => response.blob(), 'GET', path);
      return !answer.ok || answer.value ? (answer as Answer<Blob>) : { ok: false, problem: BROKEN_OFF };
    },
  };
};

const pageOf = (headers: Headers) => ({
  etag: headers.get('etag'),
  more: /rel="next"/.test(headers.get('link') ?? ''),
  total: headers.has('x-total-count') ? Number(headers.get('x-total-count')) : undefined,
});

const attempt = async (
  method: string,
  path: string,
  body: unknown,
  token: string | null,
  { ifMatch }: SendOptions,
): Promise<Response | Problem> => {
  try {
    return await fetch(`/api${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': body instanceof Blob ? 'application/octet-stream' : 'application/json' }),
        ...(ifMatch ? { 'If-Match': ifMatch } : {}),
      },
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
    });
  } catch {
    const detail = 'The service did not answer. Check that it is running and that you are online, then try again.';
    return { status: 0, title: 'No answer', detail, code: 'unreachable', errors: [] };
  }
};

/** A file ends early when the service or the connection does. */
const BROKEN_OFF: Problem = {
  ...{ status: 0, title: 'The file is not complete', detail: 'The service stopped while it wrote the file. Try again.' },
  ...{ code: 'unreachable', errors: [] },
};

const toProblem = (status: number, value: unknown): Problem => {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Partial<Record<keyof Problem, unknown>>;
  const errors = Array.isArray(given.errors) ? given.errors.filter(isFault) : [];
  return {
    status,
    title: typeof given.title === 'string' ? given.title : `The service answered ${status}`,
    detail: typeof given.detail === 'string' ? given.detail : 'The service gave no reason.',
    code: typeof given.code === 'string' ? given.code : '',
    errors,
  };
};

const isFault = (value: unknown): value is Fault => {
  const { pointer, detail } = (value ?? {}) as Partial<Fault>;
  return typeof pointer === 'string' && typeof detail === 'string';
};
