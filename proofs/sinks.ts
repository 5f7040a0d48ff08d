import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SinkCount } from '../src/events/sinks/event-sink.ts';
import { book, type Booking } from '../testkit/book.ts';
import { createPage } from '../testkit/create-page.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { BUCKET_CREDENTIALS } from '../testkit/start-bucket.ts';
import { untilTrue } from '../testkit/until.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof } from './rig/proof.ts';
import { openTargets, sinksOf } from './sinks/open-targets.ts';

const KILL_MS = 5_000;
const AWAY_MS = 10_000;
const CAUGHT_UP_MS = 600_000;
const SAY_MS = 30_000;
const PUBLISHERS = 6;
const CLIENTS = 24;
/** What a visitor does besides a click. */
const TYPES = ['like', 'share', 'comment'] as const;

const textOf = (counts: readonly SinkCount[]): string => {
  const sums = new Map<string, [events: number, micros: number]>();
  for (const { group, kind, state, events, micros } of counts) {
    const [some, amount] = sums.get(`${group} ${kind} ${state}`) ?? [0, 0];
    sums.set(`${group} ${kind} ${state}`, [some + events, amount + micros]);
  }
  return [...sums]
    .map(([key, [events, micros]]) => `${key} ${events} ${micros}`)
    .sort()
    .join('; ');
};

interface EventRows {
  readonly sums: string;
  readonly days: readonly string[];
  readonly events: number;
  readonly impressions: number;
  readonly micros: number;
}

const eventRows = async ({ knex }: Fleet): Promise<EventRows> => {
  const { rows } = await knex.raw<{ rows: SinkCount[] }>(
    `select line_item_id::text as "group", kind, state, count(*)::int as events, sum(billed_micros)::float8 as micros
     from (select *, case invalid_reason when '' then 'net' when 'provisional' then 'provisional' else 'filtered' end as state from events) rows
     group by line_item_id, kind, state`,
  );
  const { rows: days } = await knex.raw<{ rows: { day: string }[] }>('select distinct day::text from events');
  const sum = (some: readonly SinkCount[], of: 'events' | 'micros'): number => some.reduce((total, row) => total + row[of], 0);
  const net = rows.filter(({ kind, state }) => kind === 'impression' && state === 'net');
  const sums = { events: sum(rows, 'events'), impressions: sum(net, 'events'), micros: sum(rows, 'micros') };
  return { sums: textOf(rows), days: days.map(({ day }) => day), ...sums };
};

/** Impressions and spend that the ledger has counted, of all line items. */
const ledgerOf = async ({ accounts }: Fleet, bookings: readonly Booking[]) => {
  const held = await Promise.all(bookings.map(({ publisherId, lineItemIds }) => accounts.lineItems(publisherId, lineItemIds)));
  const counted = held.flat().filter((account) => account !== undefined);
  return {
    impressions: counted.reduce((sum, { totalImpressions }) => sum + totalImpressions, 0),
    micros: counted.reduce((sum, { totalSpendMicros }) => sum + totalSpendMicros, 0),
  };
};

/** Hands hits to every sink that this machine has, while replicas are killed, those sinks that can are broken, and Redis is started again. */
export const sinks: Proof = {
  name: 'sinks',
  claim:
    'hits are handed to lines, a lake in a folder and one in a bucket, ClickHouse (chDB) and Kafka, as far as this machine has them, while a replica is killed (-9) every 5 s, folder, bucket and broker fail once, and Redis is started again',
  expected:
    'after the removal of repeated events (files and messages: by DuckDB) each sink has the count and the micros of each line item as the event rows, which have every hit that was answered 200, and what the ledger counted',
  run: async (rig, scale) => {
    const wanted = scale.count ?? scale.of(2_000_000, 5_000);
    const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-sinks-'));
    const targets = await openTargets(folder);
    const fleet = await rig.fleet({ replicas: scale.of(3, 2), env: { SINKS: sinksOf(targets), ...BUCKET_CREDENTIALS } });
    const page = createPage(fleet.url, 4 * CLIENTS);
    try {
      const bookings: Booking[] = [];
      for (let n = 0; n < PUBLISHERS; n++)
        bookings.push(await book(fleet.knex, { lineItems: [1, 2].map(() => ({ daily_impression_cap: wanted * 10 })) }));
      await fleet.reload();
      let running = true;
      let kills = 0;
      const killer = (async () => {
        for (let turn = 0; running; turn++) {
          await sleep(KILL_MS);
          if (!running && kills > 0) return;
          const victim = fleet.replicas[turn % fleet.replicas.length]!;
          await victim.kill('SIGKILL');
          kills++;
          await victim.start();
        }
      })();
      let ads = 0;
      let hits = 0;
      let faults: Promise<void> | undefined;
      const breakAll = async (): Promise<void> => {
        for (const target of targets) await target.break?.();
        await fleet.stopRedis('SIGTERM');
        await fleet.startRedis();
        await sleep(AWAY_MS);
        for (const target of targets) await target.mend?.();
      };
      const begun = performance.now();
      const progress = setInterval(
        () => rig.say(`  ${hits} hits of ${ads} ads, ${Math.round((1000 * hits) / (performance.now() - begun))} a second, ${kills} kills`),
        SAY_MS,
      );
      await inParallel(
        wanted * 40,
        CLIENTS,
        async () => {
          const booking = bookings[ads % PUBLISHERS]!;
          const { bids } = await page.ask(booking, `user-${ads}`);
          const [bid] = bids;
          // A replica starts, or Redis does.
          if (!bid) return sleep(50);
          const nth = ads++;
          if (hits > wanted / 2) faults ??= breakAll();
          const urls = [bid.impurl, ...(nth % 5 === 0 ? [bid.clkurl] : []), ...TYPES.map((type) => `${bid.evturl}&type=${type}`)];
          const statuses = await Promise.all(urls.map((url) => page.hit(url)));
          hits += statuses.filter((status) => status === 200).length;
          return undefined;
        },
        () => hits >= wanted,
      );
      await faults;
      clearInterval(progress);
      const seconds = Math.round((performance.now() - begun) / 1000);
      running = false;
      await killer;
      rig.say(`  ${hits} hits of ${ads} ads were answered in ${seconds} s; until the sinks have them …`);
      const isZero = async (name: string): Promise<boolean> => (await fleet.metric(name)) === 0;
      const hasAll = async () =>
        (await isZero('adserver_sink_lag_seconds')) && (await isZero('adserver_sink_gap_hours')) && isZero('adserver_stream_lag_entries');
      const caughtUp = await untilTrue(hasAll, CAUGHT_UP_MS, 500);
      const rows = await eventRows(fleet);
      const ledger = await ledgerOf(fleet, bookings);
      const found: { readonly name: string; readonly isEqual: boolean; readonly words: string }[] = [];
      // One after the other: each reader takes a gigabyte at the full scale.
      for (const { name, read } of targets) {
        const { counts, written } = await read(rows.days);
        const isEqual = textOf(counts) === rows.sums;
        const repeated = written === undefined ? '' : ` (${written - counts.reduce((sum, { events }) => sum + events, 0)} repeated)`;
        found.push({ name, isEqual, words: `${name}${repeated} ${isEqual ? 'equal' : `DIFFERS: ${textOf(counts)}`}` });
        rig.say(`  ${found.at(-1)!.words.slice(0, 400)}`);
      }
      const isCounted = ledger.impressions === rows.impressions && ledger.micros === rows.micros;
      return {
        observed: `${hits} hits answered 200 in ${seconds} s, ${kills} kills; ${rows.events} event rows, ${rows.impressions} net impressions and ${rows.micros} micros, in the ledger ${ledger.impressions} and ${ledger.micros}; ${found.map(({ words }) => words).join('; ')}${caughtUp === undefined ? '; not caught up' : ''}${found.every(({ isEqual }) => isEqual) ? '' : `; rows: ${rows.sums}`}`,
        ok: caughtUp !== undefined && found.every(({ isEqual }) => isEqual) && isCounted && kills > 0 && rows.events >= hits,
      };
    } finally {
      await page.close();
      await fleet.close();
      for (const target of targets) await target.end();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
