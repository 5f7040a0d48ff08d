import { setTimeout as sleep } from 'node:timers/promises';
import { book } from '../testkit/book.ts';
import { createPage, type PageBid } from '../testkit/create-page.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { lookAtAd } from '../testkit/person.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import type { Proof } from './rig/proof.ts';

const SENDS = 3;
const PRICE_MICROS = 1_000;

/** Sends three concurrent copies of every hit, like pages and balancers that retry, while replicas are killed and replies are lost. */
export const hits: Proof = {
  name: 'hits',
  claim: `every hit sent ${SENDS} times, GETs retried by the balancer, a replica killed (-9) every 2 s, 1 % of Redis replies dropped`,
  expected: 'lost 0, doubled 0; client log = Redis counters = event rows',
  run: async (rig, scale) => {
    const wanted = scale.of(20_000, 1_500);
    const fleet = await rig.fleet({ replicas: 4, faulty: true });
    const page = createPage(fleet.url, 96);
    try {
      const booking = await book(fleet.knex, { lineItems: [{ daily_impression_cap: wanted * 10 }] });
      await fleet.reload();
      for (const proxy of fleet.redisProxies) proxy.set({ kind: 'drop-replies', share: 0.01 });

      const log = { impression: new Set<string>(), click: new Set<string>(), event: new Set<string>() };
      let unanswered = 0;
      let sends = 0;
      let running = true;
      let kills = 0;
      const killer = (async () => {
        for (let turn = 0; running; turn++) {
          await sleep(2_000);
          const victim = fleet.replicas[turn % fleet.replicas.length];
          if (!running || !victim) continue;
          await victim.kill('SIGKILL');
          kills++;
          await victim.start();
        }
      })();

      const send = async (kind: keyof typeof log, { id }: PageBid, url: string): Promise<void> => {
        for (let attempt = 0; attempt < 100 && !log[kind].has(id); attempt++) {
          if (attempt > 0) await sleep(100);
          const statuses = await Promise.all(Array.from({ length: SENDS }, () => page.hit(url)));
          sends += SENDS;
          if (statuses.includes(200)) log[kind].add(id);
          unanswered += statuses.filter((status) => status !== 200).length;
        }
      };
      let tokens = 0;
      let visitors = 0;
      await inParallel(
        wanted * 4,
        24,
        async () => {
          const { bids } = await page.ask(booking, `user-${visitors++}`);
          const [bid] = bids;
          if (!bid || tokens >= wanted) return;
          const turn = tokens++;
          await send('impression', bid, bid.impurl);
          if (turn % 5 === 0) await lookAtAd();
          if (turn % 5 === 0) await send('click', bid, bid.clkurl);
          if (turn % 7 === 0) await send('event', bid, `${bid.evturl}&type=like`);
        },
        () => tokens >= wanted,
      );
      running = false;
      await killer;
      const dropped = fleet.redisProxies.reduce((sum, proxy) => sum + proxy.dropped(), 0);
      for (const proxy of fleet.redisProxies) proxy.set({ kind: 'pass' });
      const drained = await untilDrained(fleet, 120_000);
      const { counters, rows, filtered, rowSpendMicros, daily } = await readBooks(fleet, booking);
      const lostOf = (kind: keyof typeof log) => [...log[kind]].filter((id) => !new Set(rows[kind]).has(id)).length;
      const lost = lostOf('impression') + lostOf('click') + lostOf('event');
      const doubled = Object.values(rows).reduce((sum, ids) => sum + ids.length - new Set(ids).size, 0);
      const agree =
        log.impression.size === counters.impressions &&
        rows.impression.length === counters.impressions &&
        daily.impressions === counters.impressions &&
        log.click.size === counters.clicks &&
        rows.click.length === counters.clicks &&
        log.event.size === rows.event.length &&
        counters.spendMicros === counters.impressions * PRICE_MICROS &&
        rowSpendMicros === counters.spendMicros;
      return {
        observed:
          `${tokens} tokens, ${sends} hits sent (${unanswered} not answered 200), ${kills} kills, ${dropped} replies dropped: ` +
          `impressions ${log.impression.size} = ${counters.impressions} = ${rows.impression.length}, clicks ${log.click.size} = ${counters.clicks} = ${rows.click.length}, ` +
          `events ${log.event.size} = ${rows.event.length}, spend ${counters.spendMicros} = ${rowSpendMicros}; lost ${lost}, doubled ${doubled}${filtered.map((one) => `, filtered: ${one}`).join('')}${drained ? '' : '; not drained'}`,
        ok: drained && agree && lost === 0 && doubled === 0 && tokens === wanted && kills > 0 && dropped > 0,
      };
    } finally {
      await page.close();
      await fleet.close();
    }
  },
};
