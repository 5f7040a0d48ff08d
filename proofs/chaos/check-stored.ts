import type { Violation } from './model.ts';
import type { Stage } from './stage.ts';

/** Whether Postgres holds the events and daily counts that the stream carried, each once. */
export const checkStored = async ({
  lane: { knex },
  system,
  model,
  anyDoubt,
  servesMayBeMissing,
}: Stage): Promise<readonly Violation[]> => {
  const found: Violation[] = [];
  const { rows } = await knex.raw<{ rows: { key: string; billed: string; reason: string }[] }>(
    `select jti || ' ' || kind || case when event_type = '' then '' else ':' || event_type end
            || case when screened then '!' else '' end as key, billed_micros as billed, invalid_reason as reason
     from events`,
  );
  const billed = new Map(rows.map((row) => [row.key, Number(row.billed)]));
  const reasons = new Map(rows.map(({ key, reason }) => [key, reason]));
  if (rows.length !== billed.size) found.push({ rule: 'stored', text: `${rows.length - billed.size} event rows are doubled` });
  for (const [key, event] of model.logged) {
    const of = billed.get(key);
    if (of === undefined) found.push({ rule: 'stored', text: `${key} has no event row` });
    else if (reasons.get(key) !== event.reason)
      found.push({ rule: 'stored', text: `${key} is filtered as ${event.reason}, its row says ${reasons.get(key)}` });
    else if (of !== event.billedMicros) found.push({ rule: 'stored', text: `${key} billed ${event.billedMicros}, its row says ${of}` });
  }
  if (billed.size > model.logged.size)
    found.push({ rule: 'stored', text: `${billed.size - model.logged.size} event rows were never counted` });

  const counts = await knex.raw<{ rows: { id: number; day: number; impressions: string; spend: string; serves: string }[] }>(
    `select line_item_id as id, day - date '1970-01-01' as day, sum(impressions) as impressions, sum(spend_micros) as spend, sum(serves) as serves
     from daily_counts group by 1, 2`,
  );
  for (const { id, day, impressions, spend, serves } of counts.rows) {
    const due = model.sums(`l${id}`).byDay.get(day) ?? { impressions: 0, spend: 0 };
    if (Number(impressions) !== due.impressions || Number(spend) !== due.spend) {
      const text = `daily counts of line item ${id}, day ${day}: ${impressions} impressions, ${spend} micros; by the events ${due.impressions}, ${due.spend}`;
      found.push({ rule: 'daily counts', text });
    }
    const served = model.adsOf('l', id).filter((ad) => ad.ad.day === day && (ad.reserved || ad.counted)).length;
    if ((Number(serves) < served - system.unreported(id, day) && !servesMayBeMissing) || (Number(serves) > served && !anyDoubt))
      found.push({ rule: 'serves', text: `daily counts of line item ${id}, day ${day}: ${serves} serves, selected ${served}` });
  }
  return found;
};

/** Nothing differs in the books, unless a step has changed them. */
export const compareBooks = async ({ operator }: Stage): Promise<readonly Violation[]> =>
  (await operator.compare()).map((text) => ({ rule: 'books', text }));
