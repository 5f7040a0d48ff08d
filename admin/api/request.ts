import type { Fault } from '../../src/base/fault.ts';
import type { Answer, Problem } from './wire.ts';
import { detailWords } from '../words/remedies.ts';
import { say, t } from '../words/texts.ts';

export interface RequestOptions {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, but for a file. */
  readonly body?: unknown;
}

/** Sends a request to the service. Never rejects: without an answer it resolves to a problem. */
export const sendRequest = async (address: string, { method, headers = {}, body }: RequestOptions): Promise<Response | Problem> => {
  const isFile = body instanceof Blob;
  try {
    return await fetch(address, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': isFile ? 'application/octet-stream' : 'application/json' }) },
      ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
    });
  } catch {
    const detail = t`The service did not answer. Check that it is running and that you are online, then try again.`;
    return { status: 0, title: t`No answer`, detail, code: 'unreachable', errors: [], waitS: 0 };
  }
};

/** Sends a request, and reads the JSON of its answer. Never rejects. */
export const ask = async <T>(address: string, options: RequestOptions): Promise<Answer<T>> => {
  const answer = await sendRequest(address, options);
  if (!(answer instanceof Response)) return { ok: false, problem: answer };
  const value: unknown = await answer.json().catch(() => undefined);
  return answer.ok ? { ok: true, value: value as T } : { ok: false, problem: toProblem(answer, value) };
};

/** Of an answer that is not successful. @param value its body as JSON; undefined: it has none */
export const toProblem = ({ status, headers }: Response, value: unknown): Problem => {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Partial<Record<keyof Problem, unknown>>;
  const code = typeof given.code === 'string' ? given.code : '';
  const errors = Array.isArray(given.errors) ? given.errors.filter(isFault) : [];
  return {
    status,
    title: typeof given.title === 'string' ? say(given.title) : t`The service answered ${status}`,
    detail: typeof given.detail === 'string' ? detailWords(code, given.detail) : t`The service gave no reason.`,
    code,
    errors,
    waitS: Number(headers.get('retry-after') ?? 0),
  };
};

const isFault = (value: unknown): value is Fault => {
  const { pointer, detail } = (value ?? {}) as Partial<Fault>;
  return typeof pointer === 'string' && typeof detail === 'string';
};
