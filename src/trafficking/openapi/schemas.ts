import { REPORT_REASONS } from '../../tracking/report-store.ts';
import { AD_REQUEST_SCHEMA, FLAT_AD_REQUEST_SCHEMA } from '../../http/openrtb/ad-request-schema.ts';
import { PROBLEMS } from '../../http/problems/problem.ts';
import { DELIVERY_STATUSES } from '../insight/delivery.ts';
import { ENTITY_KINDS, type EntityKind } from '../entities/entity-kind.ts';
import { OUTCOMES } from '../explain/explanation.ts';
import { listOf, orNull, record, ref, type Schema } from './operation.ts';

const count = { type: 'integer', minimum: 0 };
const usd = { type: 'number', description: 'USD' };
const text = { type: 'string' };
const integer = { type: 'integer' };
const moment = { type: 'string', format: 'date-time' };
const day = { type: 'string', format: 'date', description: 'UTC' };
const byType = { type: 'object', additionalProperties: count };
const counted = { serves: count, impressions: count, clicks: count };
const dayFigures = { ...counted, spend: usd };

/** `$id` would give a schema an address of its own inside the document. */
const embedded = ({ $id: _, ...schema }: Schema): Schema => schema;

/** The schema that a record is checked with, and what answers hold on top of it. */
const entitySchema = ({ schema, readOnly, namedByClient }: EntityKind): Schema => {
  const { id, ...properties } = schema.properties as Readonly<Record<string, Schema>>;
  const read = Object.entries(readOnly).map(([name, property]) => [name, { ...property, readOnly: true }] as const);
  const ownId = namedByClient ? id : { ...id, readOnly: true };
  return {
    ...schema,
    properties: {
      ...(ownId ? { id: ownId } : {}),
      ...properties,
      ...Object.fromEntries(read),
      counts: { ...ref('Counts'), readOnly: true },
    },
  };
};

export const ENTITY_SCHEMA_NAMES = {
  publishers: 'Publisher',
  placements: 'Placement',
  campaigns: 'Campaign',
  line_items: 'LineItem',
  creatives: 'Creative',
} as const;

const entities = Object.fromEntries(Object.values(ENTITY_KINDS).map((kind) => [ENTITY_SCHEMA_NAMES[kind.table], entitySchema(kind)]));

const problemSchema = record(
  {
    type: text,
    title: text,
    status: integer,
    detail: text,
    instance: text,
    code: { type: 'string', enum: Object.keys(PROBLEMS) },
  },
  { description: 'RFC 9457' },
);

const stand = record({ used: { type: 'number' }, reserved: { type: 'number' }, limit: { type: 'number' } });

/** Every schema of the document by its name. */
export const COMPONENT_SCHEMAS: Readonly<Record<string, Schema>> = {
  ...entities,
  AdRequest: embedded(AD_REQUEST_SCHEMA),
  FlatAdRequest: embedded(FLAT_AD_REQUEST_SCHEMA),
  AdResponse: {
    type: 'object',
    required: ['id', 'cur', 'seatbid'],
    properties: {
      id: { ...text, description: 'Echo of the request id' },
      cur: { const: 'USD' },
      seatbid: listOf(record({ bid: listOf(ref('Bid')) })),
      nbr: { ...integer, description: 'No-bid reason, present when no impression was filled' },
      ext: {
        type: 'object',
        properties: {
          events: { ...listOf(text), description: 'Event types that `evturl` takes' },
          nonbid: { ...listOf(record({ impid: text, nbr: integer })), description: 'Impressions that were not filled' },
        },
      },
      debug: { type: 'object', description: 'With debug=1: `trace`' },
    },
  },
  Bid: {
    type: 'object',
    required: ['id', 'impid', 'crid', 'cid', 'adm', 'price', 'w', 'h', 'impurl', 'clkurl', 'evturl', 'repturl'],
    properties: {
      id: text,
      impid: text,
      crid: { ...text, description: 'Creative' },
      cid: { ...text, description: 'Campaign' },
      adm: { ...text, description: 'HTML for html and banner creatives, JSON text for native' },
      price: { type: 'number', description: 'eCPM in USD' },
      adomain: listOf(text),
      w: integer,
      h: integer,
      impurl: text,
      clkurl: text,
      evturl: { ...text, description: 'Append &type=…' },
      repturl: text,
      ext: { type: 'object', properties: { click_url: text } },
    },
  },
  QualityReport: {
    type: 'object',
    required: ['token', 'reason'],
    properties: { token: { ...text, description: 'Of any tracking URL' }, reason: { type: 'string', enum: REPORT_REASONS } },
  },
  Problem: {
    ...problemSchema,
    properties: {
      ...(problemSchema['properties'] as object),
      errors: { ...listOf(record({ pointer: text, detail: text })), description: 'Every fault, by its JSON pointer into the body' },
    },
  },
  Counts: { type: 'object', description: 'What would be deleted with it', additionalProperties: count },
  Delivery: record({
    line_item_id: integer,
    at: moment,
    day,
    live: { type: 'boolean', description: 'false: the counters do not answer; figures are those stored so far' },
    status: record({ value: { type: 'string', enum: DELIVERY_STATUSES }, reasons: listOf(text) }),
    today: record({
      ...dayFigures,
      events: byType,
      held: { ...orNull('integer'), description: 'Reserved and not yet shown' },
      committed: { ...count, description: 'Impressions and reservations: what the daily cap bounds' },
    }),
    yesterday: record({ ...dayFigures, events: byType }),
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
      target: { ...orNull('integer'), description: 'Impressions due by now; null: nothing to pace by' },
      allowance: { ...orNull('number'), description: 'Selections that pacing would allow at once' },
      curve: { type: 'array', items: { type: 'number' }, minItems: 24, maxItems: 24 },
    }),
    frequency: { anyOf: [{ type: 'null' }, record({ places: integer, window: integer })] },
    hourly: listOf(record({ hour: integer, impressions: count, clicks: count })),
    last_days: listOf(record({ day, ...dayFigures })),
  }),
  ReportFigures: record({ ...counted, ctr: { type: 'number' }, events: byType, spend: usd, ecpm: usd }),
  CampaignReport: record({
    campaign_id: integer,
    from: day,
    to: day,
    rows: listOf({
      allOf: [ref('ReportFigures'), record({ day, line_item_id: integer, line_item: orNull('string'), creative_id: integer })],
    }),
    totals: ref('ReportFigures'),
  }),
  ReportedCreative: record({
    creative_id: integer,
    line_item_id: integer,
    publisher_id: integer,
    total: count,
    reasons: byType,
    last_at: moment,
    blocked_at: orNull('string'),
    deleted: { type: 'boolean' },
    placement_id: orNull('string'),
    line_item: orNull('string'),
    advertiser_domain: orNull('string'),
  }),
  AuditRow: record({
    id: integer,
    at: moment,
    actor: text,
    action: { type: 'string', enum: ['create', 'update', 'delete', 'rotate_key', 'block', 'unblock'] },
    entity: { type: 'string', enum: Object.values(ENTITY_KINDS).map(({ name }) => name) },
    entity_id: text,
    before: orNull('object'),
    after: orNull('object'),
  }),
  Question: record({ request: { anyOf: [ref('AdRequest'), ref('FlatAdRequest')] }, line_item_id: integer }),
  Explanation: record({
    request_id: text,
    line_item_id: integer,
    at: moment,
    snapshot_version: integer,
    context: record({ country: orNull('string'), device: orNull('string'), may_remember_user: { type: 'boolean' } }),
    outcome: { type: 'string', enum: OUTCOMES },
    summary: text,
    creatives: listOf(ref('CreativeExplanation')),
  }),
  CreativeExplanation: {
    type: 'object',
    required: ['creative_id', 'impid', 'outcome', 'stage', 'detail', 'limits'],
    properties: {
      creative_id: integer,
      impid: orNull('string'),
      outcome: { type: 'string', enum: OUTCOMES },
      stage: text,
      detail: text,
      reason: text,
      nbr: integer,
      limits: { anyOf: [{ type: 'null' }, ref('Limits')] },
      rank: integer,
      of: integer,
      ecpm: usd,
      behind: listOf(record({ line_item_id: integer, creative_id: integer, priority: integer, ecpm: usd })),
    },
  },
  Limits: {
    type: 'object',
    required: ['words'],
    properties: {
      daily_impressions: stand,
      daily_spend: stand,
      budget: stand,
      campaign_budget: stand,
      frequency: record({ places_held: integer, places: integer, window: { type: 'number' } }),
      pacing: record({ mode: text, target: integer, goal: integer, allowance: { type: 'number' } }),
      rate: record({ tokens: { type: 'number' }, per_second: { type: 'number' }, burst: { type: 'number' } }),
      words: listOf(text),
    },
  },
};
