import { budgetOf, type BoughtPackage } from '../../buys/media-buy.ts';
import type { MediaBuyNow, PackageNow } from '../../buys/read-media-buys.ts';
import { type Buyer, showAccount } from './buyer.ts';

export interface ShowBuy {
  readonly buyer: Buyer;
  readonly isSandbox: boolean;
}

const ACTIONS = {
  pending_creatives: ['cancel', 'update_budget', 'update_dates', 'update_packages', 'sync_creatives'],
  pending_start: ['cancel', 'update_budget', 'update_dates', 'update_packages', 'sync_creatives'],
  active: ['pause', 'cancel', 'update_budget', 'update_dates', 'update_packages', 'sync_creatives'],
  paused: ['resume', 'cancel', 'update_budget', 'update_dates', 'update_packages', 'sync_creatives'],
  completed: [],
  rejected: [],
  canceled: [],
} as const;

export const validActions = ({ status }: Pick<MediaBuyNow, 'status'>): readonly string[] => ACTIONS[status];

const approvalOf = { draft: 'pending_review', pending: 'pending_review', approved: 'approved', rejected: 'rejected' } as const;

export const packageIdOf = ({ line_item_id: id }: Pick<BoughtPackage, 'line_item_id'>): string => String(id);

/** A package, as purchases and changes answer it. */
export const showPackage = ({ bought, lineItem }: PackageNow) => ({
  ...{ package_id: packageIdOf(bought), product_id: bought.product_id, pricing_option_id: bought.pricing_option_id, budget: bought.budget },
  ...{ impressions: bought.impressions, start_time: bought.start_time, end_time: bought.end_time },
  ...(!bought.guaranteed && { bid_price: bought.price }),
  ...(bought.targeting_overlay && { targeting_overlay: bought.targeting_overlay }),
  ...(bought.creative_ids.length > 0 && { creative_assignments: bought.creative_ids.map((id) => ({ creative_id: id })) }),
  paused: lineItem?.active !== true,
  canceled: bought.canceled_at !== undefined,
  ...(bought.canceled_at !== undefined && { cancellation: { canceled_at: bought.canceled_at, canceled_by: 'buyer' } }),
});

const creativeApprovals = ({ creatives }: PackageNow) =>
  creatives.flatMap(({ creativeId, record }) => (record ? [{ creative_id: creativeId, approval_status: approvalOf[record.status] }] : []));

/** What a purchase answers, and the artifact of a task. */
export const showBought = (now: MediaBuyNow) => ({
  ...{ media_buy_id: String(now.row.id), status: now.status, confirmed_at: now.row.confirmed_at?.toISOString() },
  ...{ revision: now.row.revision, valid_actions: validActions(now), packages: now.packages.map(showPackage) },
});

/** A media buy in a list. */
export const showMediaBuy = (now: MediaBuyNow, { buyer, isSandbox }: ShowBuy) => {
  const { row, packages } = now;
  const { currency } = buyer.publisher;
  const account = buyer.accounts.find(({ id }) => id === row.advertiser_id);
  return {
    ...showBought(now),
    ...(account && { account: showAccount(account, isSandbox) }),
    ...{ currency, total_budget: budgetOf(packages.map(({ bought }) => bought)) },
    ...{ start_time: row.asked.start_time, end_time: row.asked.end_time },
    ...(row.canceled_at && {
      cancellation: {
        ...{ canceled_at: row.canceled_at.toISOString(), canceled_by: 'buyer' },
        ...(row.cancellation_reason !== null && { reason: row.cancellation_reason }),
      },
    }),
    ...{ created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() },
    packages: packages.map((one) => ({ ...showPackage(one), currency, creative_approvals: creativeApprovals(one) })),
  };
};
