import type { Request } from 'express';
import { problem, type Problem } from '../http/problems/problem.ts';
import { ancestorsOf, readEntityId, type EntityKind } from './entity-kind.ts';
import { ARCHIVED_QUERIES, MAX_LISTED, type ListQuery, type Sort } from './entity-reader.ts';
import { LIST_FIELDS } from './list-fields.ts';
import type { Fault } from '../base/fault.ts';

/** Parameters `id` of a list. */
export const MAX_IDS = 200;
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
  const faults: Fault[] = [];
  const ids = search.getAll('id').map((text) => readEntityId(kind, text) ?? NO_ID);
  if (ids.length > MAX_IDS) faults.push({ pointer: '/id', detail: `must have at most ${MAX_IDS} values` });
  const sort = readSort(kind, search.get('sort') || 'id', faults);
  const filters = readFilters(kind, search, faults);
  if (faults.length > 0) return { ok: false, problem: problem('invalid_request', 'The query of the list has faults.', faults) };
  const { limit, offset } = page;
  return {
    ok: true,
    query: { limit, offset, text: search.get('q') ?? '', archived, parents, ids: ids.length > 0 ? ids : undefined, filters, sort },
  };
};

/** `name` is ascending, `-name` descending. */
const readSort = ({ table }: EntityKind, text: string, faults: Fault[]): Sort => {
  const known = Object.keys(LIST_FIELDS[table].sorts);
  const by = text.replace(/^-/, '');
  if (!known.includes(by))
    faults.push({ pointer: '/sort', detail: `must be one of ${known.join(', ')}, with - in front to begin with the largest` });
  return { by, order: text.startsWith('-') ? 'desc' : 'asc' };
};

/** Each filter has values of a closed set, separated by commas. */
const readFilters = ({ table }: EntityKind, search: URLSearchParams, faults: Fault[]): ListQuery['filters'] => {
  const filters: Record<string, readonly string[]> = {};
  for (const [name, { values }] of Object.entries(LIST_FIELDS[table].filters)) {
    const given = (search.get(name) ?? '').split(',').filter(Boolean);
    for (const [i, value] of given.entries())
      if (!values.includes(value)) faults.push({ pointer: `/${name}/${i}`, detail: `must be one of ${values.join(', ')}` });
    if (given.length > 0) filters[name] = given;
  }
  return filters;
};

/** Ids begin at 1. */
export const NO_ID = -1;

const wholeNumber = (text: string | null, fallback: number): number | undefined => {
  if (text === null || text === '') return fallback;
  return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
};
