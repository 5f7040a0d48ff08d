import type { Knex } from 'knex';
import type { FreeImpressions } from '../../buys/free-impressions.ts';
import type { Flight } from '../../catalog/model/entities.ts';
import { amountFromMicros } from '../../catalog/model/money.ts';
import type { CreativeFormat } from '../../catalog/model/choices.ts';
import { offeredRates } from '../../catalog/model/rate-card.ts';
import type { SellingPublisher } from './buyer.ts';
import { CHANNEL_OF, formatsOf, showFormat, type AdFormat } from './formats.ts';

/** A placement as agents buy it. */
export interface Product {
  /** The placement. */
  readonly id: string;
  readonly name: string;
  /** By the rate card, with a guarantee; or by bids from the floor, without one. */
  readonly guaranteed: boolean;
  /** Per thousand impressions: the price, or the floor. */
  readonly price: number;
  readonly channels: readonly string[];
  readonly formats: readonly AdFormat[];
}

const FIXED = 'cpm_fixed';
const AUCTION = 'cpm_auction';
export const pricingOf = ({ guaranteed }: Product): string => (guaranteed ? FIXED : AUCTION);

interface PlacementRow {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly formats: readonly CreativeFormat[];
  readonly floor_micros: string | null;
}

/**
 * What a publisher sells to agents: placements with a CPM in its rate card, and those with a floor. The others are not for sale
 * here. Rejects when Postgres is unavailable.
 */
export const readProducts = async (knex: Knex, publisher: SellingPublisher): Promise<readonly Product[]> => {
  const rows = await knex('placements')
    .where({ archived: false })
    .where((query) => void query.where({ publisher_id: publisher.id }).orWhereNull('publisher_id'))
    .orderBy('id')
    .select<PlacementRow[]>('id', 'width', 'height', 'formats', 'floor_micros');
  return rows.flatMap((row) => productOf(row, publisher) ?? []);
};

const productOf = (
  { id, width, height, formats, floor_micros: floor }: PlacementRow,
  { rate_card: card }: SellingPublisher,
): Product | undefined => {
  const place = { id, size: `${width}x${height}` };
  const [offered] = offeredRates(card, { budgetType: 'CPM', placements: [place], days: [], flightDays: 1 });
  const price = offered?.listPrice ?? (floor === null ? 0 : amountFromMicros(Number(floor)));
  if (price <= 0) return undefined;
  return {
    ...{ id, name: `${id}, ${width} × ${height}`, guaranteed: offered !== undefined, price },
    channels: [...new Set(formats.map((format) => CHANNEL_OF[format]))],
    formats: formats.flatMap((format) => formatsOf(format, { width, height })),
  };
};

/** All formats of some products, each once. */
export const formatsOfAll = (products: readonly Product[]): readonly AdFormat[] => [
  ...new Map(products.flatMap(({ formats }) => formats).map((format) => [format.id, format])).values(),
];

export interface Shop {
  readonly publisher: SellingPublisher;
  readonly agentUrl: string;
  readonly free: FreeImpressions;
  readonly period: Flight;
  readonly nowMs: number;
}

/** A product, as the protocol has it. */
export const showProduct = (product: Product, { publisher, agentUrl, free, period, nowMs }: Shop) => {
  const { id, name, guaranteed, price, channels, formats } = product;
  const is = free.of(id, period);
  const { currency } = publisher;
  return {
    ...{ product_id: id, name },
    description: `The placement ${id} of ${publisher.name}, ${guaranteed ? 'at its list price' : 'by bids from its floor'}.`,
    publisher_properties: [{ publisher_domain: publisher.domain, selection_type: 'all' }],
    channels,
    format_ids: formats.map((format) => showFormat(format, agentUrl).format_id),
    delivery_type: guaranteed ? 'guaranteed' : 'non_guaranteed',
    pricing_options: [
      { pricing_option_id: pricingOf(product), pricing_model: 'cpm', currency, [guaranteed ? 'fixed_price' : 'floor_price']: price },
    ],
    ...(is && {
      forecast: {
        points: [
          {
            metrics: {
              impressions: { mid: is.free },
              spend: { mid: Math.round(is.free * price) / 1_000 },
            },
          },
        ],
        ...{ forecast_range_unit: 'availability', method: 'modeled', currency, generated_at: new Date(nowMs).toISOString() },
      },
    }),
    delivery_measurement: { provider: publisher.name, notes: 'Impressions that were counted in the page, net of invalid traffic.' },
    reporting_capabilities: {
      ...{ available_reporting_frequencies: ['daily'], expected_delay_minutes: 5, timezone: publisher.time_zone },
      ...{ supports_webhooks: false, available_metrics: ['impressions', 'spend', 'clicks'], date_range_support: 'date_range' },
    },
    creative_policy: { co_branding: 'none', landing_page: 'any', templates_available: false },
  };
};
