import type { AnswerOf } from '../api/route.ts';
import { APPROVAL_API } from '../approvals/approval-api.ts';
import * as s from '../base/schema.ts';
import { entityApi } from '../bookings/entity-api.ts';
import { ENTITY_KINDS } from '../bookings/entity-kind.ts';
import { ENTITY_TABLES, type EntityTable } from '../catalog/entities/entities.ts';
import { DELIVERY_API } from '../delivery/delivery-api.ts';
import { AVAILABILITY_API } from '../forecast/availability/availability-api.ts';
import { FORECAST_API } from '../forecast/forecast-api.ts';
import { REPORT_API } from '../reports/report-api.ts';
import type { ApiAnswer } from './call-api.ts';
import { argumentsOf, bodyOf, parametersAs } from './input-of.ts';
import { READS, tell, tellAnswer, tellProblem, type Arguments, type Tool } from './tool.ts';

/** Rows that a model reads. */
const MAX_ROWS = 50;
const FOUND = 20;

const reading = { hints: READS } as const;
const listOf = (table: EntityTable) => entityApi(ENTITY_KINDS[table]).list;

/** What staff and their assistants ask. */
export const READING_TOOLS: readonly Tool[] = [
  {
    ...reading,
    name: 'why_not_delivering',
    title: 'Why a line item does not deliver',
    description:
      'Why a line item does not deliver, or delivers less than it should: its status with reasons, its delivery against goals and limits, ' +
      'what its impressions were lost to in the last hours or days, and the change that would help.',
    route: DELIVERY_API.getLineItemRefusals,
    input: argumentsOf({ line_item_id: s.recordId, ...parametersAs(DELIVERY_API.getLineItemRefusals, ['from', 'to']) }, ['line_item_id']),
    run: async ({ line_item_id: id, from, to }, { api }) => {
      const delivery = await api({ method: 'GET', path: `/line_items/${String(id)}/delivery` });
      if (delivery.status >= 400) return tellProblem(delivery);
      const refusals = await api({ method: 'GET', path: `/line_items/${String(id)}/refusals`, query: { from, to } });
      return refusals.status >= 400 ? tellProblem(refusals) : tell({ delivery: delivery.body, refusals: withoutHours(refusals) });
    },
  },
  {
    ...reading,
    name: 'what_is_free',
    title: 'What is free to sell',
    description:
      'Impressions that are available, sold and free by day and placement, or by country, size or shared targeting (group_by), in the ' +
      'next 28 days. Empty until the bookings have been replayed, which a call begins: ask again after a minute.',
    route: AVAILABILITY_API.listAvailability,
    input: argumentsOf(parametersAs(AVAILABILITY_API.listAvailability), ['publisher']),
    run: async (query, { api }) =>
      tellAnswer(await api({ method: 'GET', path: '/availability', query }), (rows) => {
        const days = rows as AnswerOf<(typeof AVAILABILITY_API)['listAvailability']>;
        const sum = (member: 'free' | 'sold' | 'available'): number => days.reduce((total, day) => total + day[member], 0);
        // An impression may be of several sizes and targetings: their rows have no sum.
        const overlaps = query['group_by'] === 'size' || query['group_by'] === 'targeting';
        const sums = overlaps ? {} : { available: sum('available'), sold: sum('sold'), free: sum('free') };
        return { ...sums, days: days.slice(0, 28 * MAX_ROWS) };
      }),
  },
  {
    ...reading,
    name: 'forecast',
    title: 'Forecast a line item',
    description:
      'What a line item that exists, or is drafted, will deliver: a range, what binds it, which other line items get less, and what would bring more.',
    route: FORECAST_API.createForecast,
    input: bodyOf(FORECAST_API.createForecast),
    run: async (body, { api }) => tellAnswer(await api({ method: 'POST', path: '/forecasts', body }), (forecast) => ({ forecast })),
  },
  {
    ...reading,
    name: 'find_records',
    title: 'Find bookings and other records',
    description: `Finds campaigns, line items, creatives, placements, advertisers or publishers by words, key or id. At most ${MAX_ROWS} rows.`,
    route: listOf('campaigns'),
    input: argumentsOf(
      {
        table: s.oneOf(ENTITY_TABLES),
        q: s.described(s.text, 'Only records with each of these words in their name, or as their id, or in what they belong to'),
        publisher_id: s.recordId,
        advertiser_id: s.recordId,
        campaign_id: s.recordId,
        line_item_id: s.recordId,
        limit: s.integerOf({ minimum: 1, maximum: MAX_ROWS, default: FOUND }),
        offset: s.count,
      },
      ['table'],
    ),
    run: async ({ table, ...query }, { api }) => {
      const answer = await api({ method: 'GET', path: `/${table as string}`, query: { limit: FOUND, ...query } });
      return tellAnswer(answer, (rows) => ({ total: Number(answer.headers.get('x-total-count')), rows }));
    },
  },
  {
    ...reading,
    name: 'report',
    title: 'Report',
    description: `Figures of delivery and revenue by up to five dimensions. The first ${MAX_ROWS} rows, and the totals of all.`,
    route: REPORT_API.getReport,
    input: argumentsOf({
      ...parametersAs(REPORT_API.getReport, ['from', 'to', 'range', 'group_by', 'metrics', 'sort', 'offset']),
      filter: { type: 'object', additionalProperties: { type: 'string' }, description: 'Values by dimension: {"campaign": "3,7"}' },
      limit: s.integerOf({ minimum: 1, maximum: MAX_ROWS, default: FOUND }),
    }),
    run: async ({ filter = {}, ...query }, { api }) => {
      const filters = Object.entries(filter as Arguments).map(([name, value]) => [`filter[${name}]`, value] as const);
      const asked = { limit: FOUND, ...query, ...Object.fromEntries(filters) };
      return tellAnswer(await api({ method: 'GET', path: '/reports', query: asked }), (report) => ({ report }));
    },
  },
  {
    ...reading,
    name: 'list_approvals',
    title: 'What waits for a second person',
    description: 'Changes that were proposed, the newest first, with who proposed them and why a second person is needed.',
    route: APPROVAL_API.listApprovals,
    input: argumentsOf(parametersAs(APPROVAL_API.listApprovals)),
    run: async (query, { api }) =>
      tellAnswer(await api({ method: 'GET', path: '/approvals', query: { limit: FOUND, ...query } }), (approvals) => ({ approvals })),
  },
];

const withoutHours = ({ body }: ApiAnswer): unknown => {
  const { hours: _, ...rest } = body as { readonly hours: unknown };
  return rest;
};
