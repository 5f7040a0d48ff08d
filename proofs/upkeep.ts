import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { dateOfDay, dayOf, MS_PER_DAY } from '../src/base/utc-day.ts';
import { userHash } from '../src/context/user-hash.ts';
import { createCompareAccounts } from '../src/events/compare-accounts.ts';
import { compareAllAccounts } from '../src/events/compare-books.ts';
import { createCountStore } from '../src/events/postgres/count-store.ts';
import { createEventStore } from '../src/events/postgres/event-store.ts';
import type { StoredEvent } from '../src/events/postgres/stored-event.ts';
import { createAccountBooks } from '../src/ledger/read/account-books.ts';
import { book, type Booking } from '../testkit/book.ts';
import { openLoop } from '../testkit/open-loop.ts';
import { lookAtAd } from '../testkit/person.ts';
import { untilDrained } from '../testkit/read-books.ts';
import { untilTrue } from '../testkit/until.ts';
import { checkGross } from './chaos/check-gross.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof } from './rig/proof.ts';

const NETWORKS = ['198.51.100.0/24', '203.0.113.0/24'] as const;
const AGENT = 'Mozilla/ Firefox/';
/** The user who is forgotten, and every so many visits one of hers. */
const [USER, EVERY] = ['ann', 10];
const CLICK_EVERY = 20;
const PRICE_MICROS = 1_000;

/** Yesterday is filtered again by one list and another, and a user is forgotten, again and again while visitors come. */
export const upkeep: Proof = {
  name: 'upkeep',
  claim: 'refilter and forget, again and again and at the same time, while traffic runs on 3 replicas',
  expected:
    'hits lost 0, doubled 0; gross = filtered + net in Postgres, accounts = rows; 0 deadlocks, no command fails; what a list says is what a day has; nothing names the forgotten user',
  run: async (rig, scale) => {
    const [seconds, seeded, perSecond] = [scale.of(60, 8), scale.of(5_000, 1_000), scale.of(150, 60)];
    const fleet = await rig.fleet({ replicas: 3 });
    const { page, knex } = fleet;
    try {
      const booking = await book(knex);
      await fleet.reload();
      const lists = await Promise.all(
        NETWORKS.map(async (network, n) => {
          const file = path.join(fleet.redisFolder, `data-centers-${n}`);
          await writeFile(file, `${network}\n`);
          return file;
        }),
      );
      const yesterday = dayOf(Date.now()) - 1;
      await seed(fleet, booking, yesterday, seeded);

      const log = new Map<string, Set<string>>([
        ['impression', new Set()],
        ['click', new Set()],
      ]);
      let users = 0;
      const stop = openLoop(perSecond, async (n) => {
        const isHers = n % EVERY === 0;
        const { bids } = await page.ask(booking, isHers ? USER : `user-${n}`);
        const [bid] = bids;
        if (!bid) return;
        if (isHers) users++;
        if ((await page.hit(bid.impurl)) === 200) log.get('impression')!.add(bid.id);
        if (isHers || n % CLICK_EVERY !== 1) return;
        await lookAtAd();
        if ((await page.hit(bid.clkurl)) === 200) log.get('click')!.add(bid.id);
      });
      const endMs = performance.now() + 1_000 * seconds;
      let [filtered, forgot] = [0, 0];
      const repeat = async (work: () => Promise<unknown>): Promise<void> => {
        while (performance.now() < endMs) {
          await work();
          await sleep(200);
        }
      };
      const forget = () => command(fleet, 'forget', ['--user', USER]);
      const refilter = (list: string) => command(fleet, 'refilter', ['--day', dateOfDay(yesterday)], { DATACENTER_ADDRESSES: list });
      try {
        await Promise.all([
          repeat(() => refilter(lists[filtered++ % lists.length]!)),
          repeat(() => refilter(lists[filtered++ % lists.length]!)),
          repeat(() => {
            forgot++;
            return forget();
          }),
        ]);
      } finally {
        await stop();
      }
      let drained = await untilDrained(fleet);
      // Undisturbed: what the last list says, and the user in what came since the last time.
      await refilter(lists[0]!);
      drained &&= await untilDrained(fleet);
      await refilter(lists[0]!);
      drained &&= await untilDrained(fleet);
      await forget();

      const { rows } = await knex.raw<{ rows: { jti: string; kind: string }[] }>('select jti, kind from events where day > ?', [
        dateOfDay(yesterday),
      ]);
      const of = (kind: string) => rows.filter((row) => row.kind === kind).map(({ jti }) => jti);
      let [lost, doubled] = [0, 0];
      for (const [kind, ids] of log) {
        const stored = new Set(of(kind));
        lost += [...ids].filter((id) => !stored.has(id)).length;
        doubled += of(kind).length - stored.size;
      }
      const judged = await knex('events')
        .where({ day: dateOfDay(yesterday) })
        .select<{ invalid_reason: string; network: string }[]>(
          'invalid_reason',
          knex.raw('(select network from event_signals s where s.day = events.day and s.jti = events.jti) as network'),
        );
      const misjudged = judged.filter((row) => (row.network === NETWORKS[0]) !== (row.invalid_reason === 'data_center')).length;
      const [spent] = await knex('events')
        .sum({ micros: 'billed_micros' })
        .count({ net: knex.raw(`nullif(invalid_reason = '' and kind = 'impression', false)`) });
      const differences = await accountDifferences(fleet);
      const gross = await checkGross(fleet);
      const { rows: waits } = await knex.raw<{ rows: { deadlocks: string }[] }>(
        'select deadlocks from pg_stat_database where datname = current_database()',
      );
      const deadlocks = Number(waits[0]?.deadlocks);
      const named = await namesOf(fleet, booking);
      const billed = Number(spent?.['micros']) === Number(spent?.['net']) * PRICE_MICROS;
      return {
        observed: `${log.get('impression')!.size} impressions and ${log.get('click')!.size} clicks, of which ${users} ads of the user, beside ${filtered} refilters of ${seeded} hits and ${forgot} times forgotten: lost ${lost}, doubled ${doubled}, of the day ${judged.length} hits, misjudged ${misjudged}; ${gross.length} counts and ${differences} accounts differ, ${deadlocks} deadlocks; ${named.length === 0 ? 'nothing names the user' : `the user is in ${named.join(', ')}`}${drained ? '' : '; not drained'}${billed ? '' : '; bills differ'}`,
        ok:
          drained &&
          billed &&
          lost + doubled + misjudged + gross.length + differences + deadlocks + named.length === 0 &&
          judged.length === seeded &&
          Math.min(users, filtered, forgot, log.get('click')!.size) > 0,
      };
    } finally {
      await fleet.close();
    }
  },
};

/** Impressions of a day: half of them from each network, all of which counted then. */
const seed = async ({ knex }: Fleet, booking: Booking, day: number, count: number): Promise<void> => {
  const events = Array.from({ length: count }, (_, n): StoredEvent => {
    const atMs = day * MS_PER_DAY + (n % 86_000) * 1_000;
    return {
      hit: {
        ad: {
          ...{
            tokenId: `seeded-${n}`,
            publisherId: booking.publisherId,
            campaignId: booking.campaignId,
            lineItemId: booking.lineItemIds[0]!,
          },
          ...{
            creativeId: booking.creativeIds[0]!,
            placementId: booking.placementId,
            priceMicros: PRICE_MICROS,
            billsOn: 'impression',
            day,
          },
          ...{ holdEndMs: 0, tokenExpS: Math.ceil(atMs / 1_000), servedAtMs: atMs, userHash: null, billingNotice: false },
        },
        ...{ kind: 'impression', eventType: '', invalidReason: '', atMs, country: null, device: null },
        signals: { network: NETWORKS[n % NETWORKS.length]!, agent: AGENT, origin: null, elsewhere: false },
      },
      ...{ reason: '', atMs, billedMicros: PRICE_MICROS },
    };
  });
  const store = createEventStore({ knex });
  for (let from = 0; from < count; from += 500) await store.append(events.slice(from, from + 500));
};

/** Runs a command of an operator; rejects when it fails. */
const command = async (fleet: Fleet, name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> => {
  const { PATH = '', HOME = '' } = process.env;
  const stores = { DATABASE_URL: fleet.databaseUrl, REDIS_URL: `redis://127.0.0.1:${fleet.redisPort}`, TOKEN_SECRET: fleet.tokenSecret };
  await promisify(execFile)(process.execPath, [path.resolve(import.meta.dirname, `../dist/commands/${name}.js`), ...args], {
    env: { PATH, HOME, ...stores, ...env },
  });
};

/** How many accounts differ from the rows, once the comparison that replicas run has corrected what it left out under traffic. */
const accountDifferences = async ({ knex, redis, keys }: Fleet): Promise<number> => {
  const books = createAccountBooks({ redis, keys, expiresAtMs: () => Date.now() + 40 * MS_PER_DAY });
  const compareAccounts = createCompareAccounts({ knex, books, mayLower: () => Promise.resolve(true) });
  const compare = async (dryRun: boolean): Promise<number> =>
    (
      await compareAllAccounts(
        { counts: createCountStore({ knex }), compareAccounts, dryRun, rest: () => Promise.resolve() },
        dayOf(Date.now()),
      )
    ).length;
  await compare(false);
  let differences = 0;
  await untilTrue(async () => (differences = await compare(true)) === 0, 5_000, 500);
  return differences;
};

/** Where a pseudonym of the user, or what followers keep of it, still is. */
const namesOf = async ({ knex, redis, keys }: Fleet, { publisherId }: Booking): Promise<readonly string[]> => {
  const row = await knex('instance').first<{ user_hash_key: Buffer }>('user_hash_key');
  const hash = userHash(row.user_hash_key.toString('hex'), publisherId, USER);
  const found: string[] = [];
  for (const [table, text] of Object.entries({
    events: 'user_hash',
    event_signals: `coalesce(user_part, '') || coalesce(hit::text, '')`,
    pending_hits: 'payload::text',
    dead_events: 'payload::text',
  })) {
    const part = table === 'event_signals' ? 'or user_part = left(:hash, 4)' : '';
    const { rows } = await knex.raw<{ rows: { count: string }[] }>(
      `select count(*) as count from ${table} where position(:hash in ${text}) > 0 ${part}`,
      { hash },
    );
    if (Number(rows[0]?.count) > 0) found.push(`${rows[0]?.count} of ${table}`);
  }
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    const value = key.includes(':events') && type === 'hash' ? JSON.stringify(await redis.hgetall(key)) : '';
    if (key.includes(hash) || key === keys.userActivity(publisherId, hash) || value.includes(hash)) found.push(key);
  }
  return found;
};
