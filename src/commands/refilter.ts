import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { groupBy } from '../base/group-by.ts';
import { dayNamed, runCommand } from '../base/run-command.ts';
import { dateOfDay, dayOf } from '../base/utc-day.ts';
import { acceptsOrigin } from '../catalog/model/origins.ts';
import { amountFromMicros } from '../catalog/model/money.ts';
import { NO_ADDRESSES, readAddressList } from '../context/address-list.ts';
import { createDeviceDetector } from '../context/device-detector.ts';
import { eventsStored } from '../events/events-stored.ts';
import { SIGNALS_DAYS } from '../events/postgres/event-signals.ts';
import { underReconcileLock } from '../events/postgres/reconciliation.ts';
import { createRefilterStore } from '../events/postgres/refilter-store.ts';
import { createSinkDays } from '../events/sinks/sink-days.ts';
import { claimRedis } from '../replica/claim-redis.ts';
import { comparisonOf } from '../replica/comparison-of.ts';
import type { Stores } from '../replica/connect-stores.ts';
import { withStores } from '../replica/with-stores.ts';
import { createRejudgeHit } from '../tracking/invalid-traffic/rejudge-hit.ts';
import { rejudgeActivity } from '../tracking/rejudge-activity.ts';
import { refilterDay, type RefilterChange } from '../tracking/refilter-day.ts';

const OPTIONS = { day: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } } as const;

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
  const day = dayNamed('--day', values.day);
  await withStores('to correct', async (stores, { dataCenterAddressesFile }) => {
    const dataCenters = dataCenterAddressesFile === undefined ? NO_ADDRESSES : await readAddressList(dataCenterAddressesFile);
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
  });
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
const correctRedis = async (stores: Stores, rest: () => Promise<void>): Promise<void> => {
  const compare = await comparisonOf(stores, { dryRun: false, rest });
  let corrected = 0;
  for (let pass = 0; pass < PASSES; pass++) {
    if (pass > 0) await sleep(PASS_MS);
    const today = dayOf(Date.now());
    corrected += (await compare.accounts(today)).length + (await compare.tallies(today));
  }
  console.log(`${corrected} accounts and tallies were corrected`);
};

runCommand(main);
