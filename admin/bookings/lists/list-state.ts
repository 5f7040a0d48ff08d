import { hashOf } from '../../route.ts';
import type { Kind } from '../../api/wire.ts';
import { filtersOf, groupsOf } from './list-filters.ts';

/** What a list shows, as its address has it. */
export interface ListState {
  readonly search: string;
  /** A column, with `-` in front for the largest first; '': by id. */
  readonly sort: string;
  /** Values by filter, separated by commas. */
  readonly filters: Readonly<Record<string, string>>;
  /** What its records are grouped by; '': nothing. */
  readonly group: string;
  readonly isArchived: boolean;
}

export const readState = (kind: Kind, query: URLSearchParams): ListState => ({
  search: query.get('q') ?? '',
  sort: query.get('sort') ?? '',
  filters: Object.fromEntries(filtersOf(kind).flatMap(({ name }) => (query.get(name) ? [[name, query.get(name) ?? '']] : []))),
  group: groupsOf(kind).find(({ name }) => name === query.get('group_by'))?.name ?? '',
  isArchived: query.has('archived'),
});

const given = ({ search, sort, filters, group }: ListState) => ({
  q: search || null,
  ...filters,
  sort: sort || null,
  group_by: group || null,
});

/** What a saved view keeps. */
export const viewQuery = (state: ListState): string => hashOf([], given(state)).replace(/^[^?]*\??/, '');

export const hashOfState = (kind: Kind, state: ListState): string =>
  hashOf([kind], { ...given(state), archived: state.isArchived ? 1 : null });

/** The list of the service; with numbers of what belongs to each record where a column shows them. */
export const apiQuery = (kind: Kind, state: ListState): string => {
  const query = new URLSearchParams(viewQuery(state));
  if (state.isArchived) query.set('archived', 'only');
  if (kind !== 'creatives') query.set('include', 'children');
  return query.toString();
};

export const isFiltered = ({ search, filters }: ListState): boolean => search.trim() !== '' || Object.keys(filters).length > 0;

/** Adds or removes a value of a filter. */
export const toggled = (state: ListState, name: string, value: string): ListState => {
  const had = state.filters[name]?.split(',').filter(Boolean) ?? [];
  return withFilter(state, name, (had.includes(value) ? had.filter((one) => one !== value) : [...had, value]).join(','));
};

/** @param value '': the filter is taken away */
export const withFilter = (state: ListState, name: string, value: string): ListState => {
  const { [name]: _, ...others } = state.filters;
  return { ...state, filters: value === '' ? others : { ...others, [name]: value } };
};
