import { rollUpAll } from '../../src/events/postgres/roll-up-batches.ts';
import { ROLL_UPS, type RollUpSource } from '../../src/events/postgres/roll-ups.ts';
import { HIT_KEY } from './hit-key.ts';
import type { Violation } from './model.ts';
import type { Stage } from './stage.ts';

/** What a roll-up of hits must sum to, by line item: the event rows. */
const rollUpDifferences = (table: string): string => `
  select line_item_id as id from (
    select line_item_id, count(*) filter (where kind = 'impression' and invalid_reason = '') as impressions,
           count(*) filter (where kind = 'impression' and invalid_reason <> '') as filtered, count(*) filter (where kind = 'click') as clicks,
           count(*) filter (where kind = 'event' and event_type in ('like', 'share', 'viewable')) as events, coalesce(sum(billed_micros), 0) as spend
    from events group by 1
  ) e full join (
    select line_item_id, sum(impressions) filter (where reason = '') as impressions, sum(impressions) filter (where reason <> '') as filtered,
           sum(clicks) as clicks, sum(events + viewable) as events, sum(spend_micros) as spend
    from ${table} group by 1
  ) r using (line_item_id)
  where (coalesce(e.impressions, 0), coalesce(e.filtered, 0), coalesce(e.clicks, 0), coalesce(e.events, 0), coalesce(e.spend, 0))
        is distinct from (coalesce(r.impressions, 0), coalesce(r.filtered, 0), coalesce(r.clicks, 0), coalesce(r.events, 0), coalesce(r.spend, 0))`;

/** What a roll-up of plays must sum to, by its columns. */
const PLAYS = {
  starts: `event_type = 'start'`,
  midpoints: `event_type = 'midpoint'`,
  completes: `event_type = 'complete'`,
  skips: `event_type = 'skip'`,
  errors: `event_type = 'error_405'`,
};
const playDifferences = (table: string): string => {
  const names = Object.keys(PLAYS);
  const valuesOf = (of: string): string => names.map((name) => `coalesce(${of}.${name}, 0)`).join(', ');
  return `
  select line_item_id as id from (
    select line_item_id, ${Object.entries(PLAYS)
      .map(([name, of]) => `count(*) filter (where kind = 'event' and ${of}) as ${name}`)
      .join(', ')}
    from events group by 1
  ) e full join (
    select line_item_id, ${names.map((name) => `sum(${name}) as ${name}`).join(', ')} from ${table} group by 1
  ) r using (line_item_id)
  where (${valuesOf('e')}) is distinct from (${valuesOf('r')})`;
};

const DIFFERENCES: Partial<Readonly<Record<RollUpSource, (table: string) => string>>> = { hits: rollUpDifferences, plays: playDifferences };

/** Whether Postgres holds the events, daily counts and roll-ups that the stream carried, each once. */
export const checkStored = async ({
  lane: { knex },
  system,
  model,
  anyDoubt,
  servesMayBeMissing,
}: Stage): Promise<readonly Violation[]> => {
  const found: Violation[] = [];
  await rollUpAll(knex);
  const { rows } = await knex.raw<{ rows: { key: string; billed: string; reason: string }[] }>(
    `select ${HIT_KEY} as key, billed_micros as billed, invalid_reason as reason from events`,
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
  for (const { table, of: source } of ROLL_UPS) {
    const differences = DIFFERENCES[source];
    if (!differences) continue;
    const differing = await knex.raw<{ rows: { id: number }[] }>(differences(table));
    for (const { id } of differing.rows) found.push({ rule: 'reports', text: `${table} of line item ${id} differs from its event rows` });
  }
  return found;
};

/** Nothing differs in the books, unless a step has changed them, or Redis has lost what was served and not yet reported. */
export const compareBooks = async ({ operator, losses }: Stage): Promise<readonly Violation[]> =>
  (await operator.compare()).filter((text) => losses === 0 || !ONLY_SERVES.test(text)).map((text) => ({ rule: 'books', text }));

const ONLY_SERVES = /^the account .* differed: (?:(?:s|yesterdayS)erves by -?\d+(?:, )?)+$/;
