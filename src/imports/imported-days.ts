import type { Knex } from 'knex';
import type { KeptHistory } from './history-api.ts';

const DAYS_AT_ONCE = 5_000;

/** Keeps what another system had counted of creatives that are booked now. The same days again take the place of the first. Resolves to their number. */
export const keepDays = async (trx: Knex.Transaction, { publisher_id: publisherId, source, days }: KeptHistory): Promise<number> => {
  let kept = 0;
  for (let i = 0; i < days.length; i += DAYS_AT_ONCE) {
    const some = days.slice(i, i + DAYS_AT_ONCE);
    const { rowCount } = await trx.raw<{ readonly rowCount: number }>(
      `insert into imported_days (publisher_id, day, creative_id, placement_id, line_item_id, campaign_id, source, impressions, clicks)
       select :publisherId, d.day, c.id, d.placement, c.line_item_id, l.campaign_id, :source, d.impressions, d.clicks
       from unnest(cast(:creatives as text[]), cast(:placements as text[]), cast(:days as date[]), cast(:impressions as int[]), cast(:clicks as int[]))
         as d (creative, placement, day, impressions, clicks)
       join creatives c on c.external_key = d.creative
       join line_items l on l.id = c.line_item_id
       join campaigns p on p.id = l.campaign_id and p.publisher_id = :publisherId
       on conflict (publisher_id, day, creative_id, placement_id) do update set impressions = excluded.impressions, clicks = excluded.clicks`,
      {
        ...{ publisherId, source },
        creatives: some.map(({ creative }) => creative),
        placements: some.map(({ placement }) => placement),
        days: some.map(({ day }) => day),
        impressions: some.map(({ impressions }) => impressions),
        clicks: some.map(({ clicks }) => clicks),
      },
    );
    kept += rowCount;
  }
  return kept;
};
