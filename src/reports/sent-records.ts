import type { Knex } from 'knex';
import { answer, done, noSuch, refuse, type Answered, type Call, type Refused, type Reply } from '../api/route.ts';
import type { Fault } from '../base/fault.ts';
import type { SecretBox } from '../base/secret-box.ts';
import { recordChange, type ChangeAction } from '../bookings/audit-trail.ts';
import { webhookSecretFor } from './webhook-secret.ts';

/** Records that say to whom something is sent: saved reports, recipients of alerts. Each method rejects when Postgres is unavailable. */
export interface SentRecordStore<Sent, Stored> {
  list(): Promise<readonly Stored[]>;
  find(id: number): Promise<Stored | undefined>;
  create(owner: string, record: Sent, webhookSecret: string | null): Promise<Stored>;
  /** undefined: there is none. */
  update(id: number, record: Sent, webhookSecret: string | null): Promise<Stored | undefined>;
  remove(id: number): Promise<boolean>;
}

export interface SentRecordOptions<Sent, Stored, Shown> {
  readonly knex: Knex;
  /** On a connection, or in a transaction. */
  readonly storeOf: (knex: Knex) => SentRecordStore<Sent, Stored>;
  readonly secretBox: SecretBox;
  /** Of the seal of a webhook's secret. */
  readonly purpose: string;
  /** In the audit trail; with an s the path. */
  readonly entity: 'saved_report' | 'alert_recipient';
  readonly max: number;
  readonly words: { readonly one: string; readonly many: string; readonly refusal: string };
  /** What its schema does not say. */
  readonly faultsOf: (record: Sent) => readonly Fault[];
  readonly webhookOf: (record: Sent) => string | null;
  /** As the API and the audit trail show it: without the secret of its webhook. */
  readonly show: (stored: Stored) => Shown;
}

/** Lists, reads, creates, replaces and deletes such records. The secret of a webhook is shown once, when it is made. */
export const sentRecords = <
  Sent,
  Stored extends Sent & { readonly id: number; readonly webhookSecret: string | null },
  Shown extends object,
>(
  options: SentRecordOptions<Sent, Stored, Shown>,
) => {
  const { knex, storeOf, secretBox, purpose, entity, max, words, faultsOf, webhookOf, show } = options;
  const store = storeOf(knex);
  const missing = noSuch(words.one);

  const refusalOf = (record: Sent): Refused | undefined => {
    const faults = faultsOf(record);
    return faults.length > 0 ? refuse('invalid_request', words.refusal, faults) : undefined;
  };
  const secretFor = (record: Sent, before?: Stored) =>
    webhookSecretFor(secretBox, purpose, webhookOf(record), before && { webhook: webhookOf(before), webhookSecret: before.webhookSecret });
  const audit = (trx: Knex.Transaction, actor: string, action: ChangeAction, before: Stored | undefined, after: Stored | undefined) =>
    recordChange(trx, {
      ...{ actor, action, entity, entityId: (after ?? before)?.id ?? 0 },
      ...{ before: before ? show(before) : null, after: after ? show(after) : null },
    });
  const withSecret = (stored: Stored, secret: string | null): Shown & { readonly webhook_secret?: string } => ({
    ...show(stored),
    ...(secret !== null && { webhook_secret: secret }),
  });

  return {
    list: async (): Promise<Answered<readonly Shown[]>> => answer((await store.list()).map(show)),
    find: async ({ id }: { readonly id: number }): Promise<Reply<Shown>> => {
      const found = await store.find(id);
      return found ? answer(show(found)) : missing;
    },
    create: async ({ body }: { readonly body: Sent }, { actor }: Pick<Call, 'actor'>) => {
      const refusal = refusalOf(body);
      if (refusal) return refusal;
      if ((await store.list()).length >= max) return refuse('conflict', `There are ${max} ${words.many}: delete one first.`);
      const secret = secretFor(body);
      const created = await knex.transaction(async (trx) => {
        const stored = await storeOf(trx).create(actor, body, secret.sealed);
        await audit(trx, actor, 'create', undefined, stored);
        return stored;
      });
      return answer(withSecret(created, secret.shown), { Location: `/api/${entity}s/${created.id}` });
    },
    replace: async ({ id, body }: { readonly id: number; readonly body: Sent }, { actor }: Pick<Call, 'actor'>) => {
      const before = await store.find(id);
      if (!before) return missing;
      const refusal = refusalOf(body);
      if (refusal) return refusal;
      const secret = secretFor(body, before);
      const after = await knex.transaction(async (trx) => {
        const stored = await storeOf(trx).update(id, body, secret.sealed);
        if (stored) await audit(trx, actor, 'update', before, stored);
        return stored;
      });
      return after ? answer(withSecret(after, secret.shown)) : missing;
    },
    remove: async ({ id }: { readonly id: number }, { actor }: Pick<Call, 'actor'>) => {
      const found = await store.find(id);
      if (!found) return missing;
      await knex.transaction(async (trx) => {
        if (await storeOf(trx).remove(id)) await audit(trx, actor, 'delete', found, undefined);
      });
      return done();
    },
  };
};
