import type { AskedPackage } from '../../buys/media-buy.ts';
import type { FreeImpressions } from '../../buys/free-impressions.ts';
import { moneyWords, MAX_AMOUNT } from '../../catalog/model/money.ts';
import type { Arguments } from '../tool.ts';
import { adcpFault, isFault, type AdcpFault } from './adcp-fault.ts';
import type { SellingPublisher } from './buyer.ts';
import { pricingOf, type Product } from './products.ts';
import { isTargeting, readOverlay } from './targeting-overlay.ts';

export type Flight = Pick<AskedPackage, 'start_time' | 'end_time'>;

export interface ReadPackages {
  readonly publisher: SellingPublisher;
  readonly products: readonly Product[];
  readonly free: FreeImpressions;
  readonly flight: Flight;
}

/** Members of a package that would change what is bought, and that nothing here keeps. */
const NOT_KEPT: Readonly<Record<string, 'TERMS_REJECTED' | 'UNSUPPORTED_FEATURE'>> = {
  measurement_terms: 'TERMS_REJECTED',
  performance_standards: 'TERMS_REJECTED',
  optimization_goals: 'UNSUPPORTED_FEATURE',
  catalogs: 'UNSUPPORTED_FEATURE',
  creatives: 'UNSUPPORTED_FEATURE',
};
const INSTEAD: Readonly<Record<string, string>> = {
  measurement_terms: 'Billing is by the net impressions that this server counts. Leave it out.',
  performance_standards: 'None are promised. Leave it out.',
  creatives: 'Send creatives with sync_creatives, and assign them by creative_assignments.',
};

export const notKept = (one: Arguments, at: string): AdcpFault | undefined => {
  const name = Object.keys(NOT_KEPT).find((member) => one[member] !== undefined);
  if (name === undefined) return undefined;
  const field = `${at}.${name}`;
  return adcpFault(NOT_KEPT[name]!, `${name} is not agreed to here, and nothing was booked.`, {
    ...{ field, suggestion: INSTEAD[name] ?? 'Leave it out.' },
  });
};

/** Whether amounts, and what they buy, are within what a line item can be. */
export const budgetFault = (budget: number, price: number, at: string, currency: string): AdcpFault | undefined => {
  const field = `${at}.budget`;
  if (budget > MAX_AMOUNT) return adcpFault('INVALID_REQUEST', `A budget is at most ${moneyWords(MAX_AMOUNT, currency)}.`, { field });
  if (impressionsFor(budget, price) >= 1) return undefined;
  return adcpFault('BUDGET_TOO_LOW', `The budget buys no impression at ${moneyWords(price, currency)} per thousand.`, { field });
};

export const impressionsFor = (budget: number, price: number): number => Math.floor((budget / price) * 1_000 + 1e-6);

/** Why the traffic of a product does not carry what is asked for; undefined: it does, or is not known. */
export const trafficFault = (one: AskedPackage, free: FreeImpressions, at: string): AdcpFault | undefined => {
  const is = free.of(one.product_id, { startMs: Date.parse(one.start_time), endMs: Date.parse(one.end_time) });
  if (!is || !one.guaranteed || one.impressions <= is.free) return undefined;
  return adcpFault(
    'PRODUCT_UNAVAILABLE',
    `${one.product_id} has ${is.free} free impressions in this flight, and ${one.impressions} are asked for.`,
    { field: `${at}.budget`, suggestion: 'Ask for fewer, for a longer flight, or for another product.' },
  );
};

/** A package as it can be booked, or why it cannot. */
export const readPackage = (one: Arguments, at: string, { publisher, products, free, flight }: ReadPackages): AskedPackage | AdcpFault => {
  const { product_id: id, pricing_option_id: pricing, budget: given, bid_price: bid, impressions: goal } = one;
  const product = products.find((each) => each.id === id);
  if (!product)
    return adcpFault('PRODUCT_NOT_FOUND', `There is no product ${JSON.stringify(id)} for sale.`, {
      ...{ field: `${at}.product_id`, suggestion: 'Take one of get_products.' },
    });
  if (pricing !== pricingOf(product))
    return adcpFault('INVALID_REQUEST', `${product.id} has no pricing option ${JSON.stringify(pricing)}.`, {
      ...{ field: `${at}.pricing_option_id`, suggestion: `It is ${pricingOf(product)}.` },
    });
  const foreign = (one['format_ids'] as readonly { readonly id: string }[] | undefined)?.find(({ id: format }) =>
    product.formats.every((each) => each.id !== format),
  );
  if (foreign) return adcpFault('INVALID_REQUEST', `${product.id} takes no format ${foreign.id}.`, { field: `${at}.format_ids` });
  const lost = notKept(one, at);
  if (lost) return lost;
  if (!product.guaranteed && typeof bid !== 'number')
    return adcpFault('INVALID_REQUEST', `${product.id} is sold by bids: bid_price says what is paid per thousand impressions.`, {
      field: `${at}.bid_price`,
    });
  const price = product.guaranteed ? product.price : (bid as number);
  if (price < product.price)
    return adcpFault('BUDGET_TOO_LOW', `The floor of ${product.id} is ${moneyWords(product.price, publisher.currency)} per thousand.`, {
      field: `${at}.bid_price`,
    });
  const budget = given as number;
  const poor = budgetFault(budget, price, at, publisher.currency);
  if (poor) return poor;
  const impressions = impressionsFor(budget, price);
  if (typeof goal === 'number' && goal > impressions)
    return adcpFault('BUDGET_TOO_LOW', `The budget buys ${impressions} impressions, and ${goal} are asked for.`, { field: `${at}.budget` });
  const targeting = readOverlay(one['targeting_overlay'], at);
  if (!isTargeting(targeting)) return targeting;
  const within = packageFlight(one, at, flight);
  if (isFault(within)) return within;
  const asked: AskedPackage = {
    ...{ product_id: product.id, name: product.name, pricing_option_id: pricing, guaranteed: product.guaranteed, price, budget },
    impressions: typeof goal === 'number' ? Math.floor(goal) : impressions,
    ...{ paused: one['paused'] === true, ...within, targeting },
    targeting_overlay: one['targeting_overlay'] as AskedPackage['targeting_overlay'],
    creative_ids: assignedIds(one) ?? [],
  };
  return trafficFault(asked, free, at) ?? asked;
};

/** The creatives that a package assigns; undefined: it does not say. */
export const assignedIds = (one: Arguments): readonly string[] | undefined => {
  const assignments = one['creative_assignments'] as readonly { readonly creative_id: string }[] | undefined;
  return assignments && [...new Set(assignments.map(({ creative_id: id }) => id))];
};

const packageFlight = (one: Arguments, at: string, flight: Flight): Flight | AdcpFault => {
  const { start_time: start = flight.start_time, end_time: end = flight.end_time } = one as Partial<Flight>;
  const [from, to] = [Date.parse(start), Date.parse(end)];
  const isWithin = from >= Date.parse(flight.start_time) && to <= Date.parse(flight.end_time) && from < to;
  return isWithin
    ? { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString() }
    : adcpFault('INVALID_REQUEST', 'A package runs within the flight of its media buy.', { field: `${at}.start_time` });
};
