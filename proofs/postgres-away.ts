import { networkOutage, rideOutOutage } from './rig/ride-out-outage.ts';
import type { Proof } from './rig/proof.ts';

export const postgresAway: Proof = {
  name: 'postgres-away',
  claim: 'Postgres away for 60 s: a black hole, then refused connections',
  expected: '/ad 100 % 200 and filled, p99 ≤ 150 ms; no acknowledged impression lost or doubled; normal within 2 s after',
  run: (rig, scale) => rideOutOutage(rig, scale, { ...networkOutage(({ postgresProxies }) => postgresProxies), minFill: 0.99 }),
};
