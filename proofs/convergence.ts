import { book } from '../testkit/book.ts';
import { createPage } from '../testkit/create-page.ts';
import type { Proof } from './rig/proof.ts';
import { untilTrue } from '../testkit/until.ts';

const MAX_CUT_OFF_MS = 5_000;
const MAX_NOTIFIED_MS = 1_000;

export const convergence: Proof = {
  name: 'convergence',
  claim: 'after a change and one POST /reload all replicas serve it, with pub/sub and with Redis cut off',
  expected: `≤ ${MAX_NOTIFIED_MS} ms with pub/sub, ≤ ${MAX_CUT_OFF_MS} ms without`,
  run: async (rig, scale) => {
    const rounds = scale.of(10, 2);
    const fleet = await rig.fleet({ replicas: 3, faulty: true, env: { RELOAD_INTERVAL: '24h' } });
    const pages = fleet.replicas.map(({ url }) => createPage(url, 2));
    try {
      const booking = await book(fleet.knex);
      await fleet.reload();
      let version = 0;
      const change = async (): Promise<number> => {
        const content = `version ${++version}`;
        await fleet.knex('creatives').where({ id: booking.creativeIds[0] }).update({ content });
        await fetch(`${fleet.replicas[0]?.url}/reload`, { method: 'POST' });
        const isThere = async (): Promise<boolean> => {
          const answers = await Promise.all(pages.map((page) => page.ask(booking, 'reader')));
          return answers.every(({ bids }) => bids[0]?.adm === content);
        };
        return (await untilTrue(isThere, 20_000, 10)) ?? Infinity;
      };
      const notifiedMs: number[] = [];
      const cut: number[] = [];
      for (let round = 0; round < rounds; round++) {
        notifiedMs.push(await change());
        for (const proxy of fleet.redisProxies) proxy.set({ kind: round % 2 === 0 ? 'blackhole' : 'reset' });
        cut.push(await change());
        for (const proxy of fleet.redisProxies) proxy.set({ kind: 'pass' });
        // Wait for the new subscription before the next message.
        await untilTrue(async () => (await fleet.metric('adserver_redis_up')) === fleet.replicas.length, 10_000);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
      const [maxNotifiedMs, maxCutOffMs] = [Math.round(Math.max(...notifiedMs)), Math.round(Math.max(...cut))];
      return {
        observed: `${rounds} rounds on ${fleet.replicas.length} replicas: at most ${maxNotifiedMs} ms with pub/sub, ${maxCutOffMs} ms with Redis cut off`,
        ok: maxNotifiedMs <= scale.ms(MAX_NOTIFIED_MS) && maxCutOffMs <= scale.ms(MAX_CUT_OFF_MS),
      };
    } finally {
      for (const page of pages) await page.close();
      await fleet.close();
    }
  },
};
