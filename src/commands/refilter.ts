import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { groupBy } from '../base/group-by.ts';
import { dateOfDay, dayOf, MS_PER_DAY } from '../base/utc-day.ts';
import { acceptsOrigin } from '../catalog/model/origins.ts';
import { amountFromMicros } from '../catalog/model/money.ts';
import { keepTokenSecret } from '../config/keep-token-secret.ts';
import { readSettings } from '../config/read-settings.ts';
import { NO_ADDRESSES, readAddressList } from '../context/address-list.ts';
import { createDeviceDetector } from '../context/device-detector.ts';
import { createMayLower } from '../events/books/may-lower.ts';
import { createCompareAccounts } from '../events/compare-accounts.ts';
import { compareAllAccounts } from '../events/compare-books.ts';
import { createCompareTallies } from '../events/compare-tallies.ts';
import { eventsStored } from '../events/events-stored.ts';
import { createCountStore } from '../events/postgres/count-store.ts';
import { SIGNALS_DAYS } from '../events/postgres/event-signals.ts';
import { readPublisherDays } from '../events/postgres/publisher-days.ts';
import { underReconcileLock } from '../events/postgres/reconciliation.ts';
import { createRefilterStore } from '../events/postgres/refilter-store.ts';
import { createSinkDays } from '../events/sinks/sink-days.ts';
import { createAccountBooks } from '../ledger/read/account-books.ts';
import { createTallyBooks } from '../ledger/read/tally-books.ts';
import { claimRedis } from '../replica/claim-redis.ts';
import { connectStores, type Stores } from '../replica/connect-stores.ts';
import { createRejudgeHit } from '../tracking/invalid-traffic/rejudge-hit.ts';
import { rejudgeActivity } from '../tracking/rejudge-activity.ts';
import { refilterDay, type RefilterChange } from '../tracking/refilter-day.ts';

const OPTIONS = { day: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } } as const;

/** Accounts that a comparison creates are kept for this long; the ledger sets the end of the others. */
const NEW_ACCOUNT_DAYS = 400;
/** An account is left out while its rows are being written: it is compared so often. */
const PASSES = 5;
const PASS_MS = 500;

/**
 * `node dist/commands/refilter.js --day 2026-11-20 [--dry-run]`: judges the stored hits of a day by
 * the rules and lists of now, in both directions, and corrects every count. See
 * docs/invalid-traffic.md.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: OPTIONS });
  const dryRun = values['dry-run'];
  const dayMs = Date.parse(`${values.day}T00:00:00Z`);
  if (Number.isNaN(dayMs)) throw new Error('--day must be a date such as 2026-11-20.');
  const day = dayOf(dayMs);
  const settings = readSettings(keepTokenSecret(process.env));
  const { databaseUrl, redisUrls, dataCenterAddressesFile } = settings;
  if (databaseUrl === undefined || redisUrls.length === 0) throw new Error('DATABASE_URL and REDIS_URL say which stores to correct.');
  const dataCenters = dataCenterAddressesFile === undefined ? NO_ADDRESSES : await readAddressList(dataCenterAddressesFile);

  const stores = connectStores(settings, { databaseUrl, redisUrls });
  try {
    const { knex, keys, backgroundRedis: redis } = stores;
    await claimRedis(stores);
    const store = createRefilterStore({ knex });
    if (!(await store.hasSignals(day)))
      throw new Error(`${dateOfDay(day)} has no events, or what judges them again is gone: it is kept for ${SIGNALS_DAYS} days.`);
    if (dataCenters.size === 0) console.log('DATACENTER_ADDRESSES is not set: what data centers sent stays as it is');
    await eventsStored(redis, keys, (shard) => stores.backgroundLink.nowMs(shard));
    const origins = await originsOf(knex);
    const rejudge = createRejudgeHit({
      dataCenters,
      visitorOf: createDeviceDetector({ cacheSize: 10_000 }),
      acceptsOrigin: (publisherId, origin) => {
        const ofPublisher = origins.get(publisherId);
        return ofPublisher && acceptsOrigin(ofPublisher, origin);
      },
    });
    // The background comparison of the replicas waits meanwhile, and so does another run.
    await underReconcileLock(knex, { wait: true }, async (checkLock) => {
      const activity = await rejudgeActivity(knex, day);
      const changes = await refilterDay({ store, keys, rejudge, activity, day, nowMs: Date.now(), dryRun, rest: checkLock });
      report(changes, await currenciesOf(knex), dryRun);
      if (dryRun || changes.length === 0) return;
      await createSinkDays({ knex }).changed(dateOfDay(day));
      await correctRedis(stores, checkLock);
    });
  } finally {
    await stores.close();
  }
};

const originsOf = async (knex: Knex): Promise<ReadonlyMap<number, ReadonlySet<string>>> => {
  const rows = await knex('publishers').select<{ id: number; origins: string[] }[]>('id', 'origins');
  return new Map(rows.map(({ id, origins }) => [id, new Set(origins)]));
};

/** Of the money of each line item. */
const currenciesOf = async (knex: Knex): Promise<(lineItemId: number) => string> => {
  const rows = await knex('line_items')
    .join('campaigns', 'campaigns.id', 'campaign_id')
    .join('publishers', 'publishers.id', 'publisher_id')
    .select<{ id: number; currency: string }[]>('line_items.id', 'currency');
  const known = new Map(rows.map(({ id, currency }) => [id, currency]));
  return (lineItemId) => known.get(lineItemId) ?? 'of a deleted publisher';
};

const report = (changes: readonly RefilterChange[], currencyOf: (lineItemId: number) => string, dryRun: boolean): void => {
  const sum = (of: readonly RefilterChange[], read: (change: RefilterChange) => number) => of.reduce((total, one) => total + read(one), 0);
  const hits = ({ hits }: RefilterChange): number => hits;
  const money = (of: readonly RefilterChange[]): string =>
    Array.from(
      groupBy(of, ({ lineItemId }) => currencyOf(lineItemId)),
      ([currency, those]) =>
        signed(
          sum(those, ({ micros }) => micros),
          currency,
        ),
    ).join(', ') || '0';
  const may = dryRun ? 'would be ' : '';
  const lost = changes.filter(({ from, to }) => from === '' && to !== '');
  const restored = changes.filter(({ to }) => to === '');
  const others = changes.filter(({ from, to }) => from !== '' && to !== '' && to !== 'no room');
  const stay = changes.filter(({ to }) => to === 'no room');
  for (const { lineItemId, kind, from, to, hits, micros } of changes) {
    const what = `${from === '' ? 'counted' : from} → ${to === '' ? 'counted' : to}`;
    console.log(`  line item ${lineItemId}: ${hits} ${kind}s ${what}${micros === 0 ? '' : `, ${signed(micros, currencyOf(lineItemId))}`}`);
  }
  console.log(`${sum(lost, hits)} hits ${may}filtered, ${money(lost)}`);
  console.log(`${sum(restored, hits)} hits ${may}counted as far as budgets have room, at most ${money(restored)}`);
  if (others.length > 0) console.log(`${sum(others, hits)} filtered hits ${dryRun ? 'would have' : 'have'} another reason`);
  if (stay.length > 0) console.log(`${sum(stay, hits)} hits stay filtered, as a daily cap is used up`);
};

const signed = (micros: number, currency: string): string =>
  `${micros > 0 ? '+' : micros < 0 ? '−' : ''}${amountFromMicros(Math.abs(micros))} ${currency}`;

/** Lowers accounts and tallies to the rows. The replicas go on with what is still being written. */
const correctRedis = async ({ knex, keys, backgroundRedis: redis }: Stores, rest: () => Promise<void>): Promise<void> => {
  const days = await readPublisherDays(knex, Date.now());
  const expiresAtMs = () => Date.now() + NEW_ACCOUNT_DAYS * MS_PER_DAY;
  const books = createAccountBooks({ redis, keys, expiresAtMs, daysOf: days.rule });
  const compareTallies = createCompareTallies({ knex, books: createTallyBooks({ redis, keys }) });
  const comparing = {
    ...{
      counts: createCountStore({ knex }),
      compareAccounts: createCompareAccounts({ knex, books, mayLower: createMayLower({ knex, redis, keys }) }),
    },
    ...{ dryRun: false, rest, todayOf: days.today },
  };
  let corrected = 0;
  for (let pass = 0; pass < PASSES; pass++) {
    if (pass > 0) await sleep(PASS_MS);
    const today = dayOf(Date.now());
    const accounts = await compareAllAccounts(comparing, today);
    corrected += accounts.length + (await compareTallies(today, comparing));
  }
  console.log(`${corrected} accounts and tallies were corrected`);
};

main().catch((fault: unknown) => {
  process.stderr.write(`${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exit(1);
});
