import type { Knex } from 'knex';
import type { ForecastErrorWire } from '../forecast-api.ts';
import type { ErrorSubject } from './compare-forecasts.ts';

export interface ErrorQuestion {
  readonly publisherId: number;
  readonly from: string;
  readonly to: string;
  /** Each of them; undefined: placements and line items as a whole. */
  readonly subject?: ErrorSubject | undefined;
  readonly key?: string | undefined;
}

/** Of fewer impressions a day the error is chance. */
const MIN_COMPARED = 50;
const COMPARED = `greatest(actual, p50) >= ${MIN_COMPARED}`;
/** A forecast of something that did not come is off by as much as one can be. */
const MEASURES = `count(*)::int as compared, avg(least(abs(actual - p50)::float8 / greatest(actual, 1), 1)) as mean_error,
  avg((actual between p10 and p90)::int)::float8 as held`;
/** Answered rows: placements and line items, three ages each. */
const MAX_ROWS = 20_000;

/** Rejects when Postgres is unavailable. */
export const readForecastErrors = async (knex: Knex, question: ErrorQuestion): Promise<readonly ForecastErrorWire[]> => {
  const { publisherId, from, to, subject, key } = question;
  const each = subject === undefined ? 'null::text' : 'key';
  const { rows } = await knex.raw<{ rows: ForecastErrorWire[] }>(
    `select subject, ${each} as key, age, ${MEASURES} from forecast_errors
     where publisher_id = :publisherId and day between :from and :to and ${COMPARED}
       and (:subject::text is null or subject = :subject) and (:key::text is null or key = :key)
     group by 1, 2, 3 order by 1, 2, 3 limit ${MAX_ROWS}`,
    { publisherId, from, to, subject: subject ?? null, key: key ?? null } as Record<string, Knex.RawBinding>,
  );
  return rows;
};

/** Over all publishers and the last four weeks. */
export const readErrorsByAge = async (knex: Knex): Promise<readonly ForecastErrorWire[]> => {
  const { rows } = await knex.raw<{ rows: ForecastErrorWire[] }>(
    `select subject, null::text as key, age, ${MEASURES} from forecast_errors
     where day >= current_date - 28 and ${COMPARED} group by 1, 3`,
  );
  return rows;
};

/** Comparisons from which on ranges are widened by them. */
const SURE_COMPARISONS = 100;
const MAX_WIDENING = 3;

/**
 * By how much ranges must be wider than the method makes them, so that 80 per cent of what came in the last four weeks would have
 * been within them. 1: they are wide enough, or it is not known yet.
 */
export const readWidening = async (knex: Knex, publisherId: number): Promise<number> => {
  const { rows } = await knex.raw<{ rows: { compared: number; needed: number | null }[] }>(
    `select count(*)::int as compared,
            percentile_cont(0.8) within group (order by abs(actual - p50) * widening
              / greatest(case when actual > p50 then p90 - p50 else p50 - p10 end, 1)) as needed
     from forecast_errors where publisher_id = ? and day >= current_date - 28 and subject = 'line_item' and ${COMPARED}`,
    [publisherId],
  );
  const { compared = 0, needed = null } = rows[0] ?? {};
  return compared < SURE_COMPARISONS || needed === null ? 1 : Math.min(Math.max(needed, 1), MAX_WIDENING);
};
