import { Pool } from 'undici';
import { book } from '../testkit/book.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import type { Proof } from './rig/proof.ts';

const TAGS_PER_REQUEST = 20;

export const series: Proof = {
  name: 'series',
  claim: 'metrics after a million new names: users, tags, key-values, event types, paths',
  expected: 'the same series as before',
  run: async (rig, scale) => {
    const requests = scale.of(42_000, 800);
    const types = scale.of(100_000, 2_000);
    const fleet = await rig.fleet({ replicas: 1 });
    const url = fleet.replicas[0]?.url ?? '';
    const pool = new Pool(url, { connections: 64 });
    try {
      const booking = await book(fleet.knex);
      await fleet.reload();
      const ask = async (i: number): Promise<number> => {
        const imp = Array.from({ length: TAGS_PER_REQUEST }, (_, n) => ({
          id: `${n}`,
          tagid: n === 0 && i % 10 === 0 ? booking.placementId : `tag-${i}-${n}`,
        }));
        const body = JSON.stringify({
          id: `r${i}`,
          imp,
          user: { id: `user-${i}` },
          ext: { publisher_id: booking.publisherId, kv: { [`key-${i}`]: `v${i}` } },
        });
        const answer = await pool.request({ method: 'POST', path: '/ad', headers: { 'x-api-key': booking.apiKey }, body });
        await answer.body.dump();
        return answer.statusCode;
      };
      const get = async (path: string): Promise<void> => {
        const answer = await pool.request({ method: 'GET', path });
        await answer.body.dump();
      };
      // Send one of each kind before the count, so that series with fixed labels exist.
      await ask(0);
      await get('/event?t=x&type=first');
      await get('/somewhere');
      const names = async () => namesOf(await (await fetch(`${url}/metrics`)).text());
      const before = await names();
      const statuses = new Map<number, number>();
      await inParallel(requests, 64, async (i) => {
        const status = await ask(i + 1);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      });
      await inParallel(types, 64, (i) => get(i % 20 === 0 ? `/path-${i}` : `/event?t=x&type=type-${i}`));
      const after = await names();
      const fresh = after.filter((name) => !before.includes(name));
      const distinct = requests * (TAGS_PER_REQUEST + 3) + types;
      return {
        observed: `${distinct} new names (${requests} users, ${requests * TAGS_PER_REQUEST} tags, ${requests} keys and values, ${types} types and paths): ${before.length} series before, ${after.length} after${fresh.length > 0 ? `; new: ${fresh.slice(0, 3).join(', ')}` : ''}`,
        ok: fresh.length === 0 && after.length === before.length && statuses.get(200) === requests,
      };
    } finally {
      await pool.destroy();
      await fleet.close();
    }
  },
};

/** Node's gauges of open handles and requests depend on what is open, and each of the four kinds of garbage collection appears at its first run. */
const namesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !/^nodejs_(?:active|gc)_/.test(line))
    .map((line) => line.slice(0, line.lastIndexOf(' ')));
