import type { Knex } from 'knex';
import type { Ids } from '../../access/scope.ts';
import { dateOfDay, dayOf } from '../../base/utc-day.ts';
import { VIDEO_ERRORS } from '../../catalog/model/video-events.ts';
import { countWords } from '../number-words.ts';

/** A creative of players that they cannot play, or that none plays to its end. */
export interface UnplayedCreative {
  readonly id: number;
  readonly name: string;
  readonly lineItem: string;
  /** What players say, with the code that is most frequent. */
  readonly words: string;
}

/** So many errors, and this part of what was to be played: fewer are bad connections. */
const MIN_ERRORS = 20;
const MIN_ERROR_SHARE = 0.1;
/** So many starts without one that ended: the ad, or what it reports, is broken. */
const MIN_STARTS = 100;

/** Of yesterday and today, by the days of its publisher. */
const UNPLAYED = `
  with played as (
    select creative_id, error_code, sum_bigint(starts) as starts, sum_bigint(completes) as completes, sum_bigint(errors) as errors
    from play_days
    where day >= :since::date and reason = '' and creative_id > 0
      and (cast(:publishers as int[]) is null or publisher_id = any(cast(:publishers as int[])))
    group by 1, 2
  ), summed as (
    select creative_id, sum(starts)::int as starts, sum(completes)::int as completes, sum(errors)::int as errors,
           (array_agg(error_code order by errors desc, error_code))[1] as code
    from played group by 1
  )
  select c.id, c.name, l.name as "lineItem", starts, completes, errors, code
  from summed join creatives c on c.id = summed.creative_id join line_items l on l.id = c.line_item_id
  where not c.archived and not l.archived
    and ((errors >= ${MIN_ERRORS} and errors >= ${MIN_ERROR_SHARE} * (starts + errors)) or (starts >= ${MIN_STARTS} and completes = 0))
  order by errors desc, starts desc, c.id limit :limit`;

interface Row extends Omit<UnplayedCreative, 'words'> {
  readonly starts: number;
  readonly completes: number;
  readonly errors: number;
  readonly code: string;
}

/** Creatives of some publishers that players report as not played, those with most errors first. Rejects when Postgres is unavailable. */
export const findUnplayed = async (
  knex: Knex,
  atMs: number,
  limit: number,
  publishers: Ids = null,
): Promise<readonly UnplayedCreative[]> => {
  const { rows } = await knex.raw<{ rows: Row[] }>(UNPLAYED, {
    ...{ since: dateOfDay(dayOf(atMs) - 1), limit, publishers },
  } as Record<string, Knex.RawBinding>);
  return rows.map(({ id, name, lineItem, ...counts }) => ({ id, name, lineItem, words: wordsOf(counts) }));
};

const wordsOf = ({ starts, errors, code }: Omit<Row, 'id' | 'name' | 'lineItem'>): string => {
  if (errors < MIN_ERRORS || errors < MIN_ERROR_SHARE * (starts + errors))
    return `none of ${countWords(starts)} starts since yesterday was played to its end`;
  const share = Math.round((100 * errors) / (starts + errors));
  const meaning: string = VIDEO_ERRORS[Number(code) as keyof typeof VIDEO_ERRORS];
  return `${countWords(errors)} errors of players since yesterday, ${share}% of its plays; most often ${code}: ${meaning}`;
};
