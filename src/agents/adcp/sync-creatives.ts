import { isObject } from '../../base/narrow.ts';
import { newCreativesWait } from '../../bookings/creative-approval.ts';
import { assignCreatives, findCreatives, putCreative, type BuyerCreative } from '../../buys/buyer-creatives.ts';
import type { BuyOwner } from '../../buys/media-buy.ts';
import { changeMediaBuy } from '../../buys/media-buy-store.ts';
import { readMediaBuys, type MediaBuyNow } from '../../buys/read-media-buys.ts';
import { asBooking } from '../../buys/request-media-buy.ts';
import { tell, type Arguments } from '../tool.ts';
import { adcpFault, isFault, type AdcpFault } from './adcp-fault.ts';
import { accountOf } from './buyer.ts';
import { isAd, readAssets } from './formats.ts';
import { formatsOfAll, readProducts, type Product } from './products.ts';
import { pageOf } from './page-of.ts';
import { packageIdOf } from './show-media-buy.ts';
import type { BuyerCall, BuyerTool, Seller } from './seller.ts';

/** Media buys of an account that are looked at when a creative changes. */
export const MAX_BUYS = 1_000;

type Outcome =
  { readonly action: 'created' | 'updated' | 'unchanged' } | { readonly action: 'failed'; readonly errors: readonly AdcpFault[] };

/** Takes creatives into the library of an account, and makes packages show them. Each is taken or refused by itself. */
export const syncCreatives: BuyerTool = async (given, { seller, buyer }) => {
  const account = accountOf(buyer, given['account'], seller.isSandbox);
  if (isFault(account)) return account;
  const owner = { publisherId: buyer.publisher.id, advertiserId: account.id };
  const products = await readProducts(seller.knex, buyer.publisher);
  const isDry = given['dry_run'] === true;
  const sent = given['creatives'] as readonly Arguments[];
  const outcomes = new Map<string, Outcome>();
  for (const one of sent) {
    const creative = readCreative(one, products, seller);
    const id = String(one['creative_id']);
    if (isFault(creative)) outcomes.set(id, { action: 'failed', errors: [creative] });
    else outcomes.set(id, { action: isDry ? 'unchanged' : await putCreative(seller.knex, owner, creative) });
  }
  const taken = [...outcomes].flatMap(([id, { action }]) => (action === 'failed' ? [] : [id]));
  const assigned = isDry ? NONE : await assign(given, taken, owner, { seller, buyer });
  const status = await statusOfNew(seller, owner);
  return tell({
    ...(isDry && { dry_run: true }),
    creatives: [...outcomes].map(([id, outcome]) => {
      const packages = assigned.packages.get(id) ?? [];
      const failed = assigned.faults.get(id);
      return {
        ...{ creative_id: id, ...outcome },
        ...(outcome.action !== 'failed' && { status }),
        ...(packages.length > 0 && { assigned_to: packages }),
        ...(failed && { assignment_errors: failed }),
      };
    }),
  });
};

const ID_FORM = /^[^\s:](?:[^:]{0,98}[^\s:])?$/;

const readCreative = (one: Arguments, products: readonly Product[], { agentUrl }: Seller): BuyerCreative | AdcpFault => {
  const { creative_id: id, name, format_id: formatId, assets } = one;
  if (typeof id !== 'string' || !ID_FORM.test(id))
    return adcpFault('INVALID_REQUEST', 'A creative_id has 1 to 100 characters, without colons.', { field: 'creative_id' });
  const { agent_url: url = agentUrl, id: wanted } = isObject(formatId) ? formatId : {};
  const format = url === agentUrl ? formatsOfAll(products).find((each) => each.id === wanted) : undefined;
  if (!format)
    return adcpFault('CREATIVE_REJECTED', `No product here takes the format ${JSON.stringify(wanted)} of ${JSON.stringify(url)}.`, {
      ...{ field: 'format_id', suggestion: 'Take one of list_creative_formats.' },
    });
  const fields = readAssets(format, assets);
  return isAd(fields)
    ? { creative_id: id, name: (typeof name === 'string' ? name : id).slice(0, 256), format_id: format.id, fields }
    : fields;
};

interface Assigned {
  /** Ids of packages by creative. */
  readonly packages: ReadonlyMap<string, readonly string[]>;
  /** Words by package, by creative. */
  readonly faults: ReadonlyMap<string, Readonly<Record<string, string>>>;
}
const NONE: Assigned = { packages: new Map(), faults: new Map() };

/** Adds assignments, and gives packages that have a creative its new content. */
const assign = async (
  given: Arguments,
  taken: readonly string[],
  owner: BuyOwner,
  { seller, buyer }: Omit<BuyerCall, 'call'>,
): Promise<Assigned> => {
  const asked = (given['assignments'] ?? []) as readonly { readonly creative_id: string; readonly package_id: string }[];
  const wanted = { publisherId: owner.publisherId, advertisers: [owner.advertiserId], limit: MAX_BUYS };
  const buys = (await readMediaBuys(seller.knex, wanted, seller.now())).filter(isOpen);
  const packages = new Map<string, string[]>();
  const faults = new Map<string, Record<string, string>>();
  const fail = (creative: string, id: string, words: string): void => void faults.set(creative, { ...faults.get(creative), [id]: words });
  const known = new Set(buys.flatMap((buy) => buy.packages.map(({ bought }) => packageIdOf(bought))));
  for (const { creative_id: creative, package_id: id } of asked)
    if (!known.has(id)) fail(creative, id, 'There is no such package that can still be shown.');
  for (const buy of buys) {
    const changed = buy.packages.flatMap(({ bought, creatives }) => {
      const id = packageIdOf(bought);
      const added = asked.flatMap((one) => (one.package_id === id && taken.includes(one.creative_id) ? [one.creative_id] : []));
      const ids = [...new Set([...creatives.map(({ creativeId }) => creativeId), ...added])];
      return ids.some((one) => taken.includes(one)) ? [{ id, bought: { ...bought, creative_ids: ids } }] : [];
    });
    if (changed.length === 0) continue;
    const written = await seller.writer.together(async (records, trx) => {
      const all = [];
      for (const { bought } of changed)
        all.push(...(await assignCreatives(records, trx, bought, { owner, caller: asBooking(buyer.caller) })));
      const after = buy.packages.map(
        ({ bought }) => changed.find((one) => one.bought.line_item_id === bought.line_item_id)?.bought ?? bought,
      );
      if (all.every(({ ok }) => ok)) await changeMediaBuy(trx, buy.row.id, { packages: after });
      return all;
    });
    const [fault] = written.flatMap((one) => (one.ok ? [] : one.faults));
    for (const { id, bought } of changed)
      for (const creative of bought.creative_ids.filter((one) => taken.includes(one))) {
        if (written.every(({ ok }) => ok)) packages.set(creative, [...(packages.get(creative) ?? []), id]);
        else fail(creative, id, fault ? `${fault.pointer} ${fault.detail}` : 'It was refused.');
      }
  }
  return { packages, faults };
};

const isOpen = ({ status }: MediaBuyNow): boolean => status !== 'canceled' && status !== 'completed';

const statusOfNew = async ({ knex }: Seller, { publisherId }: BuyOwner): Promise<'pending_review' | 'approved'> =>
  (await newCreativesWait(knex, { publisher_id: publisherId })) ? 'pending_review' : 'approved';

export const listCreatives: BuyerTool = async (given, { seller, buyer }) => {
  const { filters } = given;
  const ids = isObject(filters) ? (filters['creative_ids'] as readonly string[] | undefined) : undefined;
  const accounts = given['account'] === undefined ? buyer.accounts : [accountOf(buyer, given['account'], seller.isSandbox)];
  const [first] = accounts;
  if (first && isFault(first)) return first;
  const all = [];
  for (const account of accounts) {
    if (isFault(account)) return account;
    const owner = { publisherId: buyer.publisher.id, advertiserId: account.id };
    const status = await statusOfNew(seller, owner);
    all.push(...(await findCreatives(seller.knex, owner, ids)).map((one) => ({ ...one, status })));
  }
  const { page, pagination } = pageOf(all, given['pagination']);
  return tell({
    creatives: page.map(({ creative_id, name, format_id, created_at, updated_at, status }) => ({
      ...{ creative_id, name, status, format_id: { agent_url: seller.agentUrl, id: format_id } },
      ...{ created_date: created_at.toISOString(), updated_date: updated_at.toISOString() },
    })),
    query_summary: { total_matching: all.length, returned: page.length, filters_applied: ids ? ['creative_ids'] : [] },
    pagination,
  });
};
