import { CHANGE_ACTIONS } from '../entities/audit-trail.ts';
import { ENTITY_KINDS } from '../entities/entity-kind.ts';
import { DELIVERY_STATUSES } from '../../decision/no-bid-reason.ts';
import { REPORT_COLUMNS } from '../insight/report-columns.ts';
import { REPORTED_CREATIVE_COLUMNS } from '../insight/reported-creative-columns.ts';
import { schemaOf } from './columns.ts';
import { boolean, count, countsByName, day, integer, listOf, moment, number, oneOf, orNull, record, ref, text, usd } from './schema.ts';

/** Gross = filtered + net: `impressions` and `clicks` are net. */
const counted = {
  serves: count,
  gross_impressions: count,
  filtered_impressions: count,
  impressions: count,
  gross_clicks: count,
  filtered_clicks: count,
  clicks: count,
  spend: usd,
};
const figures = { ...counted, events: countsByName, filtered: countsByName };

/** Delivery, reports, quality reports and the audit trail. */
export const INSIGHT_SCHEMAS = {
  Delivery: record({
    line_item_id: integer,
    at: moment,
    day,
    live: { ...boolean, description: 'false: the counters are unavailable and the figures come from the database' },
    status: record({ value: oneOf(DELIVERY_STATUSES), reasons: listOf(text) }),
    today: record({
      ...figures,
      held: orNull('integer', { description: 'Reserved and not yet shown; null: unknown, because live is false' }),
      committed: { ...count, description: 'Impressions and reservations: what the daily cap limits' },
    }),
    yesterday: record(figures),
    total: record({ impressions: count, spend: usd }),
    limits: record({
      daily_impression_cap: orNull('integer'),
      daily_spend_cap: orNull('number'),
      budget: orNull('number'),
      campaign_budget: orNull('number'),
      campaign_spend: usd,
    }),
    pacing: record({
      mode: text,
      goal: orNull('integer', { description: 'Impressions of the whole day; null: the line item is not paced' }),
      target: orNull('integer', { description: 'Impressions due by now, on the line from where pacing began today to the goal' }),
      began: {
        anyOf: [
          { type: 'null' },
          record({ share: { ...number, description: 'Share of the day’s traffic at which pacing began today' }, impressions: integer }),
        ],
      },
      permits: orNull('number', { description: 'Selections that pacing permits now' }),
      curve: { type: 'array', items: number, minItems: 24, maxItems: 24, description: 'Share of a day’s traffic by UTC hour' },
    }),
    frequency: { anyOf: [{ type: 'null' }, record({ places: integer, window: { ...integer, description: 'Seconds' } })] },
    hourly: listOf(record({ hour: integer, impressions: count, clicks: count })),
    last_days: listOf(record({ day, ...counted })),
  }),
  ReportFigures: schemaOf(REPORT_COLUMNS.figures),
  CampaignReport: record({
    campaign_id: integer,
    from: day,
    to: day,
    row_count: count,
    rows: listOf({ allOf: [ref('ReportFigures'), schemaOf(REPORT_COLUMNS.keys)] }),
    totals: ref('ReportFigures'),
    flat_fees: usd,
  }),
  AdvertiserReport: record({
    advertiser_id: integer,
    from: day,
    to: day,
    row_count: count,
    rows: listOf({ allOf: [ref('ReportFigures'), schemaOf(REPORT_COLUMNS.advertiserKeys)] }),
    totals: ref('ReportFigures'),
    flat_fees: usd,
  }),
  Dimensions: { type: 'object', description: 'A JSON Schema with a property for each registered dimension' },
  ReportedCreative: schemaOf(REPORTED_CREATIVE_COLUMNS),
  AuditRow: record({
    id: integer,
    at: moment,
    actor: text,
    action: oneOf(CHANGE_ACTIONS),
    entity: oneOf(Object.values(ENTITY_KINDS).map(({ name }) => name)),
    entity_id: text,
    before: orNull('object'),
    after: orNull('object'),
  }),
};
