import type { Request } from 'express';
import { problem, type Problem } from '../problems/problem.ts';
import { MAX_BODY_BYTES, readBody } from './read-body.ts';

/** Without a problem the client has disconnected and no response can be sent. */
export type JsonBody = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: Problem | undefined };

/** The body of up to `limit` bytes as JSON, with any Content-Type. `encoding`: as for readBody. */
export const readJson = async (req: Request, limit = MAX_BODY_BYTES, encoding?: string, maxValues = MAX_VALUES): Promise<JsonBody> => {
  const outcome = await readBody(req, limit, encoding);
  if (!('body' in outcome)) return { ok: false, problem: 'refusal' in outcome ? outcome.refusal : undefined };
  const text = outcome.body.toString('utf8');
  if (text.length > MAX_UNSCANNED && isTooLarge(text, maxValues))
    return { ok: false, problem: problem('invalid_json', `The body must have at most ${MAX_DEPTH} levels and ${maxValues} values.`) };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, problem: problem('invalid_json', 'The body must be valid JSON.') };
  }
};

const MAX_DEPTH = 64;
/**
 * Members and items. A schema that reports all faults takes about a microsecond for each, also
 * beyond its own limits: 2 MiB of them held the event loop for 230 ms.
 */
const MAX_VALUES = 5_000;
/** A body of this length is neither so deep that walking it overflows the stack, nor so wide. */
const MAX_UNSCANNED = 2_048;

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, COMMA] = [...'"\\[]{},'].map((sign) => sign.charCodeAt(0));

/**
 * Whether a text has more levels or values than a body may have. Schemas, comparisons and
 * JSON.stringify walk a value recursively. 1 ns per character.
 */
const isTooLarge = (text: string, maxValues: number): boolean => {
  let depth = 0;
  let values = 1;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) quoted = !quoted;
    else if (quoted) i += code === BACKSLASH ? 1 : 0;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else if (code === COMMA && ++values > maxValues) return true;
  }
  return false;
};
