import type { Request } from 'express';
import { problem, type Problem } from '../problems/problem.ts';
import { DEFAULT_BODY_LIMIT, readBody } from './read-body.ts';

/** Without a problem the client has disconnected and no response can be sent. */
export type JsonBody = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: Problem | undefined };

/** The body of up to `limit` bytes as JSON, with any Content-Type. */
export const readJson = async (req: Request, limit = DEFAULT_BODY_LIMIT): Promise<JsonBody> => {
  const outcome = await readBody(req, limit);
  if (!('body' in outcome)) return { ok: false, problem: 'refusal' in outcome ? outcome.refusal : undefined };
  try {
    return { ok: true, value: JSON.parse(outcome.body.toString('utf8')) };
  } catch {
    return { ok: false, problem: problem('invalid_json', 'The body must be valid JSON.') };
  }
};
