import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startEmbeddedRedis } from '../src/embedded/start-embedded-redis.ts';
import { book, type Booking } from '../testkit/book.ts';
import { appendOnlyFile } from '../testkit/lossy-redis.ts';
import { keepState, restoreState } from '../testkit/older-postgres.ts';
import { openLoop } from '../testkit/open-loop.ts';
import { median } from '../testkit/statistics.ts';
import { untilDrained } from '../testkit/read-books.ts';
import { untilTrue } from '../testkit/until.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof, Scale } from './rig/proof.ts';

const PRICE_MICROS = 1_333;
/** A part of the requests is for the pair of bookings whose cap and budget are reached during a form. */
const SCARCE_PART = 4;
const FILL = 0.95;
const MAX_MS = 5_000;
const STEP_MS = 250;

/** Moments that a loss goes back to. */
interface Moments {
  /** Before the first form. */
  readonly first: number;
  /** When the form began, and a second before the loss. */
  readonly begun: number;
  readonly second: number;
}

interface Form {
  readonly name: string;
  readonly lose: (fleet: Fleet, moments: Moments) => Promise<void>;
}

const restart =
  (how: 'SIGTERM' | 'SIGKILL', change: (file: ReturnType<typeof appendOnlyFile>, moments: Moments) => Promise<void>): Form['lose'] =>
  async (fleet, moments) => {
    await fleet.stopRedis(how);
    await change(appendOnlyFile(fleet.redisFolder), moments);
    await fleet.startRedis();
  };

/** A replica of Redis that is promoted without what its master had counted last. */
const promoteLagging = async (fleet: Fleet, folder: string, lagMs: number): Promise<Promoted> => {
  const second = await startEmbeddedRedis({ stateDir: folder });
  const client = new Redis(second.url);
  await client.config('SET', 'repl-diskless-sync-delay', '0');
  await client.replicaof('127.0.0.1', fleet.redisPort);
  await untilTrue(async () => (await client.info('replication')).includes('master_link_status:up'), 10_000);
  await client.replicaof('NO', 'ONE');
  await sleep(lagMs);
  for (const proxy of fleet.redisProxies) {
    proxy.moveTo(second.url);
    proxy.set({ kind: 'reset' });
    proxy.set({ kind: 'pass' });
  }
  const close = async (): Promise<void> => {
    client.disconnect();
    await second.stop();
  };
  return { client, close };
};

interface Promoted {
  readonly client: Redis;
  readonly close: () => Promise<void>;
}

const FORMS: readonly Form[] = [
  { name: 'FLUSHALL', lose: async ({ redis }) => void (await redis.flushall()) },
  { name: 'restart with all data', lose: restart('SIGTERM', () => Promise.resolve()) },
  { name: 'kill -9, last second cut', lose: restart('SIGKILL', (file, { second }) => file.cutTo(second)) },
  { name: 'older by seconds', lose: restart('SIGTERM', (file, { begun }) => file.cutTo(begun)) },
  { name: 'older by an epoch', lose: restart('SIGTERM', (file, { first }) => file.cutTo(first)) },
  { name: 'empty disk', lose: restart('SIGTERM', (file) => file.remove()) },
];

interface Visits {
  readonly stop: () => Promise<void>;
  /** Impressions answered 200, by booking, and their tokens. */
  readonly seen: ReadonlyMap<Booking, number>;
  readonly tokens: ReadonlySet<string>;
  /** The part of the requests for plentiful bookings that were filled in a time, ms since the start of the process. */
  readonly fill: (fromMs: number, toMs: number) => number;
  /** Of each plentiful booking, from its first request after this moment to its first ad, ms; sorted. Infinity: none came. */
  readonly firstAds: (sinceMs: number) => readonly number[];
  readonly not200: () => number;
}

const visit = ({ page }: Fleet, perSecond: number, plentiful: readonly Booking[], scarce: readonly Booking[]): Visits => {
  const seen = new Map<Booking, number>();
  const tokens = new Set<string>();
  const asked: { readonly booking: Booking; readonly atMs: number; readonly filled: boolean }[] = [];
  let not200 = 0;
  const stop = openLoop(perSecond, async (n) => {
    const isScarce = n % SCARCE_PART === 0;
    const from = isScarce ? scarce : plentiful;
    const booking = from[Math.floor(isScarce ? n / SCARCE_PART : n) % from.length]!;
    const atMs = performance.now();
    const { status, bids } = await page.ask(booking, `user-${n}`);
    if (status !== 200) not200++;
    const [bid] = bids;
    if (!isScarce) asked.push({ booking, atMs, filled: bid !== undefined });
    if (!bid || (await page.hit(bid.impurl)) !== 200) return;
    tokens.add(bid.id);
    seen.set(booking, (seen.get(booking) ?? 0) + 1);
  });
  const fill = (fromMs: number, toMs: number): number => {
    const of = asked.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    return of.filter(({ filled }) => filled).length / Math.max(of.length, 1);
  };
  const firstAds = (sinceMs: number): readonly number[] => {
    const since = asked.filter(({ atMs }) => atMs >= sinceMs).toSorted((a, b) => a.atMs - b.atMs);
    const own = [...new Set(since.map(({ booking }) => booking))].map((one) => since.filter(({ booking }) => booking === one));
    const waits = own.map((requests) => (requests.find(({ filled }) => filled)?.atMs ?? Infinity) - requests[0]!.atMs);
    return waits.toSorted((a, b) => a - b);
  };
  return { stop, seen, tokens, fill, firstAds, not200: () => not200 };
};

/** When the fill is back for good, in ms since the loss; undefined: it is not. */
const fillBackMs = (visits: Visits, lostMs: number, endMs: number): number | undefined => {
  let back: number | undefined;
  for (let atMs = lostMs; atMs + STEP_MS <= endMs; atMs += STEP_MS) {
    if (visits.fill(atMs, atMs + STEP_MS) < FILL) back = undefined;
    else back ??= atMs - lostMs;
  }
  return back;
};

/** `settledMs`: how long the fill is watched once it is back. */
const timesOf = (scale: Scale) => ({
  beforeMs: scale.of(5_000, 2_500),
  afterMs: scale.of(10_000, 21_000),
  settledMs: scale.of(10_000, 2_000),
});

/** Resolves after `afterMs`, or when the fill has been back for `settledMs`. */
const untilSettled = async (visits: Visits, sinceMs: number, { afterMs, settledMs }: ReturnType<typeof timesOf>): Promise<void> => {
  for (let waitedMs = 0; waitedMs < afterMs; waitedMs = performance.now() - sinceMs) {
    const backMs = fillBackMs(visits, sinceMs, sinceMs + waitedMs);
    if (backMs !== undefined && waitedMs - backMs >= settledMs) return;
    await sleep(STEP_MS);
  }
};

/** Redis and Postgres lose data in every way while four replicas sell caps and budgets of 2,000 line items. */
export const loss: Proof = {
  name: 'loss',
  isLong: true,
  claim:
    'Redis is flushed, restarted empty, with older data, without its last second, failed over to a lagging replica; Postgres is restored to an earlier state',
  expected: `overshoot 0 in every form; no acknowledged impression lost or doubled where Postgres keeps its rows; fill back to ${100 * FILL} % within ${MAX_MS / 1000} s`,
  run: async (rig, scale) => {
    const publishers = scale.of(20, 4);
    const perPublisher = scale.of(100, 50);
    const perSecond = scale.of(500, 100);
    const times = timesOf(scale);
    const { beforeMs } = times;
    const cap = Math.round((perSecond / SCARCE_PART / 2) * (beforeMs / 1000) * 1.2);
    const fleet = await rig.fleet({ replicas: scale.of(4, 2), faulty: true });
    const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-loss-'));
    await chmod(folder, 0o755);
    const closers: (() => Promise<void>)[] = [];
    let { redis }: Pick<Fleet, 'redis'> = fleet;
    try {
      const plentiful: Booking[] = [];
      const lineItem = { cpm_micros: PRICE_MICROS * 1_000, daily_impression_cap: 5_000 };
      for (let i = 0; i < publishers; i++) {
        const lineItems = Array.from({ length: perPublisher }, () => lineItem);
        plentiful.push(await book(fleet.knex, { lineItems, campaign: { budget_micros: 1_000_000_000 } }));
      }
      const file = appendOnlyFile(fleet.redisFolder);
      const first = await file.mark();
      const outcomes: string[] = [];
      let ok = true;
      const play = async (form: Form): Promise<void> => {
        const capped = await book(fleet.knex, { lineItems: [{ ...lineItem, daily_impression_cap: cap }] });
        const budget_micros = cap * PRICE_MICROS + 700;
        const budgeted = await book(fleet.knex, { lineItems: [lineItem], campaign: { budget_micros } });
        await fleet.reload();
        const begun = await file.mark().catch(() => 0);
        const visits = visit(fleet, perSecond, plentiful, [capped, budgeted]);
        await sleep(beforeMs - 1_000);
        const second = await file.mark().catch(() => 0);
        await sleep(1_000);
        const lostMs = performance.now();
        await form.lose(fleet, { first, begun, second });
        const answeringMs = performance.now();
        await untilSettled(visits, answeringMs, times);
        const endMs = performance.now();
        await visits.stop();
        const isRestored = form.name === POSTGRES;
        const drained = await untilDrained({ ...fleet, redis }, 120_000);
        const sold = [visits.seen.get(capped) ?? 0, visits.seen.get(budgeted) ?? 0] as const;
        const stored = await storedOf(fleet, [capped, budgeted]);
        const over = Math.max(sold[0] - cap, sold[1] - cap, isRestored ? 0 : Math.max(...stored.counts) - cap, 0);
        const lost = isRestored ? 0 : await lostOf(fleet, visits.tokens);
        const backMs = fillBackMs(visits, answeringMs, endMs);
        const firstAds = visits.firstAds(answeringMs);
        const waits = `first ad of a publisher after ${Math.round(median(firstAds))}, at most ${Math.round(firstAds.at(-1) ?? 0)} ms`;
        const holds = drained && over === 0 && lost === 0 && visits.not200() === 0 && (backMs ?? Infinity) <= scale.ms(MAX_MS);
        ok &&= holds;
        const figures = `${sold[0]} and ${sold[1]} of ${cap}, over ${over}, lost ${lost}, fill back after ${backMs === undefined ? 'never' : `${Math.round(backMs)} ms`} (${waits})`;
        rig.say(
          `  ${form.name}: ${figures} (away ${Math.round(answeringMs - lostMs)} ms, not 200: ${visits.not200()})${drained ? '' : ', not drained'}`,
        );
        outcomes.push(`${form.name}: ${figures}`);
      };
      for (const form of FORMS) await play(form);
      await keepState(fleet.databaseUrl);
      await play({ name: POSTGRES, lose: ({ databaseUrl }) => restoreState(databaseUrl) });
      const failover: Form['lose'] = async () => {
        const promoted = await promoteLagging(fleet, folder, 1_000);
        redis = promoted.client;
        closers.push(promoted.close);
      };
      await play({ name: 'failover to a replica that lags by a second', lose: failover });
      const over = await overCap(fleet);
      ok &&= over === 0;
      return {
        ok,
        observed: `${publishers * perPublisher} line items, ${perSecond} requests a second. ${outcomes.join('; ')}; line items above their cap at the end: ${over}`,
      };
    } finally {
      await fleet.close();
      for (const close of closers) await close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const POSTGRES = 'Postgres restored to an earlier state';

const storedOf = async ({ knex }: Fleet, bookings: readonly Booking[]): Promise<{ readonly counts: readonly number[] }> => {
  const counts = await Promise.all(
    bookings.map(async ({ lineItemIds }) => {
      const [row] = await knex('events').whereIn('line_item_id', lineItemIds).where({ kind: 'impression' }).count<{ count: string }[]>('*');
      return Number(row?.count ?? 0);
    }),
  );
  return { counts };
};

/** Impressions that were answered 200 and have no row. */
const lostOf = async ({ knex }: Fleet, tokens: ReadonlySet<string>): Promise<number> => {
  const stored = new Set(await knex('events').where({ kind: 'impression' }).pluck<string[]>('jti'));
  return [...tokens].filter((token) => !stored.has(token)).length;
};

/** Line items with more rows than their cap. */
const overCap = async ({ knex }: Fleet): Promise<number> => {
  const { rows } = await knex.raw<{ rows: { over: number }[] }>(
    `select count(*)::int as over from (
       select l.id from line_items l join events e on e.line_item_id = l.id and e.kind = 'impression'
       group by l.id, l.daily_impression_cap having count(*) > l.daily_impression_cap) above`,
  );
  return rows[0]?.over ?? NaN;
};
