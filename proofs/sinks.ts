import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { book } from '../testkit/book.ts';
import { createPage } from '../testkit/create-page.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { untilTrue } from '../testkit/until.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof } from './rig/proof.ts';
import { startKafka } from './sinks/start-kafka.ts';

const TOPIC = 'ad-events';
const KILL_MS = 5_000;
const BROKER_AWAY_MS = 10_000;

interface Line {
  readonly event_id: string;
  readonly version: number;
  readonly line_item_id: number;
  readonly kind: string;
  readonly state: string;
  readonly billed_micros: number;
}

/** Removes repeated events as docs/sinks.md says, and sums them by line item, kind and state. */
const sumsOf = (texts: readonly string[]): string => {
  const events = new Map<string, Line>();
  for (const text of texts) {
    const line = JSON.parse(text) as Line;
    if ((events.get(line.event_id)?.version ?? -1) < line.version) events.set(line.event_id, line);
  }
  const sums = new Map<string, [events: number, micros: number]>();
  for (const { line_item_id, kind, state, billed_micros } of events.values()) {
    const key = `${line_item_id} ${kind} ${state}`;
    const [count, micros] = sums.get(key) ?? [0, 0];
    sums.set(key, [count + 1, micros + billed_micros]);
  }
  return textOf([...sums].map(([key, [count, micros]]) => `${key} ${count} ${micros}`));
};
const textOf = (lines: readonly string[]): string => lines.toSorted().join('; ');

const booksOf = async ({ knex }: Fleet): Promise<string> => {
  const { rows } = await knex.raw<{ rows: { text: string }[] }>(
    `select concat_ws(' ', line_item_id, kind, case invalid_reason when '' then 'net' when 'provisional' then 'provisional' else 'filtered' end,
       count(*), sum(billed_micros)) as text from events group by line_item_id, kind, invalid_reason = '', invalid_reason = 'provisional', invalid_reason`,
  );
  return textOf(rows.map(({ text }) => text));
};

const linesIn = async (folder: string): Promise<readonly string[]> => {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ndjson'));
  const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')));
  // The last line of a replica that was killed may be cut off; another replica has written the whole.
  return texts.flatMap((text) => text.split('\n').slice(0, -1));
};

/** Needs the Node that the client of Kafka needs. Hands hits to a real Kafka and to files while replicas and the broker are killed and Redis is started again. */
export const sinks: Proof = {
  name: 'sinks',
  claim: 'hits are handed to Kafka and to files while a replica is killed (-9) every 5 s, the broker once, and Redis is started again',
  expected: 'after the removal of repeated events each sink has the count and the micros of each line item as the event rows',
  needs: 'Java',
  run: async (rig, scale) => {
    const wanted = scale.of(500_000, 2_000);
    const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-sinks-'));
    const files = path.join(folder, 'files');
    const kafka = await startKafka({ folder: path.join(folder, 'kafka'), topic: TOPIC, partitions: 6 });
    const env = { SINKS: `kafka://127.0.0.1:${kafka.port}/${TOPIC} file://${files}?format=ndjson` };
    const fleet = await rig.fleet({ replicas: 3, env });
    const page = createPage(fleet.url, 96);
    try {
      const lineItems = [1, 2, 3].map(() => ({ daily_impression_cap: wanted * 10 }));
      const booking = await book(fleet.knex, { lineItems });
      await fleet.reload();
      let running = true;
      let kills = 0;
      const killer = (async () => {
        for (let turn = 0; running; turn++) {
          await sleep(KILL_MS);
          if (!running) return;
          const victim = fleet.replicas[turn % fleet.replicas.length]!;
          await victim.kill('SIGKILL');
          kills++;
          await victim.start();
        }
      })();
      let hits = 0;
      let faults: Promise<void> | undefined;
      const breakStores = async (): Promise<void> => {
        await kafka.kill();
        await fleet.stopRedis('SIGTERM');
        await fleet.startRedis();
        await sleep(BROKER_AWAY_MS);
        await kafka.start();
      };
      await inParallel(
        wanted * 4,
        24,
        async () => {
          const { bids } = await page.ask(booking, `user-${hits}`);
          const [bid] = bids;
          if (!bid) return;
          hits++;
          if (hits > wanted / 2) faults ??= breakStores();
          await page.hit(bid.impurl);
          if (hits % 5 === 0) await page.hit(bid.clkurl);
        },
        () => hits >= wanted,
      );
      await faults;
      running = false;
      await killer;
      const lag = async () =>
        (await fleet.metric('adserver_sink_lag_seconds')) === 0 && (await fleet.metric('adserver_stream_lag_entries')) === 0;
      const caughtUp = await untilTrue(lag, 180_000, 500);
      const messages = await kafka.readAll();
      const lines = await linesIn(files);
      const books = await booksOf(fleet);
      const [inKafka, inFiles] = [sumsOf(messages), sumsOf(lines)];
      return {
        observed: `Kafka ${kafka.version}: ${messages.length} messages, files: ${lines.length} lines, ${kills} kills; rows: ${books}; Kafka ${inKafka === books ? 'equal' : inKafka}; files ${inFiles === books ? 'equal' : inFiles}${caughtUp === undefined ? '; not caught up' : ''}`,
        ok: caughtUp !== undefined && inKafka === books && inFiles === books && kills > 0,
      };
    } finally {
      await page.close();
      await fleet.close();
      await kafka.kill();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
