import type { Knex } from 'knex';
import { MS_PER_DAY, MS_PER_MINUTE } from '../../base/utc-day.ts';
import { isObject } from '../../base/narrow.ts';
import type { Fault } from '../../base/fault.ts';
import { readFreeImpressions, type FreeImpressions } from '../../buys/free-impressions.ts';
import { budgetOf, type AskedPackage } from '../../buys/media-buy.ts';
import { readMediaBuys } from '../../buys/read-media-buys.ts';
import { tell, type Arguments } from '../tool.ts';
import { adcpFault, fieldAt, isFault, type AdcpFault } from './adcp-fault.ts';
import { readPackage, trafficFault, type Flight } from './asked-packages.ts';
import { accountOf } from './buyer.ts';
import { readProducts } from './products.ts';
import { readWebhook } from './read-webhook.ts';
import type { BuyerTool } from './seller.ts';
import { showBought } from './show-media-buy.ts';
import { taskIdOf } from './tasks.ts';

const MAX_FLIGHT_DAYS = 730;
/** By which clocks may differ, and a call may be late. */
const PAST_MS = 5 * MS_PER_MINUTE;

export const createMediaBuy: BuyerTool = async (given, { seller, buyer }) => {
  const account = accountOf(buyer, given['account'], seller.isSandbox);
  if (isFault(account)) return account;
  const nowMs = seller.now();
  const flight = readFlight(given, nowMs);
  if (isFault(flight)) return flight;
  const { publisher } = buyer;
  const [products, free] = await Promise.all([readProducts(seller.knex, publisher), readFreeImpressions(seller.knex, publisher.id)]);
  const read = (given['packages'] as readonly Arguments[]).map((one, i) =>
    readPackage(one, `packages[${i}]`, { publisher, products, free, flight }),
  );
  const [first, ...others] = read.filter(isFault);
  if (first) return [first, ...others];
  const packages = read as readonly AskedPackage[];
  const strange = together(packages, free) ?? totalFault(given, packages, publisher.currency) ?? lostMember(given);
  if (strange) return strange;
  const webhook = readWebhook(given['push_notification_config'], seller);
  if (webhook && isFault(webhook)) return webhook;
  const order = given['po_number'];
  const orderNumber = typeof order === 'string' && order.trim() !== '' ? order.slice(0, 64) : null;
  const asked = {
    name: [account.name, ...(orderNumber === null ? [] : [orderNumber]), flight.start_time.slice(0, 10)].join(', ').slice(0, 200),
    order_number: orderNumber,
    ...flight,
    packages,
  };
  const owner = { publisherId: publisher.id, advertiserId: account.id };
  const isFree = async (trx: Knex): Promise<boolean> => {
    const now = await readFreeImpressions(trx, publisher.id);
    return !packages.some((one, i) => trafficFault(one, now, `packages[${i}]`)) && !together(packages, now);
  };
  const requested = await seller.requestMediaBuy({ owner, asked, webhook, doubts: doubtsOf(packages, free), isFree }, buyer.caller);
  seller.refreshForecast(publisher.id);
  switch (requested.kind) {
    case 'refused':
      return refusedBooking(requested.faults);
    case 'taken':
      return adcpFault('PRODUCT_UNAVAILABLE', 'Someone else has just bought this traffic: ask get_products what is left.');
    case 'full':
      return adcpFault('RATE_LIMITED', 'Too many media buys wait for the approval of the publisher: try again when some are decided.', {
        retry_after: 3_600,
      });
    case 'waits':
      return tell({
        ...{ status: 'submitted', task_id: taskIdOf(requested.id) },
        message: 'A person of the publisher decides on this media buy. Ask tasks/get, or wait for the webhook.',
      });
    case 'booked': {
      const wanted = { publisherId: publisher.id, advertisers: [account.id], ids: [requested.id], limit: 1 };
      const [bought] = await readMediaBuys(seller.knex, wanted, nowMs);
      return tell({ ...showBought(bought!), ...(seller.isSandbox && { sandbox: true }) });
    }
  }
};

const readFlight = ({ start_time: start, end_time: end }: Arguments, nowMs: number): Flight | AdcpFault => {
  const startMs = start === 'asap' ? nowMs : Date.parse(String(start));
  const endMs = Date.parse(String(end));
  const wrong = (words: string, field: string): AdcpFault => adcpFault('INVALID_REQUEST', words, { field });
  if (Number.isNaN(startMs)) return wrong('The start must be a time of RFC 3339, or asap.', 'start_time');
  if (endMs <= startMs) return wrong('The end must be after the start.', 'end_time');
  if (startMs < nowMs - PAST_MS) return wrong('The start is in the past: nothing can be shown there.', 'start_time');
  if (endMs - startMs > MAX_FLIGHT_DAYS * MS_PER_DAY) return wrong(`A flight has ${MAX_FLIGHT_DAYS} days at most.`, 'end_time');
  return { start_time: new Date(startMs).toISOString(), end_time: new Date(endMs).toISOString() };
};

/** Packages of one product share its traffic. */
const together = (packages: readonly AskedPackage[], free: FreeImpressions): AdcpFault | undefined => {
  for (const { product_id: id } of packages) {
    const same = packages.filter((one) => one.guaranteed && one.product_id === id);
    if (same.length < 2) continue;
    const [startMs, endMs] = [Math.min(...same.map(startOf)), Math.max(...same.map(endOf))];
    const is = free.of(id, { startMs, endMs });
    const wanted = same.reduce((sum, { impressions }) => sum + impressions, 0);
    if (is && wanted > is.free)
      return adcpFault('PRODUCT_UNAVAILABLE', `${id} has ${is.free} free impressions, and the packages ask for ${wanted} together.`, {
        field: 'packages',
      });
  }
  return undefined;
};
const startOf = ({ start_time: start }: AskedPackage): number => Date.parse(start);
const endOf = ({ end_time: end }: AskedPackage): number => Date.parse(end);

const totalFault = ({ total_budget: total }: Arguments, packages: readonly AskedPackage[], currency: string): AdcpFault | undefined => {
  if (!isObject(total)) return undefined;
  const field = 'total_budget';
  if (total['currency'] !== undefined && total['currency'] !== currency)
    return adcpFault('INVALID_REQUEST', `The publisher sells in ${currency}.`, { field: `${field}.currency` });
  const sum = budgetOf(packages);
  return typeof total['amount'] === 'number' && total['amount'] < sum
    ? adcpFault('INVALID_REQUEST', `The packages cost ${sum}, more than the total budget.`, { field: `${field}.amount` })
    : undefined;
};

/** Members of the whole that would change what is bought. */
const NOT_KEPT = ['proposal_id', 'reporting_webhook', 'artifact_webhook', 'invoice_recipient', 'io_acceptance'];
const lostMember = (given: Arguments): AdcpFault | undefined => {
  const field = NOT_KEPT.find((name) => given[name] !== undefined);
  return field === undefined
    ? undefined
    : adcpFault('UNSUPPORTED_FEATURE', `${field} is not agreed to here, and nothing was booked.`, { field });
};

/** Where nothing says whether the traffic is there, a person decides. */
const doubtsOf = (packages: readonly AskedPackage[], free: FreeImpressions): readonly Fault[] =>
  packages.flatMap((one) =>
    one.guaranteed && !free.of(one.product_id, { startMs: startOf(one), endMs: endOf(one) })
      ? [{ pointer: '', detail: `the traffic of ${one.product_id} is not known yet` }]
      : [],
  );

/** A refusal of the booking, by the members of the media buy. */
export const refusedBooking = (faults: readonly Fault[]): readonly [AdcpFault, ...AdcpFault[]] => {
  const [first, ...others] = faults.map(({ pointer, detail }) => {
    const field = fieldAt(pointer.replace(/^\/line_items\/(\d+)\/fields/, '/packages/$1').replace(/^\/campaign\/fields/, ''));
    return adcpFault('VALIDATION_ERROR', `${field} ${detail}`.trim(), field === '' ? {} : { field });
  });
  return first ? [first, ...others] : [adcpFault('CONFLICT', 'The booking was refused: try again.', { retry_after: 1 })];
};
