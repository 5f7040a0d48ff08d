import type { Request } from 'express';
import { problem, type Problem } from './problem.ts';
import { readBody } from './read-body.ts';

export type JsonBody = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: Problem };

/** An ad request with 20 impressions and 50 key-values fits several times over. */
const BODY_LIMIT = 64 * 1024;

/** The body as JSON, whatever content type it claims. */
export const readJson = async (req: Request): Promise<JsonBody> => {
  const body = await readBody(req, BODY_LIMIT);
  if (!body.ok) return body;
  try {
    return { ok: true, value: JSON.parse(body.bytes.toString('utf8')) };
  } catch {
    return { ok: false, problem: problem('invalid_json', 'The body must be JSON.') };
  }
};
