import type { Knex } from 'knex';
import type { Fault } from '../base/fault.ts';

const NAMED = /\/static\/assets\/([0-9a-f]{64})[./]/g;

/** A fault when a text of a record names uploaded files that are not stored. @param pointer to the text */
export const missingFiles = async (trx: Knex.Transaction, pointer: string, text: unknown): Promise<readonly Fault[]> => {
  const named = new Set(typeof text === 'string' ? Array.from(text.matchAll(NAMED), ([, sha256 = '']) => sha256) : []);
  if (named.size === 0) return [];
  for (const sha256 of (await trx('assets')
    .whereIn('sha256', [...named])
    .pluck('sha256')) as string[])
    named.delete(sha256);
  const [first] = named;
  return first === undefined ? [] : [{ pointer, detail: `names a file that is not stored: ${first}` }];
};
