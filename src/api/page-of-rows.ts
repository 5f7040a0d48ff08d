import type { Knex } from 'knex';

/** A page of a list, and whether the list goes on after it. */
export interface PageOfRows<Row> {
  readonly rows: readonly Row[];
  readonly more: boolean;
}

export interface PageQuery {
  readonly columns: readonly string[];
  readonly order: 'asc' | 'desc';
  /** SQL to order by; rows without a value are last, and equal ones are ordered by id. Default: the id. */
  readonly sortBy?: string;
  /** SQL of what is together, before that order. */
  readonly groupBy?: readonly string[];
  readonly limit: number;
  readonly offset: number;
  /** SQL for the bytes of a row, as Postgres can tell without reading long texts. */
  readonly rowBytes: string;
}

/**
 * Postgres sends rows until they exceed this, and the first row however large it is. A record is
 * at most 2 MiB, as a body is, so an answer has at most 2.25 MiB and a quarter of one typically,
 * which takes 5 to 15 ms of the event loop.
 */
export const MAX_PAGE_BYTES = 256 * 1024;

/** Reads a page of at most `limit` rows and MAX_PAGE_BYTES bytes, in order. */
export const readPageOfRows = async <Row>(
  knex: Knex,
  query: Knex.QueryBuilder,
  { columns, order, sortBy = 'id', groupBy = [], limit, offset, rowBytes }: PageQuery,
): Promise<PageOfRows<Row>> => {
  const sorts = [...groupBy.map((sql) => `${sql} nulls last`), ...(sortBy === 'id' ? [] : [`${sortBy} ${order} nulls last`])];
  const sorted = [...sorts, `id ${order}`].join(', ');
  const page = query
    .select(...columns)
    .select(knex.raw(`${rowBytes} as row_bytes`))
    .select(knex.raw(`row_number() over (order by ${sorted}) as place`))
    .orderByRaw(sorted)
    // One more row tells whether the list goes on.
    .limit(limit + 1)
    .offset(offset);
  const measured = knex
    .from(page.as('page'))
    .select(...columns, 'place', knex.raw('count(*) over () as found'))
    .select(knex.raw(`sum(row_bytes) over (order by place rows between unbounded preceding and 1 preceding) as bytes_before`));
  const rows = (await knex
    .from(measured.as('measured'))
    .whereRaw('coalesce(bytes_before, 0) < ?', [MAX_PAGE_BYTES])
    .orderBy('place')
    .limit(limit)
    .select(...columns, 'found')) as (Row & { readonly found: string })[];
  return { rows, more: Number(rows[0]?.found ?? 0) > rows.length };
};

/**
 * The `Link` header (RFC 8288) of a page: where the next one is. Empty on the last page.
 *
 * @param url path and query of this page, as requested
 */
export const nextPageLink = (
  url: string,
  { rows, more }: PageOfRows<unknown>,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Readonly<Record<string, string>> => {
  if (!more) return {};
  const next = new URL(url, 'http://localhost');
  next.searchParams.set('limit', String(limit));
  next.searchParams.set('offset', String(offset + rows.length));
  return { Link: `<${next.pathname}${next.search}>; rel="next"` };
};
