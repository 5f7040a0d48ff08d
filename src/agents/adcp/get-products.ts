import { MS_PER_DAY } from '../../base/utc-day.ts';
import { isObject } from '../../base/narrow.ts';
import { readFreeImpressions } from '../../buys/free-impressions.ts';
import { tell } from '../tool.ts';
import { adcpFault, type AdcpFault } from './adcp-fault.ts';
import { formatsOfAll, readProducts, showProduct, type Product } from './products.ts';
import { showFormat } from './formats.ts';
import { pageOf } from './page-of.ts';
import type { BuyerTool } from './seller.ts';

/** For which the impressions of products are forecast, unless a call names its flight. */
const USUAL_DAYS = 28;

type Filters = Readonly<Record<string, unknown>>;
type Test = (product: Product, wanted: unknown) => boolean;

const among = (wanted: unknown, values: readonly string[]): boolean => (wanted as readonly string[]).some((one) => values.includes(one));

/** The filters that are understood. start_date and end_date say of which days the forecast is. */
const FILTERS: Readonly<Record<string, Test>> = {
  delivery_type: ({ guaranteed }, wanted) => wanted === (guaranteed ? 'guaranteed' : 'non_guaranteed'),
  is_fixed_price: ({ guaranteed }, wanted) => wanted === guaranteed,
  channels: ({ channels }, wanted) => among(wanted, channels),
  format_ids: ({ formats }, wanted) =>
    among(
      (wanted as readonly { readonly id: string }[]).map(({ id }) => id),
      formats.map(({ id }) => id),
    ),
  start_date: () => true,
  end_date: () => true,
};

export const getProducts: BuyerTool = async (given, { seller, buyer }) => {
  const { buying_mode: mode = 'wholesale', brief = '', refine = [], filters: filtered, preferred_delivery_types: preferred } = given;
  const filters: Filters = isObject(filtered) ? filtered : {};
  const unknown = [
    ...Object.keys(filters).flatMap((name) => (Object.hasOwn(FILTERS, name) ? [] : [`filters.${name}`])),
    ...['property_list', 'catalog'].filter((name) => given[name] !== undefined),
  ];
  const [first, ...others] = unknown.map((field) =>
    adcpFault('UNSUPPORTED_FEATURE', `${field} is not understood here, so that products cannot be chosen by it.`, {
      ...{ field, suggestion: `Leave it out. Filters are ${Object.keys(FILTERS).join(', ')}.` },
    }),
  );
  if (first) return [first, ...others] as readonly [AdcpFault, ...AdcpFault[]];
  const nowMs = seller.now();
  const startMs = Math.max(dayOr(filters['start_date'], nowMs), nowMs);
  const period = { startMs, endMs: Math.max(dayOr(filters['end_date'], startMs + USUAL_DAYS * MS_PER_DAY), startMs + MS_PER_DAY) };
  const free = await readFreeImpressions(seller.knex, buyer.publisher.id);
  const shop = { publisher: buyer.publisher, agentUrl: seller.agentUrl, free, period, nowMs };
  const asks = refine as readonly Readonly<Record<string, unknown>>[];
  const omitted = new Set(asks.filter(({ action }) => action === 'omit').map(({ product_id: id }) => id));
  const products = (await readProducts(seller.knex, buyer.publisher)).filter(
    (product) => !omitted.has(product.id) && Object.entries(filters).every(([name, wanted]) => FILTERS[name]!(product, wanted)),
  );
  if (products.some(({ id }) => free.of(id, period) === undefined)) seller.refreshForecast(buyer.publisher.id);
  const words = mode === 'brief' ? wordsOf(String(brief)) : [];
  const ranked = products
    .map((product, i) => {
      const matched = words.filter((word) => wordsOfProduct(product).includes(word));
      const isPreferred = Array.isArray(preferred) && FILTERS['delivery_type']!(product, preferred[0]);
      return { product, matched, rank: matched.length * 2 + (isPreferred ? 1 : 0) - i / (products.length + 1) };
    })
    .sort((a, b) => b.rank - a.rank);
  const { page, pagination } = pageOf(ranked, given['pagination']);
  return tell({
    products: page.map(({ product, matched }) => ({
      ...showProduct(product, shop),
      ...(mode === 'brief' && { brief_relevance: matched.length > 0 ? `Has of the brief: ${matched.join(', ')}` : 'On sale to agents' }),
    })),
    ...(asks.length > 0 && { refinement_applied: asks.map(refinement) }),
    pagination,
  });
};

/** Products are what placements, the rate card and the forecast make them: a request in words changes nothing of them. */
const refinement = ({ scope, product_id: product, proposal_id: proposal, action, ask }: Readonly<Record<string, unknown>>) => ({
  ...{ scope, ...(product !== undefined && { product_id: product }), ...(proposal !== undefined && { proposal_id: proposal }) },
  status:
    scope === 'product' && ask === undefined && (action === undefined || action === 'include' || action === 'omit') ? 'applied' : 'unable',
  ...(ask !== undefined && {
    notes: `Prices and placements are as listed. To narrow them, use the filters ${Object.keys(FILTERS).join(', ')}.`,
  }),
});

const dayOr = (day: unknown, otherwise: number): number => {
  const atMs = typeof day === 'string' ? Date.parse(day) : Number.NaN;
  return Number.isNaN(atMs) ? otherwise : atMs;
};

const wordsOf = (text: string): readonly string[] => [...new Set(text.toLowerCase().match(/[\p{L}\d]+/gu) ?? [])];

const SPOKEN = { display: ['display', 'banner'], olv: ['video', 'olv'], streaming_audio: ['audio', 'sound'] } as const;
const wordsOfProduct = ({ name, guaranteed, channels }: Product): readonly string[] => [
  ...wordsOf(name),
  ...(guaranteed ? ['guaranteed'] : ['auction', 'programmatic']),
  ...channels.flatMap((channel) => SPOKEN[channel as keyof typeof SPOKEN]),
];

export const listCreativeFormats: BuyerTool = async (given, { seller, buyer }) => {
  const wanted = given['format_ids'] as readonly { readonly id: string; readonly agent_url?: string }[] | undefined;
  const formats = formatsOfAll(await readProducts(seller.knex, buyer.publisher));
  const found = wanted
    ? formats.filter(({ id }) => wanted.some((one) => one.id === id && (one.agent_url ?? seller.agentUrl) === seller.agentUrl))
    : formats;
  const { page, pagination } = pageOf(found, given['pagination']);
  return tell({ formats: page.map((format) => showFormat(format, seller.agentUrl)), pagination });
};
