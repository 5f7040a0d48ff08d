import type { Knex } from 'knex';
import type { SentRecordStore } from '../reports/sent-records.ts';
import type { AlertRecipient } from './alert-api.ts';
import { mutedBy, type StoredAlert } from './alert-store.ts';
import { NEXT_DIGEST } from './digest-store.ts';

/** As it is stored; `webhookSecret` is sealed. */
export interface StoredRecipient extends AlertRecipient {
  readonly id: number;
  /** Who set it up: what this person mutes is not sent. */
  readonly owner: string;
  readonly webhookSecret: string | null;
  readonly attempts: number;
  /** When something was last sent, or could not be, and why not. */
  readonly lastAt: Date | null;
  readonly lastFault: string | null;
}

/** A recipient and the alerts that it has not been sent. */
export interface DueMessage {
  readonly recipient: StoredRecipient;
  readonly alerts: readonly Pick<StoredAlert, 'id' | 'kind' | 'entity' | 'entityId' | 'publisherId' | 'words' | 'openedAt'>[];
}

/** Each method rejects when Postgres is unavailable. */
export interface RecipientStore extends SentRecordStore<AlertRecipient, StoredRecipient> {
  /** A recipient with alerts to send, taken for LEASE: no other replica gets it meanwhile. */
  takeDue(): Promise<DueMessage | undefined>;
  sent(message: DueMessage): Promise<void>;
  /** @param retryMs null: these alerts are given up */
  failed(message: DueMessage, fault: string, retryMs: number | null): Promise<void>;
}

export const MAX_RECIPIENTS = 100;
/** Alerts in one message. */
const MAX_IN_MESSAGE = 50;
/** Longer than an attempt takes. */
const LEASE = `interval '2 minutes'`;

const COLUMNS = `id, owner, kinds, publisher_id, emails, webhook, digest, webhook_secret as "webhookSecret", attempts, last_at as "lastAt", last_fault as "lastFault"`;

export const createRecipientStore = ({ knex }: { readonly knex: Knex }): RecipientStore => {
  const query = async <Row = StoredRecipient>(sql: string, bindings: object = {}): Promise<readonly Row[]> =>
    (await knex.raw<{ rows: Row[] }>(sql, bindings as Record<string, Knex.RawBinding>)).rows;
  /** Its publisher, whose morning it is, may have changed. */
  const withMorning = async (stored: readonly StoredRecipient[]): Promise<readonly StoredRecipient[]> => {
    await query(`update alert_recipients set digest_at = ${NEXT_DIGEST} where id = any(:ids) and digest`, {
      ids: stored.map(({ id }) => id),
    });
    return stored;
  };
  /** Takes the alerts of a message from the queue; what was queued meanwhile is due now. */
  const ended = ({ recipient, alerts }: DueMessage, fault: string | null): Promise<unknown> =>
    knex.transaction(async (trx) => {
      await trx('alert_messages')
        .where({ recipient_id: recipient.id })
        .whereIn(
          'alert_id',
          alerts.map(({ id }) => id),
        )
        .delete();
      await trx.raw(
        `update alert_recipients set attempts = 0, last_at = now(), last_fault = :fault,
           try_at = (select now() where exists (select from alert_messages where recipient_id = :id)) where id = :id`,
        { id: recipient.id, fault } as Record<string, Knex.RawBinding>,
      );
    });
  return {
    list: () => query(`select ${COLUMNS} from alert_recipients order by id limit ${MAX_RECIPIENTS}`),
    find: async (id) => (await query(`select ${COLUMNS} from alert_recipients where id = :id`, { id }))[0],
    create: async ({ name: owner }, recipient, webhookSecret) =>
      (
        await query(
          `insert into alert_recipients (owner, kinds, publisher_id, emails, webhook, digest, webhook_secret)
           values (:owner, :kinds, :publisher_id, :emails, :webhook, :digest, :webhookSecret) returning ${COLUMNS}`,
          { owner, ...recipient, webhookSecret },
        ).then(withMorning)
      )[0] as StoredRecipient,
    update: async (id, recipient, webhookSecret) =>
      (
        await query(
          `update alert_recipients set kinds = :kinds, publisher_id = :publisher_id, emails = :emails, webhook = :webhook,
             digest = :digest, webhook_secret = :webhookSecret, attempts = 0 where id = :id returning ${COLUMNS}`,
          { id, ...recipient, webhookSecret },
        ).then(withMorning)
      )[0],
    remove: async (id) => (await knex('alert_recipients').where({ id }).delete()) > 0,
    takeDue: async () => {
      const [recipient] = await query(
        `update alert_recipients set try_at = now() + ${LEASE}
         where id = (select id from alert_recipients where try_at <= now() order by try_at limit 1 for update skip locked) returning ${COLUMNS}`,
      );
      if (!recipient) return undefined;
      const alerts = await query<DueMessage['alerts'][number]>(
        `select a.id, a.kind, a.entity, a.entity_id as "entityId", a.publisher_id as "publisherId", a.words, a.opened_at as "openedAt"
         from alert_messages q join alerts a on a.id = q.alert_id where q.recipient_id = :id and not ${mutedBy(':owner', 'a')}
         order by a.id limit ${MAX_IN_MESSAGE}`,
        { id: recipient.id, owner: recipient.owner },
      );
      if (alerts.length > 0) return { recipient, alerts };
      // What was queued has been muted since.
      await query('delete from alert_messages where recipient_id = :id', { id: recipient.id });
      await query('update alert_recipients set try_at = null where id = :id', { id: recipient.id });
      return undefined;
    },
    sent: async (message) => void (await ended(message, null)),
    failed: async (message, fault, retryMs) =>
      void (retryMs === null
        ? await ended(message, fault)
        : await query(
            `update alert_recipients set attempts = attempts + 1, last_at = now(), last_fault = :fault,
               try_at = now() + :retryMs::bigint * interval '1 millisecond' where id = :id`,
            { id: message.recipient.id, fault, retryMs },
          )),
  };
};
