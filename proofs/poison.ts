import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { holdLock } from '../src/base/advisory-locks.ts';
import { hitText } from '../src/ledger/hit-text.ts';
import { book } from '../testkit/book.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import { untilTrue } from '../testkit/until.ts';
import { entryOf, POISONED_EVENTS, POISONED_HITS } from './poison/poisoned-events.ts';
import { hitOf, UNBOOKED_LINE_ITEM } from './rig/hit-by-hand.ts';
import { watchShards } from './poison/watch-shards.ts';
import { createSteadyLoad, type SteadyLoad } from './rig/create-steady-load.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof } from './rig/proof.ts';

const WITHIN_MS = 5_000;
/** The short form runs beside others: it shows what is stored while something is refused, the full form how soon. */
const SHORT_WITHIN_MS = 60_000;
interface Times {
  /** How long something is poisoned. */
  readonly lastsMs: number;
  /** In which time the rest is stored. */
  readonly withinMs: number;
}
const PUBLISHERS = 16;
/** Refused for good, refused for a time, and not to be folded for a time: each in other shards. */
const POISONED_SHARDS = [1, 5, 9];
const WAITING_SHARD = 12;
const LOCKED_SHARD = 14;
const COMMAND = fileURLToPath(new URL('../dist/commands/replay-dead-events.js', import.meta.url));

/** What a part of the proof found. */
interface Part {
  readonly observed: string;
  readonly ok: boolean;
}

export const poison: Proof = {
  name: 'poison',
  claim:
    'events that Postgres refuses for good or for a time, entries and waiting hits that cannot be read, and a shard that cannot be folded, ' +
    `under traffic of ${PUBLISHERS} publishers`,
  expected:
    'the poisoned alone become dead events, each with its reason; all else stored within 5 s; ' +
    'other shards carry and fold within 5 s throughout; after mending, replay-dead-events stores each once',
  run: async (rig, scale) => {
    const fleet = await rig.fleet({ replicas: 3, faulty: true });
    try {
      const bookings = [];
      for (let i = 0; i < PUBLISHERS; i++) bookings.push(await book(fleet.knex));
      await fleet.knex.raw(REFUSE_FOR_NOW);
      await fleet.reload();
      const load = createSteadyLoad({ page: fleet.page, perSecond: 80, bookings });
      await sleep(2_000);
      const times = { lastsMs: scale.of(15_000, 4_000), withinMs: scale.of(WITHIN_MS, SHORT_WITHIN_MS) };
      const parts = [await poisonEvents(fleet, scale.of(500, 100), times), await poisonHits(fleet, load, times)];
      await load.stop();
      parts.push(await replay(fleet, times));
      const drained = await untilDrained(fleet);
      const stored = new Set<string>();
      let [counted, rows] = [0, 0];
      for (const booking of bookings) {
        const books = await readBooks(fleet, booking);
        counted += books.counters.impressions;
        rows += books.rows.impression.length;
        for (const id of books.rows.impression) stored.add(id);
      }
      const lost = [...load.acknowledged].filter((id) => !stored.has(id)).length;
      const crashes = fleet.replicas.reduce((sum, replica) => sum + replica.crashes(), 0);
      parts.push({
        ok: drained && lost === 0 && rows === stored.size && counted === rows && crashes === 0,
        observed: `impressions answered 200 ${load.acknowledged.size}, counted ${counted}, rows ${rows}, lost ${lost}; exits ${crashes}`,
      });
      return { observed: parts.map(({ observed }) => observed).join('; '), ok: parts.every(({ ok }) => ok) };
    } finally {
      await fleet.close();
    }
  },
};

const deadOf = async ({ knex }: Fleet, source: string): Promise<readonly { readonly shard: number; readonly sqlstate: string | null }[]> =>
  knex('dead_events').where({ source }).whereNot('reason', '').orderBy(['shard', 'id']).select('shard', 'sqlstate');

const rowsBeside = async ({ knex }: Fleet, shards: readonly number[]): Promise<number> => {
  const [row] = await knex('events')
    .where({ line_item_id: UNBOOKED_LINE_ITEM })
    .whereIn('publisher_id', shards)
    .count<{ count: string }[]>('*');
  return Number(row?.count);
};

const rounded = (ms: number | undefined): string => (ms === undefined ? 'more than that' : `${Math.round(ms)} ms`);

/**
 * Postgres has no space for these tokens: a fault that passes when their rows are deleted. Under traffic
 * the trigger is neither created nor dropped: it would lock `events` and its partitions in another order than the writers.
 */
const REFUSE_FOR_NOW = `
  create table refused_for_now (jti text primary key);
  insert into refused_for_now values ('waiting');
  create function refuse_for_now() returns trigger language plpgsql as $$
    begin
      if exists (select from refused_for_now where jti = new.jti) then
        raise exception 'no space left on device' using errcode = '53100';
      end if;
      return new;
    end $$;
  create trigger refuse_for_now before insert on events for each row when (new.jti = 'waiting') execute function refuse_for_now()`;

/** `beside`: entries that are stored around the poisoned ones in each shard. */
const poisonEvents = async (fleet: Fleet, beside: number, { lastsMs, withinMs }: Times): Promise<Part> => {
  const { knex, redis, keys } = fleet;
  await redis.xadd(keys.events(WAITING_SHARD), '*', ...entryOf(hitText(hitOf(WAITING_SHARD, 'waiting'))));
  const watch = watchShards(fleet, { carry: [WAITING_SHARD], fold: [] });
  for (const shard of POISONED_SHARDS) {
    const batch = redis.pipeline();
    for (let i = 0; i < beside; i++) {
      batch.xadd(keys.events(shard), '*', ...entryOf(hitText(hitOf(shard, `beside-${shard}-${i}`))));
      const poisoned = POISONED_EVENTS[i - (beside >> 1)];
      if (poisoned) batch.xadd(keys.events(shard), '*', ...entryOf(poisoned.of(hitOf(shard, `poisoned-${shard}-${i}`))));
    }
    await batch.exec();
  }
  const due = POISONED_SHARDS.length * beside;
  const storedMs = await untilTrue(async () => (await rowsBeside(fleet, POISONED_SHARDS)) === due, withinMs);
  await sleep(lastsMs);
  const waiting = await redis.xlen(keys.events(WAITING_SHARD));
  const { oldestEventMs, oldestHorizonMs } = await watch.stop();
  await knex('refused_for_now').delete();
  const waitedMs = await untilTrue(async () => (await rowsBeside(fleet, [WAITING_SHARD])) === 1, withinMs);

  const dead = await deadOf(fleet, 'events');
  const byShard = POISONED_SHARDS.map((shard) => dead.filter((one) => one.shard === shard).map(({ sqlstate }) => String(sqlstate)));
  const states = POISONED_EVENTS.map(({ sqlState }) => String(sqlState)).sort();
  const alone = dead.length === POISONED_SHARDS.length * states.length && byShard.every((found) => found.sort().join() === states.join());
  return {
    ok:
      alone && storedMs !== undefined && waiting > 0 && waitedMs !== undefined && oldestEventMs <= withinMs && oldestHorizonMs <= withinMs,
    observed:
      `${POISONED_SHARDS.length * states.length} poisoned events in ${POISONED_SHARDS.length} shards: ${dead.length} dead events ` +
      `(${alone ? 'each with its reason' : 'others than the poisoned ones'}), the ${due} beside them stored after ${rounded(storedMs)}; ` +
      `${waiting} waited while one of them was refused for a time, stored ${rounded(waitedMs)} after; ` +
      `other shards: oldest event ${oldestEventMs} ms, oldest horizon ${oldestHorizonMs} ms`,
  };
};

/** Redis away sends hits to Postgres, where poisoned ones wait among them; another transaction holds the fold of a shard. */
const poisonHits = async (fleet: Fleet, load: SteadyLoad, { lastsMs, withinMs }: Times): Promise<Part> => {
  const { knex, redisProxies, redis, keys } = fleet;
  const lock = await knex.transaction();
  await holdLock(lock, 'fold', LOCKED_SHARD);
  const lockedAtMs = Date.now();
  redisProxies.forEach((proxy) => proxy.set({ kind: 'reset' }));
  load.reset();
  await sleep(2_000);
  for (const shard of POISONED_SHARDS)
    for (const [i, poisoned] of POISONED_HITS.entries())
      await knex('pending_hits').insert({
        jti: `dead-${shard}-${i}`,
        kind: 'impression',
        shard,
        payload: poisoned(hitOf(shard, `dead-${shard}-${i}`)),
      });
  await sleep(1_000);
  const waited = await knex('pending_hits').count<{ count: string }[]>('*');
  redisProxies.forEach((proxy) => proxy.set({ kind: 'pass' }));
  const restoredMs = Date.now();
  const others = Array.from({ length: keys.shards }, (_, shard) => shard).filter((shard) => shard !== LOCKED_SHARD);
  const foldedMs = await untilTrue(async () => {
    const left = await knex('pending_hits').whereIn('shard', others).count<{ count: string }[]>('*');
    const horizons = await Promise.all(others.map(async (shard) => Number(await redis.get(keys.horizon(shard)))));
    return Number(left[0]?.count) === 0 && Math.min(...horizons) > restoredMs;
  }, withinMs);
  const watch = watchShards(fleet, { carry: [], fold: [LOCKED_SHARD] });
  await sleep(lastsMs);
  const { oldestEventMs, oldestHorizonMs } = await watch.stop();
  const kept = Number(await redis.get(keys.horizon(LOCKED_SHARD))) <= lockedAtMs + 1_000;
  await lock.rollback();
  const unlockedMs = await untilTrue(async () => Number(await redis.get(keys.horizon(LOCKED_SHARD))) > restoredMs, withinMs);

  const dead = await deadOf(fleet, 'hits');
  const due = POISONED_SHARDS.length * POISONED_HITS.length;
  const alone =
    dead.length === due && POISONED_SHARDS.every((shard) => dead.filter((one) => one.shard === shard).length === POISONED_HITS.length);
  return {
    ok: alone && foldedMs !== undefined && kept && unlockedMs !== undefined && oldestEventMs <= withinMs && oldestHorizonMs <= withinMs,
    observed:
      `${Number(waited[0]?.count)} hits waited in Postgres, ${due} of them poisoned: ${dead.length} dead events, all others folded ${rounded(foldedMs)} ` +
      `after Redis was back, from then on the oldest event ${oldestEventMs} ms; with the fold of one shard held, the oldest horizon of the others ` +
      `${oldestHorizonMs} ms, of that one ${kept ? 'kept' : 'NOT kept'} and folded ${rounded(unlockedMs)} after`,
  };
};

/** An operator corrects what can be corrected, and runs the command, twice. */
const replay = async ({ knex, databaseUrl }: Fleet, { withinMs }: Times): Promise<Part> => {
  const dead = await knex('dead_events').select<{ id: string; source: string; shard: number; payload: string }[]>(
    'id',
    'source',
    'shard',
    'payload',
  );
  const mended: string[] = [];
  for (const { id, source, shard, payload } of dead) {
    const fields = JSON.parse(payload) as string[];
    const event = source === 'hits' ? fields[0] : fields[1];
    if (!event?.includes(hitOf(shard, '').ad.placementId)) continue;
    const tokenId = `mended-${id}`;
    const good = JSON.stringify(hitOf(shard, tokenId));
    await knex('dead_events')
      .where({ id })
      .update({ payload: JSON.stringify(source === 'hits' ? [good] : entryOf(good)) });
    mended.push(tokenId);
  }
  const run = async (): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND], { env: { ...process.env, DATABASE_URL: databaseUrl } });
    return stdout.trimEnd().split('\n').at(-1) ?? '';
  };
  const [first, second] = [await run(), await run()];
  const left = dead.length - mended.length;
  const storedMs = await untilTrue(
    async () => (await knex('events').whereIn('jti', mended).count<{ count: string }[]>('*'))[0]?.count === String(mended.length),
    withinMs,
  );
  return {
    ok: first === said(mended.length, left) && second === said(0, left) && storedMs !== undefined && mended.length > 0 && left > 0,
    observed: `after mending ${mended.length} of ${dead.length}: ${first}, all rows after ${rounded(storedMs)}; again: ${second}`,
  };
};

const said = (stored: number, refused: number): string => `${stored} dead events were stored, ${refused} were refused again`;
