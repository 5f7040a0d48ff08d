import { isObject } from '../../base/narrow.ts';

export const MAX_LISTED = 100;

/** A page of a list, as `pagination` of a call asks for it. */
export const pageOf = <T>(all: readonly T[], asked: unknown) => {
  const { max_results: max = MAX_LISTED, cursor } = isObject(asked) ? asked : {};
  const from = typeof cursor === 'string' ? Number(cursor) || 0 : 0;
  const page = all.slice(from, from + Math.min(Number(max) || MAX_LISTED, MAX_LISTED));
  const next = from + page.length;
  const hasMore = next < all.length;
  return { page, pagination: { has_more: hasMore, total_count: all.length, ...(hasMore && { cursor: String(next) }) } };
};
