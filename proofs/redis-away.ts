import { networkOutage, rideOutOutage } from './rig/ride-out-outage.ts';
import type { Proof } from './rig/proof.ts';

export const redisAway: Proof = {
  name: 'redis-away',
  claim: 'Redis away for 60 s: a black hole, then refused connections',
  expected:
    '/ad 100 % 200, p99 ≤ 150 ms; line items with caps, budgets and pacing fill ≥ 90 % of before for 30 s, overshoot 0; no acknowledged impression lost or doubled; normal within 2 s after',
  run: (rig, scale) => rideOutOutage(rig, scale, { ...networkOutage(({ redisProxies }) => redisProxies), minFill: 0.9 }),
};
