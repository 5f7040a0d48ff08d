import { isObject } from '../../base/narrow.ts';
import { readMediaBuys, MEDIA_BUY_STATUSES, type MediaBuyStatus } from '../../buys/read-media-buys.ts';
import { tell, type Arguments } from '../tool.ts';
import { adcpFault, isFault } from './adcp-fault.ts';
import { accountOf, type Buyer } from './buyer.ts';
import { MAX_LISTED } from './page-of.ts';
import type { BuyerTool, Seller } from './seller.ts';
import { showMediaBuy } from './show-media-buy.ts';

/** Advertisers whose media buys a call is about. */
export const advertisersOf = (given: Arguments, buyer: Buyer, seller: Seller) => {
  if (given['account'] === undefined) return buyer.accounts.map(({ id }) => id);
  const account = accountOf(buyer, given['account'], seller.isSandbox);
  return isFault(account) ? account : [account.id];
};

export const mediaBuyIds = (given: Arguments): readonly number[] | undefined =>
  (given['media_buy_ids'] as readonly string[] | undefined)?.map((id) => (/^\d{1,9}$/.test(id) ? Number(id) : 0));

export const getMediaBuys: BuyerTool = async (given, { seller, buyer }) => {
  const advertisers = advertisersOf(given, buyer, seller);
  if (isFault(advertisers)) return advertisers;
  const { pagination, status_filter: statuses = MEDIA_BUY_STATUSES } = given;
  const { max_results: max = MAX_LISTED, cursor } = isObject(pagination) ? pagination : {};
  const limit = Math.min(Math.max(Number(max) || MAX_LISTED, 1), MAX_LISTED);
  const ids = mediaBuyIds(given);
  const after = typeof cursor === 'string' ? Number(cursor) || 0 : 0;
  const wanted = { publisherId: buyer.publisher.id, advertisers, ids, after, limit: limit + 1 };
  const found = await readMediaBuys(seller.knex, wanted, seller.now());
  const page = found.slice(0, limit);
  const hasMore = found.length > limit;
  const isWanted = (status: MediaBuyStatus): boolean => (statuses as readonly string[] | string).includes(status);
  const missing =
    (given['media_buy_ids'] as readonly string[] | undefined)?.filter((id) => !page.some(({ row }) => String(row.id) === id)) ?? [];
  return tell({
    media_buys: page.filter(({ status }) => isWanted(status)).map((one) => showMediaBuy(one, { buyer, isSandbox: seller.isSandbox })),
    ...(missing.length > 0 &&
      !hasMore && {
        errors: missing.map((id) =>
          adcpFault('MEDIA_BUY_NOT_FOUND', `There is no media buy ${JSON.stringify(id)}.`, { field: 'media_buy_ids' }),
        ),
      }),
    pagination: { has_more: hasMore, ...(hasMore && { cursor: String(page.at(-1)!.row.id) }) },
  });
};
