import { assignCreatives } from '../../buys/buyer-creatives.ts';
import { readFreeImpressions, type FreeImpressions } from '../../buys/free-impressions.ts';
import { budgetOf, type BoughtPackage } from '../../buys/media-buy.ts';
import { changeMediaBuy, ownerOf } from '../../buys/media-buy-store.ts';
import { readMediaBuys, type MediaBuyNow, type PackageNow } from '../../buys/read-media-buys.ts';
import { asBooking } from '../../buys/request-media-buy.ts';
import type { RecordWriter } from '../../bookings/catalog-writer.ts';
import { ENTITY_KINDS, type EntityRecord } from '../../bookings/entity-kind.ts';
import type { Written } from '../../bookings/written.ts';
import { tell, type Arguments } from '../tool.ts';
import { adcpFault, isFault, type AdcpFault } from './adcp-fault.ts';
import { assignedIds, budgetFault, impressionsFor, notKept, trafficFault, type Flight } from './asked-packages.ts';
import { refusedBooking } from './create-media-buy.ts';
import { advertisersOf, mediaBuyIds } from './media-buys.ts';
import { readProducts, type Product } from './products.ts';
import type { BuyerCall, BuyerTool } from './seller.ts';
import { packageIdOf, showPackage, validActions } from './show-media-buy.ts';
import { isTargeting, readOverlay } from './targeting-overlay.ts';

/** What a package and its line item become. */
interface Changed {
  readonly bought: BoughtPackage;
  readonly fields: EntityRecord;
  readonly assigns: boolean;
}

export const updateMediaBuy: BuyerTool = async (given, call) => {
  const { seller, buyer } = call;
  const now = await findBuy(given, call);
  if (isFault(now)) return now;
  const wrong = stateFault(given, now);
  if (wrong) return wrong;
  const flight = readFlight(given, now, seller.now());
  if (isFault(flight)) return flight;
  const asked = (given['packages'] ?? []) as readonly Arguments[];
  const products = await readProducts(seller.knex, buyer.publisher);
  const free = await readFreeImpressions(seller.knex, buyer.publisher.id);
  const changes = new Map<number, Changed>();
  for (const [i, one] of asked.entries()) {
    const is = now.packages.find(({ bought }) => packageIdOf(bought) === one['package_id']);
    const changed = is ? changePackage(one, `packages[${i}]`, is, { products, free, currency: buyer.publisher.currency }) : NO_PACKAGE(i);
    if (isFault(changed)) return changed;
    changes.set(changed.bought.line_item_id, changed);
  }
  const packages = now.packages.map(({ bought }) => {
    const after = changes.get(bought.line_item_id)?.bought ?? bought;
    const inherits = after.start_time === now.row.asked.start_time && after.end_time === now.row.asked.end_time;
    return flight && inherits ? { ...after, ...flight } : after;
  });
  const isCanceled = given['canceled'] === true;
  const campaign: EntityRecord = {
    ...(typeof given['paused'] === 'boolean' && { active: !given['paused'] }),
    ...(isCanceled && { active: false }),
    ...(flight && { start_date: flight.start_time, end_date: flight.end_time }),
    ...(changes.size > 0 && { budget: budgetOf(packages) }),
  };
  const caller = asBooking(buyer.caller);
  const merge = (records: RecordWriter, table: 'campaigns' | 'line_items', id: number, fields: EntityRecord) =>
    records.merge({ kind: ENTITY_KINDS[table], id, caller }, fields);
  const written = await seller.writer.together(async (records, trx) => {
    const all: Written[] = [];
    if (Object.keys(campaign).length > 0) all.push(await merge(records, 'campaigns', now.row.campaign_id!, campaign));
    for (const one of packages) {
      const { fields = {}, assigns = false } = changes.get(one.line_item_id) ?? {};
      const times = flight && { start_date: one.start_time, end_date: one.end_time };
      const after = { ...fields, ...times, ...(isCanceled && { active: false }) };
      if (Object.keys(after).length > 0) all.push(await merge(records, 'line_items', one.line_item_id, after));
      if (assigns) all.push(...(await assignCreatives(records, trx, one, { owner: ownerOf(now.row), caller })));
    }
    if (all.some(({ ok }) => !ok)) return all;
    await changeMediaBuy(trx, now.row.id, {
      packages,
      ...(isCanceled && {
        canceled_at: new Date(seller.now()),
        cancellation_reason: (given['cancellation_reason'] as string | undefined) ?? null,
      }),
    });
    if (flight)
      await trx('media_buys')
        .where({ id: now.row.id })
        .update({ asked: JSON.stringify({ ...now.row.asked, ...flight }) });
    return all;
  });
  const refused = written.flatMap((one) => (one.ok ? [] : [one]));
  if (refused.some(({ refusal }) => refusal === 'approval_required'))
    return adcpFault(
      'REQUOTE_REQUIRED',
      `The publisher has to agree to this change: ${refused.flatMap(({ faults }) => faults.map(({ detail }) => detail)).join('; ')}.`,
      {
        suggestion: 'Ask the publisher, or buy it as a new media buy, which waits for its approval.',
      },
    );
  if (refused.length > 0) return refusedBooking(refused.flatMap(({ faults }) => faults));
  seller.refreshForecast(buyer.publisher.id);
  const after = await findBuy(given, call);
  if (isFault(after)) return after;
  const touched = after.packages.filter(({ bought }) => changes.has(bought.line_item_id));
  return tell({
    ...{ media_buy_id: String(after.row.id), status: after.status, revision: after.row.revision },
    implementation_date: new Date(seller.now()).toISOString(),
    ...{ affected_packages: touched.map(showPackage), valid_actions: validActions(after) },
  });
};

const NO_PACKAGE = (i: number): AdcpFault =>
  adcpFault('PACKAGE_NOT_FOUND', 'The media buy has no such package.', { field: `packages[${i}].package_id` });

const findBuy = async (given: Arguments, { seller, buyer }: BuyerCall): Promise<MediaBuyNow | AdcpFault> => {
  const advertisers = advertisersOf(given, buyer, seller);
  if (isFault(advertisers)) return advertisers;
  const ids = mediaBuyIds({ media_buy_ids: [given['media_buy_id']] });
  const [now] = await readMediaBuys(seller.knex, { publisherId: buyer.publisher.id, advertisers, ids, limit: 1 }, seller.now());
  return now ?? adcpFault('MEDIA_BUY_NOT_FOUND', 'There is no such media buy.', { field: 'media_buy_id' });
};

const stateFault = (given: Arguments, { row, status }: MediaBuyNow): AdcpFault | undefined => {
  const isOver = status === 'canceled' || status === 'completed' || status === 'rejected';
  if (isOver && given['canceled'] === true) return adcpFault('NOT_CANCELLABLE', `The media buy is ${status}: it cannot be canceled.`);
  if (isOver) return adcpFault('INVALID_STATE', `The media buy is ${status}: it cannot be changed.`);
  if (given['revision'] !== undefined && given['revision'] !== row.revision)
    return adcpFault('CONFLICT', `The media buy has the revision ${row.revision}: read it again.`, { field: 'revision' });
  const field = ['new_packages', 'reporting_webhook', 'invoice_recipient'].find((name) => given[name] !== undefined);
  return field === undefined ? undefined : adcpFault('UNSUPPORTED_FEATURE', `${field} is not understood in a change.`, { field });
};

/** The new flight; undefined: it stays. */
const readFlight = (given: Arguments, { row }: MediaBuyNow, nowMs: number): Flight | undefined | AdcpFault => {
  if (given['start_time'] === undefined && given['end_time'] === undefined) return undefined;
  const was = { startMs: Date.parse(row.asked.start_time), endMs: Date.parse(row.asked.end_time) };
  const at = (name: string, otherwise: number): number =>
    given[name] === undefined ? otherwise : given[name] === 'asap' ? nowMs : Date.parse(given[name] as string);
  const [startMs, endMs] = [at('start_time', was.startMs), at('end_time', was.endMs)];
  const wrong = (words: string, field: string): AdcpFault => adcpFault('INVALID_REQUEST', words, { field });
  if (Number.isNaN(startMs) || Number.isNaN(endMs) || endMs <= startMs) return wrong('The end must be after the start.', 'end_time');
  if (startMs !== was.startMs && Math.min(startMs, was.startMs) < nowMs - 1_000)
    return wrong('A flight that has begun keeps its start, and none begins in the past.', 'start_time');
  if (endMs <= nowMs) return wrong('The end is in the past: cancel or pause the media buy instead.', 'end_time');
  return { start_time: new Date(startMs).toISOString(), end_time: new Date(endMs).toISOString() };
};

interface ChangeOf {
  readonly products: readonly Product[];
  readonly free: FreeImpressions;
  readonly currency: string;
}

const changePackage = (
  one: Arguments,
  at: string,
  { bought: was }: PackageNow,
  { products, free, currency }: ChangeOf,
): Changed | AdcpFault => {
  if (was.canceled_at !== undefined)
    return one['canceled'] === true
      ? adcpFault('NOT_CANCELLABLE', 'The package is canceled already.', { field: at })
      : adcpFault('INVALID_STATE', 'The package is canceled: it cannot be changed.', { field: at });
  const lost = notKept(one, at);
  if (lost) return lost;
  const { budget = was.budget, bid_price: bid = was.price, paused, canceled } = one as Partial<Readonly<Record<string, never>>>;
  const price = was.guaranteed ? was.price : Number(bid);
  const floor = products.find(({ id }) => id === was.product_id)?.price ?? 0;
  if (!was.guaranteed && price < floor)
    return adcpFault('BUDGET_TOO_LOW', `The floor of ${was.product_id} is ${floor} per thousand.`, { field: `${at}.bid_price` });
  const poor = budgetFault(Number(budget), price, at, currency);
  if (poor) return poor;
  const impressions = Number(budget) === was.budget ? was.impressions : impressionsFor(Number(budget), price);
  const overlay = one['targeting_overlay'];
  const targeting = overlay === undefined ? was.targeting : readOverlay(overlay, at);
  if (!isTargeting(targeting)) return targeting;
  const bought: BoughtPackage = {
    ...was,
    ...{ budget: Number(budget), price, impressions, targeting, creative_ids: assignedIds(one) ?? was.creative_ids },
    ...(overlay !== undefined && { targeting_overlay: overlay as EntityRecord }),
    ...(canceled === true && { canceled_at: new Date().toISOString() }),
  };
  const more = trafficFault({ ...bought, impressions: impressions - was.impressions }, free, at);
  if (more) return more;
  const isPriced = bought.budget !== was.budget || price !== was.price;
  return {
    bought,
    assigns: assignedIds(one) !== undefined,
    fields: {
      ...(isPriced && { budget: bought.budget, cpm: price, ...(was.guaranteed && { goal_impressions: impressions }) }),
      ...(overlay !== undefined && { targeting: bought.targeting }),
      ...(typeof paused === 'boolean' && { active: !paused }),
      ...(canceled === true && { active: false }),
    },
  };
};
