import type { ApprovalState } from '../../approvals/approval-store.ts';
import { findMediaBuy, type MediaBuyRow } from '../../buys/media-buy-store.ts';
import { readMediaBuys } from '../../buys/read-media-buys.ts';
import { tell } from '../tool.ts';
import { adcpFault } from './adcp-fault.ts';
import type { BuyerCall, BuyerTool } from './seller.ts';
import { showBought } from './show-media-buy.ts';

/** A task is a media buy that a person decides on. */
export const taskIdOf = (mediaBuyId: number): string => `media_buy_${mediaBuyId}`;
const mediaBuyOf = (taskId: unknown): number => Number(/^media_buy_(\d{1,9})$/.exec(String(taskId))?.[1] ?? 0);

const STATUS = {
  open: 'submitted',
  approved: 'completed',
  sent_back: 'rejected',
  withdrawn: 'canceled',
  expired: 'rejected',
} as const satisfies Readonly<Record<ApprovalState, string>>;

export const getTask: BuyerTool = async ({ task_id: taskId }, { seller, buyer }) => {
  const row = await findMediaBuy(seller.knex, mediaBuyOf(taskId));
  const isOwn = row?.publisher_id === buyer.publisher.id && buyer.accounts.some(({ id }) => id === row.advertiser_id);
  if (!row || !isOwn) return adcpFault('REFERENCE_NOT_FOUND', 'There is no such task.', { field: 'task_id' });
  return tell(await showTask(row, { seller }));
};

/** A task, as it is asked for and as webhooks tell it. */
export const showTask = async (row: MediaBuyRow, { seller }: Pick<BuyerCall, 'seller'>) => {
  const decided = row.approval_id === null ? undefined : await seller.approvals.find(null, row.approval_id);
  const status = row.campaign_id !== null ? 'completed' : STATUS[decided?.state ?? 'sent_back'];
  const wanted = { publisherId: row.publisher_id, advertisers: [row.advertiser_id], ids: [row.id], limit: 1 };
  const [bought] = row.campaign_id === null ? [] : await readMediaBuys(seller.knex, wanted, seller.now());
  const at = (decided?.decided_at ?? row.updated_at).toISOString();
  const why = decided?.words ?? (decided?.state === 'expired' ? 'The publisher did not decide in time.' : 'The publisher refused it.');
  return {
    ...{ task_id: taskIdOf(row.id), task_type: 'create_media_buy', protocol: 'media-buy', status },
    ...{ created_at: row.created_at.toISOString(), updated_at: at },
    ...(status !== 'submitted' && { completed_at: at }),
    ...(bought && { result: showBought(bought) }),
    ...((status === 'rejected' || status === 'canceled') && { message: why, error: { code: 'TERMS_REJECTED', message: why } }),
  };
};
