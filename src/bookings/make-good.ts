import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import type { Fault } from '../base/fault.ts';
import { MS_PER_DAY } from '../base/utc-day.ts';
import type { CampaignRecord } from '../catalog/entities/campaign.ts';
import type { LineItemRecord } from '../catalog/entities/line-item.ts';
import type { CatalogRow } from '../catalog/model/catalog-reading.ts';
import { flightOf, showEndDate, showStartDate } from '../catalog/model/flight-dates.ts';
import { ROWS } from '../catalog/postgres/rows.ts';
import { childrenOf, copyCreative, createCopyRecord, nameOfCopy, type CopyOptions } from './copy-record.ts';
import { ENTITY_KINDS, type EntityRecord } from './entity-kind.ts';
import { refused, type Written } from './written.ts';

/** What is left of a goal, with what earlier make-goods carry. */
interface Missing {
  readonly impressions: number | null;
  readonly clicks: number | null;
}

/**
 * Creates a line item that carries what another one did not deliver of its goals: paused, from today on, for as many days as the
 * missing part took of the flight, with the creatives. What bills its events keeps its price; a Flat fee was for the whole goal, so
 * its make-good is added value. Refused while the other one may still deliver, and when nothing is missing.
 */
export const makeGood = async (options: CopyOptions, before: EntityRecord, caller: Caller, nowMs: number): Promise<Written> => {
  const { knex } = options;
  const { line_items: kind, creatives: creativeKind } = ENTITY_KINDS;
  const original = before as EntityRecord & LineItemRecord;
  const id = Number(original.id);
  const campaign = await campaignOf(knex, original.campaign_id);
  const missing = await missingOf(knex, id, original);
  const faults = faultsOf(original, missing, nowMs);
  if (faults.length > 0) return refused('invalid', faults);
  const copyRecord = createCopyRecord(options, caller);
  const copy = await copyRecord(kind, original, {
    ...{ name: nameOfCopy(original.name, ' (make-good)'), active: false, archived: false },
    ...flightFrom(original, missing, nowMs),
    ...{ goal_impressions: missing.impressions || null, goal_clicks: missing.clicks || null, budget: null },
    ...(original.budget_type === 'Flat' && original.class !== 'house' && { added_value: true, list_price: null, discount: null }),
  });
  if (!copy.ok) return copy;
  await knex(kind.table)
    .where({ id: copy.record['id'] as number })
    .update({ make_good_for: id });
  for (const creative of await childrenOf(knex, creativeKind, 'line_item_id', [id])) {
    const copied = await copyCreative(copyRecord, creative, copy.record['id']);
    if (!copied.ok) return copied;
  }
  const record = { ...copy.record, make_good_for: id };
  return { ok: true, record, warnings: [...(copy.warnings ?? []), ...endsLater(record as unknown as LineItemRecord, campaign)] };
};

const faultsOf = ({ goal_impressions, goal_clicks, ...item }: LineItemRecord, missing: Missing, nowMs: number): readonly Fault[] => {
  if (goal_impressions === null && goal_clicks === null)
    return [
      { pointer: '', detail: 'it has no goal of which anything could be missing: a make-good carries goal_impressions or goal_clicks' },
    ];
  if (nowMs < flightOf(item).endMs && item.active && !item.archived)
    return [{ pointer: '', detail: `its flight runs until ${item.end_date}, and it may deliver the rest: end it or pause it first` }];
  if (!missing.impressions && !missing.clicks)
    return [{ pointer: '', detail: 'nothing of its goal is missing: it was delivered, or other make-goods carry it' }];
  return [];
};

/** null: it has no such goal. */
const missingOf = async (knex: Knex, id: number, { goal_impressions, goal_clicks }: LineItemRecord): Promise<Missing> => {
  const { rows } = await knex.raw<{ rows: { impressions: string; clicks: string }[] }>(CARRIED, { id });
  const left = (goal: number | null, carried: string | undefined): number | null =>
    goal === null ? null : Math.max(goal - Number(carried ?? 0), 0);
  return { impressions: left(goal_impressions, rows[0]?.impressions), clicks: left(goal_clicks, rows[0]?.clicks) };
};

/** What the line item has delivered, and what its make-goods are to. */
const CARRIED = `
  select coalesce(sum(impressions), 0) as impressions, coalesce(sum(clicks), 0) as clicks from (
    select impressions, clicks from daily_counts where line_item_id = :id
    union all
    select coalesce(goal_impressions, 0), coalesce(goal_clicks, 0) from line_items where make_good_for = :id and not archived
  ) carried`;

/** From the beginning of this UTC day, for the part of the days of the flight that is missing of the goal. */
const flightFrom = (original: LineItemRecord, missing: Missing, nowMs: number): Pick<LineItemRecord, 'start_date' | 'end_date'> => {
  const { startMs, endMs } = flightOf(original);
  const part = Math.max((missing.impressions ?? 0) / (original.goal_impressions ?? 1), (missing.clicks ?? 0) / (original.goal_clicks ?? 1));
  const days = Math.max(1, Math.ceil((part * (endMs - startMs)) / MS_PER_DAY));
  const today = Math.floor(nowMs / MS_PER_DAY) * MS_PER_DAY;
  return { start_date: showStartDate(today), end_date: showEndDate(today + days * MS_PER_DAY) };
};

const campaignOf = async (knex: Knex, id: number): Promise<CampaignRecord | undefined> => {
  const row = await knex('campaigns').where({ id }).first<CatalogRow | undefined>(ROWS.campaigns.columns);
  return row && (ROWS.campaigns.toRecord(row) as unknown as CampaignRecord);
};

/** It serves within the flight of its campaign only. */
const endsLater = (item: LineItemRecord, campaign: CampaignRecord | undefined): readonly Fault[] =>
  campaign && flightOf(campaign).endMs < flightOf(item).endMs
    ? [
        {
          pointer: '/end_date',
          detail: `is after the end of its campaign, ${campaign.end_date}: extend the campaign, or it serves only until then`,
        },
      ]
    : [];
