import type { Request } from 'express';
import { problem, type Problem } from '../../http/problems/problem.ts';
import { ancestorsOf, readEntityId, type EntityKind } from './entity-kind.ts';
import { ARCHIVED_QUERIES, type ListQuery } from './entity-reader.ts';

export const MAX_LISTED = 10_000;
export const MAX_OFFSET = 1_000_000_000;

type Page = { readonly ok: true; readonly limit: number; readonly offset: number } | { readonly ok: false; readonly problem: Problem };

/** The query parameters of a request; `get` returns the first value of a repeated one. */
export const searchOf = (req: Request): URLSearchParams => new URL(req.url, 'http://localhost').searchParams;

/** `limit` and `offset`. */
export const readPage = (search: URLSearchParams, defaultLimit: number, maxLimit: number): Page => {
  const limit = wholeNumber(search.get('limit'), defaultLimit);
  const offset = wholeNumber(search.get('offset'), 0);
  if (limit === undefined || limit < 1 || limit > maxLimit)
    return { ok: false, problem: problem('invalid_request', `limit must be 1 to ${maxLimit}.`) };
  if (offset === undefined || offset > MAX_OFFSET)
    return { ok: false, problem: problem('invalid_request', `offset must be 0 to ${MAX_OFFSET}.`) };
  return { ok: true, limit, offset };
};

/** The query of a list. A filter with a value that cannot be an id matches no record. */
export const readListQuery = (
  kind: EntityKind,
  search: URLSearchParams,
): { readonly ok: true; readonly query: ListQuery } | { readonly ok: false; readonly problem: Problem } => {
  const page = readPage(search, MAX_LISTED, MAX_LISTED);
  if (!page.ok) return page;
  const archived = ARCHIVED_QUERIES.find((value) => value === (search.get('archived') || 'false'));
  if (!archived) return { ok: false, problem: problem('invalid_request', `archived must be one of ${ARCHIVED_QUERIES.join(', ')}.`) };
  const parents = ancestorsOf(kind).flatMap((ancestor) => {
    const value = search.get(ancestor.reference);
    return value === null || value === '' ? [] : [{ table: ancestor.table, id: readEntityId(ancestor, value) ?? NO_ID }];
  });
  return { ok: true, query: { limit: page.limit, offset: page.offset, text: search.get('q') ?? '', archived, parents } };
};

/** Ids begin at 1. */
export const NO_ID = -1;

const wholeNumber = (text: string | null, fallback: number): number | undefined => {
  if (text === null || text === '') return fallback;
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
};
