import { createHash } from 'node:crypto';
import type { Knex } from 'knex';

/** What may be used once over all replicas, such as the id of a logout token. Rejects when Postgres is unavailable. */
export interface SpentStore {
  /**
   * Whether this is the first use.
   *
   * @param endsAt when it can no longer be used anyway, and need not be remembered
   */
  spend(what: string, endsAt: Date): Promise<boolean>;
}

export const createSpentStore = ({ knex }: { readonly knex: Knex }): SpentStore => ({
  spend: async (what, endsAt) => {
    const digest = createHash('sha256').update(what).digest();
    await knex('spent').where('ends_at', '<', knex.fn.now()).delete();
    const rows = await knex('spent').insert({ digest, ends_at: endsAt }).onConflict('digest').ignore().returning('digest');
    return rows.length > 0;
  },
});
