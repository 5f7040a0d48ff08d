import { createHmac } from 'node:crypto';
import type { GuardedDispatchers } from '../../bidders/calls/guarded-dispatcher.ts';
import { readBidderUrl } from '../../bidders/calls/read-bidder-url.ts';
import type { BuyWebhook, MediaBuyRow } from '../../buys/media-buy-store.ts';
import { createSendDue } from '../../reports/send-due.ts';
import { postBody } from '../../reports/send-report.ts';
import { WEBHOOK_PURPOSE } from './read-webhook.ts';
import type { Seller } from './seller.ts';
import { showTask } from './tasks.ts';

interface DueWebhook extends MediaBuyRow {
  readonly webhook_url: string;
  readonly webhook_scheme: BuyWebhook['scheme'];
  readonly webhook_secret: string;
  readonly webhook_tries: number;
}

/** Of an attempt: longer than one takes. */
const LEASE = `interval '5 minutes'`;
const DECIDED = `exists (select from approvals where approvals.id = approval_id and (state <> 'open' or expires_at <= now()))`;

export interface TaskWebhooksOptions {
  readonly seller: Seller;
  readonly dispatchers: GuardedDispatchers;
  readonly onFailure: (fault: Error) => void;
  readonly onNotSent: (fault: Error) => void;
}

/** Tells buyers what became of media buys that people of the publisher decide on, by the webhooks of their tasks. */
export const createTaskWebhooks = ({ seller, dispatchers, onFailure, onNotSent }: TaskWebhooksOptions) => {
  const { knex } = seller;
  const send = async (row: DueWebhook): Promise<void> => {
    const url = readBidderUrl(row.webhook_url, seller);
    const secret = seller.secretBox.open(row.webhook_secret, WEBHOOK_PURPOSE);
    if (typeof url === 'string' || secret === undefined) throw new Error('The webhook of a media buy cannot be called.');
    const { created_at: _, updated_at: timestamp, ...task } = await showTask(row, { seller });
    const body = Buffer.from(JSON.stringify({ idempotency_key: `media_buy_task_${row.id}_${task.status}`, timestamp, ...task }));
    await postBody(dispatchers, url, body, {
      'content-type': 'application/json',
      ...signature(row.webhook_scheme, secret, body, seller.now()),
    });
  };
  const due = () =>
    knex.raw<{ rows: DueWebhook[] }>(
      `update media_buys set webhook_due_at = now() + ${LEASE} where id = (
         select id from media_buys where webhook_url is not null and (webhook_due_at is null or webhook_due_at <= now()) and ${DECIDED}
         order by id limit 1 for update skip locked
       ) returning *`,
    );
  const NONE = { webhook_url: null, webhook_scheme: null, webhook_secret: null, webhook_due_at: null };
  return createSendDue<DueWebhook>({
    store: {
      takeDue: async () => (await due()).rows[0],
      sent: async ({ id }) => void (await knex('media_buys').where({ id }).update(NONE)),
      failed: async ({ id }, _fault, retryMs) => {
        const later = { webhook_due_at: new Date(seller.now() + (retryMs ?? 0)), webhook_tries: knex.raw('webhook_tries + 1') };
        await knex('media_buys')
          .where({ id })
          .update(retryMs === null ? NONE : later);
      },
    },
    ...{ send, attemptsOf: (row) => row.webhook_tries, dispatchers, onFailure, onNotSent },
  });
};

/** As the protocol has it for receivers that have given their credentials. */
const signature = (scheme: BuyWebhook['scheme'], secret: string, body: Buffer, nowMs: number): Readonly<Record<string, string>> => {
  if (scheme === 'Bearer') return { authorization: `Bearer ${secret}` };
  const seconds = String(Math.floor(nowMs / 1_000));
  const digest = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return { 'x-adcp-timestamp': seconds, 'x-adcp-signature': `sha256=${digest}` };
};
