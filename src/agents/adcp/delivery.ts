import { dateOfDay, MS_PER_DAY } from '../../base/utc-day.ts';
import { readMediaBuys, type MediaBuyNow } from '../../buys/read-media-buys.ts';
import type { ApiAnswer } from '../call-api.ts';
import { codeOf, tell, type Arguments } from '../tool.ts';
import { adcpFault, faultsOfProblem, isFault } from './adcp-fault.ts';
import { advertisersOf, mediaBuyIds } from './media-buys.ts';
import type { BuyerTool } from './seller.ts';
import { packageIdOf } from './show-media-buy.ts';

const MAX_BUYS = 100;
/** Of one page of a report, and of a call. */
const PAGE_ROWS = 1_000;
const MAX_ROWS = 20_000;
/** Of a report. */
const MAX_DAYS = 396;

interface Row {
  readonly line_item_id: number;
  readonly day: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly revenue: number;
}

interface Sums {
  readonly impressions: number;
  readonly clicks: number;
  readonly spend: number;
}

/** Net figures of the reports that staff read, by media buy, package and day. */
export const getMediaBuyDelivery: BuyerTool = async (given, { seller, buyer, call }) => {
  const advertisers = advertisersOf(given, buyer, seller);
  if (isFault(advertisers)) return advertisers;
  const nowMs = seller.now();
  const wanted = { publisherId: buyer.publisher.id, advertisers, ids: mediaBuyIds(given), limit: MAX_BUYS };
  const buys = await readMediaBuys(seller.knex, wanted, nowMs);
  const period = periodOf(given, buys, nowMs);
  if (isFault(period)) return period;
  const rows: Row[] = [];
  const query = {
    ...{ from: period.from, to: period.to, group_by: ['line_item', 'day'], metrics: ['impressions', 'clicks', 'revenue'] },
    ...{ 'filter[campaign]': buys.map(({ campaign }) => campaign.id).join(','), limit: PAGE_ROWS },
  };
  for (let more = buys.length > 0; more && rows.length < MAX_ROWS;) {
    const answer = await call.api({ method: 'GET', path: '/reports', query: { ...query, offset: rows.length } });
    if (answer.status >= 400) return faultsOfProblem(codeOf(answer) ?? 'internal', detailOf(answer), []);
    const { rows: page } = answer.body as { readonly rows: readonly Row[] };
    rows.push(...page);
    more = page.length === PAGE_ROWS;
  }
  const { currency } = buyer.publisher;
  const deliveries = buys.map((buy) => deliveryOf(buy, rows, currency, given));
  return tell({
    reporting_period: {
      start: `${period.from}T00:00:00Z`,
      end: new Date(Math.min(Date.parse(period.to) + MS_PER_DAY, nowMs)).toISOString(),
    },
    ...{ currency, media_buy_deliveries: deliveries },
    aggregated_totals: { ...sumOf(rows), media_buy_count: buys.length },
  });
};

const periodOf = ({ start_date: start, end_date: end }: Arguments, buys: readonly MediaBuyNow[], nowMs: number) => {
  const today = dateOfDay(Math.floor(nowMs / MS_PER_DAY));
  const first = buys.map(({ row }) => row.asked.start_time.slice(0, 10)).sort()[0] ?? today;
  const to = typeof end === 'string' ? end : today;
  const earliest = dateOfDay(Math.floor(Date.parse(to) / MS_PER_DAY) - MAX_DAYS);
  const from = typeof start === 'string' ? start : [earliest, first < to ? first : to].sort().at(-1)!;
  return from > to ? adcpFault('INVALID_REQUEST', 'The end must not be before the start.', { field: 'end_date' }) : { from, to };
};

const detailOf = ({ body }: ApiAnswer): string => (body as { readonly detail?: string }).detail ?? 'The figures cannot be read.';

const sumOf = (rows: readonly Row[]): Sums =>
  rows.reduce(
    (sum, row) => ({
      impressions: sum.impressions + row.impressions,
      clicks: sum.clicks + row.clicks,
      spend: Math.round((sum.spend + row.revenue) * 1e6) / 1e6,
    }),
    { impressions: 0, clicks: 0, spend: 0 },
  );

const deliveryOf = ({ row, status, packages }: MediaBuyNow, rows: readonly Row[], currency: string, given: Arguments) => {
  const ofPackages = packages.map(({ bought, lineItem }) => ({
    bought,
    lineItem,
    rows: rows.filter((one) => one.line_item_id === bought.line_item_id),
  }));
  const daily = (some: readonly Row[]) =>
    [...new Set(some.map(({ day }) => day))].sort().map((day) => ({ date: day, ...sumOf(some.filter((one) => one.day === day)) }));
  return {
    ...{ media_buy_id: String(row.id), status, pricing_model: 'cpm', totals: sumOf(ofPackages.flatMap((one) => one.rows)) },
    by_package: ofPackages.map(({ bought, lineItem, rows: own }) => ({
      ...{ package_id: packageIdOf(bought), ...sumOf(own), pricing_model: 'cpm', rate: bought.price, currency },
      paused: lineItem?.active !== true,
      ...(given['include_package_daily_breakdown'] === true && { daily_breakdown: daily(own) }),
    })),
    daily_breakdown: daily(ofPackages.flatMap((one) => one.rows)),
  };
};
