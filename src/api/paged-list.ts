import * as s from '../base/schema.ts';
import { pageQuery, type Parameters } from './parameters.ts';
import { ok, type AnswerDefinition } from './route.ts';

interface PageSize {
  readonly default: number;
  readonly max: number;
}

/** Of lists that people read. */
const USUAL: PageSize = { default: 100, max: 1000 };

/**
 * A list that is read page by page: what it is narrowed by, `limit` and `offset`, and its rows. Clients of the API know by these
 * two parameters that they can go through it.
 *
 * @param words of the answer
 */
export const pagedList = <const P extends Parameters, S extends s.Schema>(
  words: string,
  row: S,
  parameters: P,
  { size = USUAL, ...more }: Pick<AnswerDefinition, 'files' | 'headers'> & { readonly size?: PageSize } = {},
) => ({
  parameters: { ...parameters, ...pageQuery(size) },
  answer: ok(words, s.listOf(row), more),
});
