import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { book } from '../testkit/book.ts';
import { createSteadyLoad } from './rig/create-steady-load.ts';
import type { Proof } from './rig/proof.ts';

const MAX_P99_MS = 150;
const REPLICAS = 3;
/** Until its breaker opens, and for its later trials. A small run, which may share the machine with anything, judges by these alone. */
const MAX_WAITED_PER_REPLICA = 25;

/** A bidder accepts connections and never answers; the direct line item must be served instead. */
export const hungBidders: Proof = {
  name: 'hung-bidders',
  isTimed: true,
  claim: 'the only bidder accepts connections and never answers',
  expected: `/ad 100 % 200 and filled by direct line items; at most ${MAX_WAITED_PER_REPLICA} for each replica waited for the bidder; p99 ≤ ${MAX_P99_MS} ms from the first request on`,
  run: async (rig, scale) => {
    const lastsMs = scale.of(60_000, 16_000);
    let waited = 0;
    const bidder = createServer((socket) => {
      socket.on('error', () => undefined).on('data', (chunk) => (waited += String(chunk).startsWith('POST ') ? 1 : 0));
    });
    bidder.listen(0, '127.0.0.1');
    await once(bidder, 'listening');
    const endpoint = `http://127.0.0.1:${(bidder.address() as AddressInfo).port}/`;
    const fleet = await rig.fleet({ replicas: REPLICAS });
    const { page } = fleet;
    try {
      const booking = await book(fleet.knex, { lineItems: [{ type: 'programmatic', endpoint, cpm_micros: null, priority: 1 }, {}] });
      await fleet.reload();
      const load = createSteadyLoad({ page, perSecond: 100, bookings: [booking] });
      await sleep(lastsMs);
      await load.stop();
      const { ads, adsNot200, filled, adP99Ms, adMostMs } = load.figures();
      return {
        observed: `${lastsMs / 1000} s: ${ads} ad requests, ${adsNot200} not 200, ${filled} filled, ${waited} waited for the bidder (BIDDER_TIMEOUT 300 ms), p99 ${adP99Ms} ms, most ${adMostMs}`,
        ok:
          adsNot200 === 0 &&
          filled === ads &&
          waited > 0 &&
          waited <= MAX_WAITED_PER_REPLICA * REPLICAS &&
          (scale.quick || adP99Ms <= MAX_P99_MS),
      };
    } finally {
      await fleet.close();
      bidder.close();
    }
  },
};
