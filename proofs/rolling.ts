import { setTimeout as sleep } from 'node:timers/promises';
import { book } from '../testkit/book.ts';
import { openLoop } from '../testkit/open-loop.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import type { Proof } from './rig/proof.ts';

const PER_SECOND = 200;

export const rolling: Proof = {
  name: 'rolling',
  isTimed: true,
  claim: `a rolling restart of 3 replicas, twice, under ${PER_SECOND} requests a second, ad requests (POST) and impressions`,
  expected: '0 failed requests; nothing lost',
  run: async (rig, scale) => {
    const rounds = scale.of(2, 1);
    const fleet = await rig.fleet({ replicas: 3, env: { DRAIN_TIME: scale.of('5s', '1s') } });
    const { page } = fleet;
    try {
      const booking = await book(fleet.knex);
      await fleet.reload();
      const failures: string[] = [];
      const seen = new Set<string>();
      let requests = 0;
      const stop = openLoop(PER_SECOND / 2, async () => {
        requests++;
        const { status, bids, text } = await page.ask(booking, 'user');
        const [bid] = bids;
        if (status !== 200 || !bid) return void failures.push(`/ad ${status} ${text.slice(0, 80)}`);
        requests++;
        const answered = await page.hit(bid.impurl);
        if (answered === 200) seen.add(bid.id);
        else failures.push(`/impression ${answered}`);
      });
      try {
        for (let round = 0; round < rounds; round++) {
          for (const replica of fleet.replicas) {
            await replica.stop();
            await replica.start();
            await sleep(1_000);
          }
        }
      } finally {
        await stop();
      }
      const drained = await untilDrained(fleet);
      const { counters, rows } = await readBooks(fleet, booking);
      return {
        observed: `${requests} requests over ${rounds * 3} restarts: ${failures.length} failed${failures.length > 0 ? ` (${failures.slice(0, 3).join('; ')})` : ''}; impressions ${seen.size} = ${counters.impressions} = ${rows.impression.length}`,
        ok: drained && failures.length === 0 && seen.size === counters.impressions && seen.size === rows.impression.length,
      };
    } finally {
      await fleet.close();
    }
  },
};
