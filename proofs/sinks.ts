import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { book } from '../testkit/book.ts';
import { createPage } from '../testkit/create-page.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { untilTrue } from '../testkit/until.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof } from './rig/proof.ts';
import { openTargets, textOf } from './sinks/open-targets.ts';

const KILL_MS = 5_000;
const AWAY_MS = 10_000;
const CAUGHT_UP_MS = 300_000;

const booksOf = async ({ knex }: Fleet): Promise<{ readonly sums: string; readonly days: readonly string[]; readonly events: number }> => {
  const { rows } = await knex.raw<{ rows: { text: string; events: number }[] }>(
    `select concat_ws(' ', line_item_id, kind, state, count(*), sum(billed_micros)) as text, count(*)::int as events
     from (select *, case invalid_reason when '' then 'net' when 'provisional' then 'provisional' else 'filtered' end as state from events) rows
     group by line_item_id, kind, state`,
  );
  const { rows: days } = await knex.raw<{ rows: { day: string }[] }>('select distinct day::text from events');
  const events = rows.reduce((sum, row) => sum + row.events, 0);
  return { sums: textOf(rows.map(({ text }) => text)), days: days.map(({ day }) => day), events };
};

/** Hands hits to every sink that this machine has, while replicas are killed, those sinks that can are broken, and Redis is started again. */
export const sinks: Proof = {
  name: 'sinks',
  claim:
    'hits are handed to lines, a lake, ClickHouse (chDB) and Kafka, as far as this machine has them, while a replica is killed (-9) every 5 s, lake and broker are away once, and Redis is started again',
  expected: 'after the removal of repeated events each sink has the count and the micros of each line item as the event rows',
  run: async (rig, scale) => {
    const wanted = scale.of(500_000, 2_000);
    const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-sinks-'));
    const targets = await openTargets(folder);
    const fleet = await rig.fleet({ replicas: scale.of(3, 2), env: { SINKS: targets.map(({ url }) => url).join(' ') } });
    const page = createPage(fleet.url, 96);
    try {
      const booking = await book(fleet.knex, { lineItems: [1, 2, 3].map(() => ({ daily_impression_cap: wanted * 10 })) });
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
      let hits = 0;
      let faults: Promise<void> | undefined;
      const breakAll = async (): Promise<void> => {
        for (const target of targets) await target.break?.();
        await fleet.stopRedis('SIGTERM');
        await fleet.startRedis();
        await sleep(AWAY_MS);
        for (const target of targets) await target.mend?.();
      };
      await inParallel(
        wanted * 40,
        24,
        async () => {
          const { bids } = await page.ask(booking, `user-${hits}`);
          const [bid] = bids;
          // A replica starts, or Redis does.
          if (!bid) return sleep(50);
          hits++;
          if (hits > wanted / 2) faults ??= breakAll();
          await page.hit(bid.impurl);
          if (hits % 5 === 0) await page.hit(bid.clkurl);
          return undefined;
        },
        () => hits >= wanted,
      );
      await faults;
      running = false;
      await killer;
      const hasAll = async () =>
        (await fleet.metric('adserver_sink_lag_seconds')) === 0 && (await fleet.metric('adserver_stream_lag_entries')) === 0;
      const caughtUp = await untilTrue(hasAll, CAUGHT_UP_MS, 500);
      const books = await booksOf(fleet);
      const found = await Promise.all(targets.map(async ({ name, read }) => ({ name, ...(await read(books.days)) })));
      const wrong = found.filter(({ sums }) => sums !== books.sums);
      const words = found.map(
        ({ name, sums, written }) =>
          `${name}${written === undefined ? '' : ` (${written} with repeated ones)`} ${sums === books.sums ? 'equal' : sums}`,
      );
      return {
        observed: `${books.events} events, ${kills} kills; rows: ${books.sums}; ${words.join('; ')}${caughtUp === undefined ? '; not caught up' : ''}`,
        ok: caughtUp !== undefined && wrong.length === 0 && kills > 0 && books.events >= wanted,
      };
    } finally {
      await page.close();
      await fleet.close();
      for (const target of targets) await target.end();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
