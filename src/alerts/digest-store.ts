import type { Knex } from 'knex';
import type { DueStore } from '../reports/send-due.ts';

/** A recipient whose morning has come. */
export interface DueDigest {
  readonly id: number;
  /** null: of all publishers. */
  readonly publisherId: number | null;
  readonly emails: readonly string[];
}

/** Of the day of the recipient's publisher; of all publishers, of the UTC day. */
const DIGEST_HOUR = 7;

/** SQL: the next morning of a recipient, by the zone of its publisher. */
export const NEXT_DIGEST = `(
  select min(at) from generate_series(0, 2) as n,
    lateral (select coalesce((select time_zone from publishers where id = alert_recipients.publisher_id), 'UTC') as tz) zones,
    lateral (select (date_trunc('day', now() at time zone tz) + make_interval(days => n, hours => ${DIGEST_HOUR})) at time zone tz as at) times
  where at > now())`;

/** Longer than an attempt takes. */
const LEASE = `interval '5 minutes'`;

const TAKE = `
  update alert_recipients set digest_at = now() + ${LEASE}
  where id = (select id from alert_recipients where digest and digest_at <= now() order by digest_at limit 1 for update skip locked)
  returning id, publisher_id as "publisherId", emails`;

/** Whom the mail of the morning is due to. Each method rejects when Postgres is unavailable. */
export const createDigestStore = ({ knex }: { readonly knex: Knex }): DueStore<DueDigest> => ({
  takeDue: async () => (await knex.raw<{ rows: DueDigest[] }>(TAKE)).rows[0],
  sent: async ({ id }) =>
    void (await knex.raw(`update alert_recipients set digest_at = ${NEXT_DIGEST}, last_at = now(), last_fault = null where id = ?`, [id])),
  failed: async ({ id }, fault, retryMs) =>
    void (await knex.raw(
      `update alert_recipients set last_at = now(), last_fault = :fault,
         digest_at = coalesce(now() + :retryMs::bigint * interval '1 millisecond', ${NEXT_DIGEST}) where id = :id`,
      { id, fault, retryMs } as Record<string, Knex.RawBinding>,
    )),
});
