import type { Request } from 'express';
import { isBoundedJson, MAX_JSON_DEPTH } from '../../base/is-bounded-json.ts';
import { problem, type Problem } from '../problems/problem.ts';
import { MAX_BODY_BYTES, readBody } from './read-body.ts';

/** Without a problem the client has disconnected and no response can be sent. */
export type JsonBody = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: Problem | undefined };

/** The body of up to `limit` bytes as JSON, with any Content-Type. `encoding`: as for readBody. */
export const readJson = async (req: Request, limit = MAX_BODY_BYTES, encoding?: string, maxValues = MAX_VALUES): Promise<JsonBody> => {
  const outcome = await readBody(req, limit, encoding);
  if (!('body' in outcome)) return { ok: false, problem: 'refusal' in outcome ? outcome.refusal : undefined };
  const text = outcome.body.toString('utf8');
  if (text.length > MAX_UNSCANNED && !isBoundedJson(text, maxValues))
    return { ok: false, problem: problem('invalid_json', `The body must have at most ${MAX_JSON_DEPTH} levels and ${maxValues} values.`) };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, problem: problem('invalid_json', 'The body must be valid JSON.') };
  }
};

/**
 * See isBoundedJson. A schema that reports all faults takes about a microsecond for each value, also
 * beyond its own limits: 2 MiB of them held the event loop for 230 ms.
 */
const MAX_VALUES = 5_000;
/** A body of this length is neither so deep that walking it overflows the stack, nor so wide. */
const MAX_UNSCANNED = 2_048;
