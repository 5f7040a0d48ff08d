import { ATTENTION_KINDS, SET_UP_KINDS } from '../../delivery/attention/attention.ts';
import { CHANGE_ACTIONS } from '../../bookings/audit-trail.ts';
import { ENTITY_KINDS } from '../../bookings/entity-kind.ts';
import { DELIVERY_STATUSES } from '../../decision/no-bid-reason.ts';
import { PROGRESS_OF } from '../../delivery/status/listed-delivery.ts';
import { COURSES } from '../../delivery/goal-course.ts';
import { REPORT_COLUMNS } from '../../reports/record-report/report-columns.ts';
import { REPORTED_CREATIVE_COLUMNS } from '../../delivery/reported-creative-columns.ts';
import { schemaOf } from '../../api/columns.ts';
import {
  boolean,
  count,
  countsByName,
  day,
  integer,
  listOf,
  moment,
  number,
  oneOf,
  orNull,
  record,
  ref,
  text,
  usd,
} from '../../api/schema.ts';

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

/** What changes are logged of, beside the records of the catalog. */
const OTHER_ENTITIES = ['asset', 'saved_report', 'alert_recipient', 'events'];

/** Delivery, reports of one record, complaints and the audit trail. */
export const INSIGHT_SCHEMAS = {
  Delivery: record({
    line_item_id: integer,
    at: moment,
    day,
    live: { ...boolean, description: 'false: the counters are unavailable and the figures come from the database' },
    status: ref('Status'),
    today: record({
      ...figures,
      held: orNull('integer', { description: 'Reserved and not yet shown; null: unknown, because live is false' }),
      committed: { ...count, description: 'Impressions and reservations: what the daily cap limits' },
    }),
    yesterday: record(figures),
    total: record({ impressions: count, clicks: count, spend: usd }),
    goals: listOf(
      record({
        of: oneOf(['impressions', 'clicks']),
        goal: count,
        delivered: count,
        due: { ...count, description: 'Due by now, with the flight spread as its pacing spreads it' },
        course: oneOf(COURSES),
        behind: { ...number, description: 'The share of `due` that is missing; 0 unless it is behind' },
        expected_end: orNull('integer', {
          description: 'What it will end at, if the rest goes as the last day did; null: too early to say',
        }),
        words: text,
      }),
    ),
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
  Status: record({
    value: oneOf(DELIVERY_STATUSES),
    reasons: { ...listOf(text), description: 'Everything that applies; the reasons of `value` first' },
    off_pace: { ...number, description: 'The share of what is due by now that is missing or too much; 0 unless behind or ahead' },
    held_until: orNull('string', { format: 'date-time', description: 'When pacing lets it serve again; null: it is not held back' }),
    stuck_creatives: { ...listOf(record({ id: integer, reason: text })), description: 'The first of its creatives that cannot be shown' },
  }),
  Attention: record({
    at: moment,
    line_items: { ...countsByName, description: 'By status, those in flight or within three days of it' },
    groups: listOf(
      record({
        kind: oneOf(ATTENTION_KINDS),
        total: count,
        rows: listOf(
          record({ table: orNull('string', { enum: ['line_items', 'creatives', null] }), id: orNull('integer'), name: text, text }),
        ),
      }),
    ),
    ended: listOf(record({ line_item_id: integer, name: text, ended_at: moment, impressions: count, spend: usd })),
    records: { ...record(Object.fromEntries(SET_UP_KINDS.map((kind) => [kind, count]))), description: 'Records that are not archived' },
    health: record({
      replicas: { ...integer, description: 'Replicas that are running; one that ended without a word counts for 35 seconds more' },
      counters: { ...boolean, description: 'Whether the counters in Redis can be read' },
      catalog_version: orNull('integer'),
      catalog_age_seconds: orNull('integer'),
    }),
  }),
  Statuses: record({
    line_items: { type: 'object', additionalProperties: ref('Status'), description: 'By id' },
    campaigns: { type: 'object', additionalProperties: ref('Status'), description: 'By id' },
    deliveries: { type: 'object', additionalProperties: ref('ListedDelivery'), description: 'Of the same line items, by id' },
  }),
  ListedDelivery: record({
    live: { ...boolean, description: 'false: the counters are unavailable, and the figures are those stored so far' },
    impressions_today: { ...count, description: 'Net' },
    spend_today: { ...usd, description: 'USD; fees are not in it' },
    progress: {
      anyOf: [
        { type: 'null', description: 'Neither a goal nor a limit is set' },
        record({ of: oneOf(PROGRESS_OF), done: number, limit: number }),
      ],
      description: 'The delivered part of the first goal or limit that is set',
    },
  }),
  Refusals: record({
    line_item_id: integer,
    from: day,
    to: day,
    off_target: { ...count, description: 'Impressions that its targeting did not match; not among those lost' },
    lost: { ...count, description: 'Impressions that it could have had and did not get' },
    reasons: listOf(
      record({
        reason: { ...text, description: '`outranked`, or the name of a no-bid reason' },
        words: text,
        impressions: count,
        share: { ...number, description: 'Of all that were lost' },
        outranked_by: listOf(
          record({ line_item_id: integer, line_item: orNull('string', { description: 'null: deleted' }), impressions: count }),
        ),
        remedy: {
          anyOf: [
            { type: 'null', description: 'No change of one record helps' },
            record({
              label: text,
              table: oneOf(['line_items', 'campaigns']),
              id: integer,
              patch: { type: 'object', description: 'A merge patch' },
            }),
          ],
        },
      }),
    ),
    hours: listOf(record({ hour: moment, off_target: count, lost: count })),
  }),
  PlacementRefusals: record({
    placement_id: text,
    from: day,
    to: day,
    requests: count,
    unfilled: count,
    reasons: listOf(
      record({
        reason: { ...text, description: 'The name of the no-bid reason that came closest to an ad' },
        words: text,
        requests: count,
        share: { ...number, description: 'Of all requests' },
      }),
    ),
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
    entity: oneOf([...Object.values(ENTITY_KINDS).map(({ name }) => name), ...OTHER_ENTITIES]),
    entity_id: text,
    before: orNull('object'),
    after: orNull('object'),
  }),
};
