import { book } from '../testkit/book.ts';
import { createPage } from '../testkit/create-page.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof } from './rig/proof.ts';

const PLACES = 3;
const CONCURRENT = 200;

export const frequency: Proof = {
  name: 'frequency',
  claim: `a frequency cap of ${PLACES} with ${CONCURRENT} concurrent requests of one user`,
  expected: `exactly ${PLACES} serves for each user; every Redis key has a TTL`,
  run: async (rig, scale) => {
    const users = scale.of(50, 8);
    const fleet = await rig.fleet({ replicas: 4 });
    const page = createPage(fleet.url, CONCURRENT);
    try {
      const booking = await book(fleet.knex, { lineItems: [{ frequency_cap: PLACES, frequency_window_s: 3600 }] });
      await fleet.reload();
      const wrong: string[] = [];
      for (let user = 1; user <= users; user++) {
        const answers = await Promise.all(Array.from({ length: CONCURRENT }, () => page.ask(booking, `user-${user}`)));
        const bids = answers.flatMap((answer) => answer.bids);
        if (bids.length !== PLACES) wrong.push(`user ${user}: ${bids.length}`);
        // Half of the users see their ads: a confirmed place counts like a reserved one.
        if (user % 2 === 0) for (const { impurl, evturl } of bids) await Promise.all([page.hit(impurl), page.hit(`${evturl}&type=like`)]);
        const again = await page.ask(booking, `user-${user}`);
        if (again.bids.length > 0) wrong.push(`user ${user}: one more afterwards`);
      }
      const lasting = await keysWithoutTtl(fleet);
      return {
        observed: `${users} users × ${CONCURRENT} requests: ${wrong.length === 0 ? `${PLACES} serves each` : wrong.join(', ')}; keys without TTL: ${lasting.join(', ') || 'none'}`,
        ok: wrong.length === 0 && lasting.length === 0,
      };
    } finally {
      await page.close();
      await fleet.close();
    }
  },
};

const keysWithoutTtl = async ({ redis }: Fleet): Promise<readonly string[]> => {
  const keys = await redis.keys('*');
  const ttls = await Promise.all(keys.map((key) => redis.pttl(key)));
  return keys.filter((_, i) => ttls[i] === -1);
};
