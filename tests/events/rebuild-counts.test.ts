import knexFactory from 'knex';
import { createEventStore, type StoredEvent } from '../../src/events/postgres/event-store.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { createCountStore } from '../../src/events/postgres/count-store.ts';
import { rebuildCounts } from '../../src/events/rebuild-counts.ts';
import { createAccountRestorer } from '../../src/ledger/read/restore-account.ts';
import { candidate, DAY, lineItem, NOON } from '../decision/candidates.ts';
import { createLedgerRig, servedAd } from '../ledger/ledger-rig.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

it('rebuilds counts missing in Redis from the stored events, and keeps existing ones', async () => {
  const knex = knexFactory({ client: 'pg', connection: await testDatabase() });
  const rig = await createLedgerRig(await testRedisUrl());
  try {
    const one = candidate(lineItem({ dailyImpressionCap: 10 }));
    const store = createEventStore({ knex });
    const event = async (): Promise<StoredEvent> => {
      const ad = servedAd(await rig.reserve([[one]]), one);
      const { billedMicros } = await rig.settle(ad);
      return {
        hit: { ad, kind: 'impression', eventType: '', invalidReason: '', atMs: NOON, country: 'DE', device: null },
        atMs: NOON,
        billedMicros,
      };
    };
    const events = [await event(), await event(), await event(), await event()];
    expect(await store.append(events)).toBe(4);
    expect(await store.append(events)).toBe(0);

    await rig.redis.flushdb();
    await rig.at(NOON);
    await event();
    const today = Math.floor(NOON / DAY);
    const counts = createCountStore({ knex });
    const restoring = { redis: rig.redis, keys: rig.keys, expiresAtMs: Date.now() + DAY, clock: VIRTUAL_CLOCK_KEY };
    const rebuild = (dryRun: boolean) =>
      rebuildCounts({ counts, restoreAccount: createAccountRestorer({ ...restoring, dryRun }), day: today, today, dryRun });
    const rebuilt = { dailyCounts: 0, accounts: ['publisher 1 campaign 1', 'publisher 1 line item 1'] };
    expect(await rebuild(true).then(sorted)).toEqual(rebuilt);
    expect((await rig.accounts.lineItems(1, [1]))[0]?.today.impressions).toBe(1);

    expect(await rebuild(false).then(sorted)).toEqual(rebuilt);
    expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject({
      today: { impressions: 4, spendMicros: 4 * 1333 },
      totalSpendMicros: 4 * 1333,
    });
    expect(await rig.reserveMany(one, 20)).toBe(6);

    await knex('daily_counts').update({ impressions: 1, spend_micros: 0 });
    expect(await rebuild(false)).toEqual({ dailyCounts: 1, accounts: [] });
    expect(await knex('daily_counts').first('impressions', 'spend_micros')).toEqual({ impressions: '4', spend_micros: String(4 * 1333) });
  } finally {
    rig.close();
    await knex.destroy();
  }
});

const sorted = <T extends { readonly accounts: readonly string[] }>(result: T) => ({ ...result, accounts: [...result.accounts].sort() });
