import type { Knex } from 'knex';
import { dateOfDay } from '../../base/utc-day.ts';
import { PROVISIONAL } from '../../ledger/hit.ts';

/** An impression or a click, as far as what its sender does over time is judged by it. */
export interface ActivityRow {
  readonly jti: string;
  readonly kind: 'impression' | 'click';
  readonly atMs: number;
  readonly publisherId: number;
  readonly creativeId: number;
  /** Of the user hash (userPartOf in ledger/settle/actor.ts); null: none, or not kept. */
  readonly user: string | null;
  /** null: not kept. */
  readonly network: string | null;
  readonly browser: string | null;
}

const ROWS_AT_ONCE = 5_000;

/** A token has its impression before its click: of hits at the same moment the order is that of the ledger. */
const ROWS = `
  select e.jti, e.kind, (extract(epoch from e.at) * 1000)::float8 as "atMs", e.publisher_id as "publisherId", e.creative_id as "creativeId",
         s.user_part as "user", s.network, e.browser
  from events e left join event_signals s using (day, jti, kind, event_type, screened)
  where e.day between ?::date and ?::date and e.kind in ('impression', 'click') and e.invalid_reason in ('', 'activity', '${PROVISIONAL}')
  order by e.at, e.kind desc`;

/**
 * The impressions and clicks of the days from `firstDay` to `lastDay` that nothing else filters, by their time, in pages.
 * Rejects when Postgres is unavailable.
 */
export const readActivity = (
  knex: Knex,
  { firstDay, lastDay }: { readonly firstDay: number; readonly lastDay: number },
  use: (rows: readonly ActivityRow[]) => void,
): Promise<void> =>
  knex.transaction(
    async (trx) => {
      await trx.raw(`declare activity no scroll cursor for ${ROWS}`, [dateOfDay(firstDay), dateOfDay(lastDay)]);
      for (;;) {
        const { rows } = await trx.raw<{ rows: ActivityRow[] }>(`fetch ${ROWS_AT_ONCE} from activity`);
        use(rows);
        if (rows.length < ROWS_AT_ONCE) return;
      }
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
