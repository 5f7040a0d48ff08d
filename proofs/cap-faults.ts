import { setTimeout as sleep } from 'node:timers/promises';
import { book } from '../testkit/book.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import { untilTrue } from '../testkit/until.ts';
import type { Proof } from './rig/proof.ts';

/**
 * The cap proof with three Redis outages (stopped twice, killed once) and a killed replica. Reservations whose answer was lost hold their place
 * until their token expires, so demand continues until the cap is reached.
 */
export const capFaults: Proof = {
  name: 'cap-faults',
  claim: 'the same cap with Redis stopped twice and killed once, and one replica killed (-9)',
  expected: 'overshoot 0; no impression that was answered 200 lost or counted twice; the cap reached in the end',
  run: async (rig, scale) => {
    const limit = scale.of(10_000, 1_000);
    const demand = limit * 5;
    const repeats = scale.of(5, 1);
    const outcomes: string[] = [];
    let ok = true;
    let [allLost, allTwice, byPostgres] = [0, 0, 0];
    for (let repeat = 1; repeat <= repeats; repeat++) {
      const fleet = await rig.fleet({ replicas: 4, env: { TOKEN_TTL: scale.of('15s', '4s') } });
      const { page } = fleet;
      try {
        const booking = await book(fleet.knex, { lineItems: [{ daily_impression_cap: limit }] });
        await fleet.reload();
        const acknowledged = new Set<string>();
        let asked = 0;
        const ask = async (i: number): Promise<void> => {
          asked++;
          const { bids } = await page.ask(booking, `user-${i}`);
          const [bid] = bids;
          if (!bid) return;
          // A page that received 503 or no answer sends its hit again until its token expires.
          for (let attempt = 0; attempt < 40 && !acknowledged.has(bid.id); attempt++) {
            if (attempt > 0) await sleep(250);
            if ((await page.hit(bid.impurl)) === 200) acknowledged.add(bid.id);
          }
        };
        const faults = (async () => {
          const at = async (share: number): Promise<void> => {
            while (asked < demand * share) await sleep(10);
          };
          const outage = async (how: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
            await fleet.stopRedis(how);
            await sleep(scale.of(1_500, 800));
            await fleet.startRedis();
          };
          await at(0.02);
          await outage('SIGTERM');
          await at(0.06);
          await outage('SIGKILL');
          await at(0.1);
          await fleet.replicas[1]?.kill('SIGKILL');
          await outage('SIGTERM');
          await fleet.replicas[1]?.start();
        })();
        await Promise.all([inParallel(demand, 64, ask), faults]);
        await untilTrue(() => fleet.redis.status === 'ready', 10_000);
        // The reservation of an ad that was not seen is released when its token has expired.
        const deadline = Date.now() + 60_000;
        const delivered = async () => (await readBooks(fleet, booking)).counters.impressions;
        while ((await delivered()) < limit && Date.now() < deadline) {
          await inParallel(500, 64, ask);
          await sleep(500);
        }
        const drained = await untilDrained(fleet);
        const { counters, rows } = await readBooks(fleet, booking);
        const stored = new Set(rows.impression);
        const lost = [...acknowledged].filter((id) => !stored.has(id)).length;
        const twice = rows.impression.length - stored.size;
        const overshoot = Math.max(counters.impressions, rows.impression.length) - limit;
        const withoutHold = await fleet.metric('adserver_settled_without_hold_total');
        const fallbacks = await fleet.metric('adserver_store_fallback_total');
        rig.say(
          `  repeat ${repeat}: asked ${asked}, answered 200 ${acknowledged.size}, counted ${counters.impressions}, rows ${rows.impression.length}, lost ${lost}, twice ${twice}, without hold ${withoutHold}, by way of Postgres ${fallbacks}`,
        );
        ok &&= drained && overshoot === 0 && lost === 0 && twice === 0 && counters.impressions === rows.impression.length;
        allLost += lost;
        allTwice += twice;
        byPostgres += fallbacks;
        outcomes.push(`${counters.impressions}`);
      } finally {
        await fleet.close();
      }
    }
    return {
      observed: `cap ${limit}, ${demand} requests and more until it was reached: delivered ${outcomes.join(', ')}; lost ${allLost}, counted twice ${allTwice}, ${byPostgres} impressions by way of Postgres`,
      ok,
    };
  },
};
