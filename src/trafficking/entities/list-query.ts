import type { Request } from 'express';
import { problem, type Problem } from '../../http/problems/problem.ts';
import { ENTITY_KINDS, readEntityId, type EntityKind } from './entity-kind.ts';
import { FILTERS, type ListQuery } from './entity-reader.ts';

export const MOST_LISTED = 10_000;

type Page = { readonly ok: true; readonly limit: number; readonly offset: number } | { readonly ok: false; readonly problem: Problem };

/** The query parameters of a request; the first of a repeated one. */
export const searchOf = (req: Request): URLSearchParams => new URL(req.url, 'http://localhost').searchParams;

/** `limit` and `offset`. */
export const readPage = (search: URLSearchParams, defaultLimit: number, most: number): Page => {
  const limit = wholeNumber(search.get('limit'), defaultLimit);
  const offset = wholeNumber(search.get('offset'), 0);
  if (limit === undefined || limit < 1 || limit > most || offset === undefined || offset > 1_000_000_000)
    return { ok: false, problem: problem('invalid_request', `limit must be 1 to ${most}, offset 0 or more.`) };
  return { ok: true, limit, offset };
};

/** What a list is asked for. A filter whose value can be nobody's id finds nothing, like any other unknown id. */
export const readListQuery = (
  kind: EntityKind,
  search: URLSearchParams,
): { readonly ok: true; readonly query: ListQuery } | { readonly ok: false; readonly problem: Problem } => {
  const page = readPage(search, MOST_LISTED, MOST_LISTED);
  if (!page.ok) return page;
  const parents: Record<string, string | number> = {};
  for (const name of Object.keys(FILTERS[kind.table])) {
    const value = search.get(name);
    if (value === null || value === '') continue;
    const parent = name === 'placement_id' ? ENTITY_KINDS.placements : ENTITY_KINDS.campaigns;
    parents[name] = readEntityId(parent, value) ?? NOBODY;
  }
  return { ok: true, query: { limit: page.limit, offset: page.offset, text: search.get('q') ?? '', parents } };
};

const NOBODY = -1;

const wholeNumber = (text: string | null, fallback: number): number | undefined => {
  if (text === null || text === '') return fallback;
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
};
