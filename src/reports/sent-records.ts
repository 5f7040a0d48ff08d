import type { Knex } from 'knex';
import type { Caller } from '../access/caller.ts';
import type { Scope } from '../access/scope.ts';
import { answer, done, noSuch, refuse, type Answered, type Call, type Refused, type Reply } from '../api/route.ts';
import type { Fault } from '../base/fault.ts';
import type { SecretBox } from '../base/secret-box.ts';
import { changedBy, recordChange, type ChangeAction } from '../bookings/audit-trail.ts';
import { webhookSecretFor } from './webhook-secret.ts';

/** Records that say to whom something is sent: saved reports, recipients of alerts. Each method rejects when Postgres is unavailable. */
export interface SentRecordStore<Sent, Stored> {
  list(): Promise<readonly Stored[]>;
  find(id: number): Promise<Stored | undefined>;
  create(owner: Pick<Caller, 'name' | 'publishers'>, record: Sent, webhookSecret: string | null): Promise<Stored>;
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
  /** What its schema does not say, of what a caller with a scope sends. */
  readonly faultsOf: (record: Sent, scope: Scope) => readonly Fault[];
  /** Whether a caller with a scope may know of it. */
  readonly isSeen: (stored: Stored, scope: Scope) => boolean;
  readonly webhookOf: (record: Sent) => string | null;
  /** As the API and the audit trail show it: without the secret of its webhook. */
  readonly show: (stored: Stored) => Shown;
}

type By = Pick<Call, 'caller'>;

/** Lists, reads, creates, replaces and deletes such records. The secret of a webhook is shown once, when it is made. */
export const sentRecords = <
  Sent,
  Stored extends Sent & { readonly id: number; readonly webhookSecret: string | null },
  Shown extends object,
>(
  options: SentRecordOptions<Sent, Stored, Shown>,
) => {
  const { knex, storeOf, secretBox, purpose, entity, max, words, faultsOf, isSeen, webhookOf, show } = options;
  const store = storeOf(knex);
  const missing = noSuch(words.one);
  const find = async (id: number, scope: Scope): Promise<Stored | undefined> => {
    const found = await store.find(id);
    return found && isSeen(found, scope) ? found : undefined;
  };

  const refusalOf = (record: Sent, scope: Scope): Refused | undefined => {
    const faults = faultsOf(record, scope);
    return faults.length > 0 ? refuse('invalid_request', words.refusal, faults) : undefined;
  };
  const secretFor = (record: Sent, before?: Stored) =>
    webhookSecretFor(secretBox, purpose, webhookOf(record), before && { webhook: webhookOf(before), webhookSecret: before.webhookSecret });
  const audit = (trx: Knex.Transaction, by: Caller, action: ChangeAction, before: Stored | undefined, after: Stored | undefined) =>
    recordChange(trx, {
      ...changedBy(by),
      ...{ action, entity, entityId: (after ?? before)?.id ?? 0 },
      ...{ before: before ? show(before) : null, after: after ? show(after) : null },
    });
  const withSecret = (stored: Stored, secret: string | null): Shown & { readonly webhook_secret?: string } => ({
    ...show(stored),
    ...(secret !== null && { webhook_secret: secret }),
  });

  return {
    list: async (_asked: object, { caller }: By): Promise<Answered<readonly Shown[]>> =>
      answer((await store.list()).filter((one) => isSeen(one, caller)).map(show)),
    find: async ({ id }: { readonly id: number }, { caller }: By): Promise<Reply<Shown>> => {
      const found = await find(id, caller);
      return found ? answer(show(found)) : missing;
    },
    create: async ({ body }: { readonly body: Sent }, { caller }: By) => {
      const refusal = refusalOf(body, caller);
      if (refusal) return refusal;
      if ((await store.list()).length >= max) return refuse('conflict', `There are ${max} ${words.many}: delete one first.`);
      const secret = secretFor(body);
      const created = await knex.transaction(async (trx) => {
        const stored = await storeOf(trx).create(caller, body, secret.sealed);
        await audit(trx, caller, 'create', undefined, stored);
        return stored;
      });
      return answer(withSecret(created, secret.shown), { Location: `/api/${entity}s/${created.id}` });
    },
    replace: async ({ id, body }: { readonly id: number; readonly body: Sent }, { caller }: By) => {
      const before = await find(id, caller);
      if (!before) return missing;
      const refusal = refusalOf(body, caller);
      if (refusal) return refusal;
      const secret = secretFor(body, before);
      const after = await knex.transaction(async (trx) => {
        const stored = await storeOf(trx).update(id, body, secret.sealed);
        if (stored) await audit(trx, caller, 'update', before, stored);
        return stored;
      });
      return after ? answer(withSecret(after, secret.shown)) : missing;
    },
    remove: async ({ id }: { readonly id: number }, { caller }: By) => {
      const found = await find(id, caller);
      if (!found) return missing;
      await knex.transaction(async (trx) => {
        if (await storeOf(trx).remove(id)) await audit(trx, caller, 'delete', found, undefined);
      });
      return done();
    },
  };
};
