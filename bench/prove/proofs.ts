import { badRows } from './proofs/bad-rows.ts';
import { cap } from './proofs/cap.ts';
import { capFaults } from './proofs/cap-faults.ts';
import { convergence } from './proofs/convergence.ts';
import { frequency } from './proofs/frequency.ts';
import { hits } from './proofs/hits.ts';
import { hostile } from './proofs/hostile.ts';
import { hungBidders } from './proofs/hung-bidders.ts';
import { postgresAway } from './proofs/postgres-away.ts';
import { redisAway } from './proofs/redis-away.ts';
import { reload } from './proofs/reload.ts';
import { rolling } from './proofs/rolling.ts';
import { secrets } from './proofs/secrets.ts';
import { series } from './proofs/series.ts';
import { spend } from './proofs/spend.ts';
import { tokens } from './proofs/tokens.ts';
import type { Proof } from './proof.ts';

/** All proofs, in the order in which they run. */
export const PROOFS: readonly Proof[] = [
  cap,
  capFaults,
  spend,
  frequency,
  hits,
  rolling,
  redisAway,
  postgresAway,
  hungBidders,
  reload,
  badRows,
  convergence,
  tokens,
  hostile,
  series,
  secrets,
];
