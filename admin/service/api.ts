import type { Answer, Fault, Problem } from './wire.ts';

/** The trafficking API over fetch. Never rejects: what goes wrong is a problem. */
export interface Api {
  get<T>(path: string): Promise<Answer<T>>;
  send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown, options?: SendOptions): Promise<Answer<T>>;
  /** The answer's body as a file, for saving. */
  file(path: string): Promise<Answer<Blob>>;
}

export interface SendOptions {
  /** The entity tag that the change was made on top of: refused with 412 when somebody else was faster. */
  readonly ifMatch?: string | null | undefined;
}

export interface ApiOptions {
  /** Asks for the bearer token; undefined when the person gives up. */
  readonly askToken: (refused: boolean) => Promise<string | undefined>;
}

const TOKEN = 'admin-token';

/** The token is asked for once, when the service first wants one, and lives as long as the tab. */
export const createApi = ({ askToken }: ApiOptions): Api => {
  let asking: Promise<string | undefined> | undefined;

  const request = async (method: string, path: string, body: unknown, options: SendOptions = {}): Promise<Response | Problem> => {
    for (let refused = false; ; refused = true) {
      const token = sessionStorage.getItem(TOKEN);
      const answer = await attempt(method, path, body, token, options);
      if (!(answer instanceof Response) || answer.status !== 401) return answer;
      // Several requests may be refused at once: one question answers them all, and whoever was late tries the new token first.
      if (sessionStorage.getItem(TOKEN) !== token) continue;
      asking ??= askToken(refused || token !== null).finally(() => (asking = undefined));
      const given = await asking;
      if (given === undefined) return answer;
      sessionStorage.setItem(TOKEN, given);
    }
  };

  const json = async <T>(method: string, path: string, body?: unknown, options?: SendOptions): Promise<Answer<T>> => {
    const answer = await request(method, path, body, options);
    if (!(answer instanceof Response)) return { ok: false, problem: answer };
    const value: unknown = await answer.json().catch(() => undefined);
    return answer.ok
      ? { ok: true, value: value as T, etag: answer.headers.get('etag') }
      : { ok: false, problem: toProblem(answer.status, value) };
  };

  return {
    get: (path) => json('GET', path),
    send: json,
    file: async (path) => {
      const answer = await request('GET', path, undefined);
      if (!(answer instanceof Response)) return { ok: false, problem: answer };
      if (answer.ok) return { ok: true, value: await answer.blob() };
      return { ok: false, problem: toProblem(answer.status, await answer.json().catch(() => undefined)) };
    },
  };
};

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
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(ifMatch ? { 'If-Match': ifMatch } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    const detail = 'The service did not answer. Is it running, and is this machine connected to it?';
    return { status: 0, title: 'No answer', detail, code: 'unreachable', errors: [] };
  }
};

const toProblem = (status: number, value: unknown): Problem => {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Partial<Record<keyof Problem, unknown>>;
  const errors = Array.isArray(given.errors) ? given.errors.filter(isFault) : [];
  return {
    status,
    title: typeof given.title === 'string' ? given.title : `The service answered ${status}`,
    detail: typeof given.detail === 'string' ? given.detail : 'It gave no reason.',
    code: typeof given.code === 'string' ? given.code : '',
    errors,
  };
};

const isFault = (value: unknown): value is Fault => {
  const { pointer, detail } = (value ?? {}) as Partial<Fault>;
  return typeof pointer === 'string' && typeof detail === 'string';
};
