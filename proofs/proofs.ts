import { activity } from './activity.ts';
import { allocation } from './allocation.ts';
import { allowances } from './allowances.ts';
import { badRows } from './bad-rows.ts';
import { cap } from './cap.ts';
import { capFaults } from './cap-faults.ts';
import { chaos } from './chaos.ts';
import { clickHouse } from './clickhouse.ts';
import { convergence } from './convergence.ts';
import { cost } from './cost.ts';
import { earned } from './earned.ts';
import { failover } from './failover.ts';
import { forecast } from './forecast.ts';
import { frequency } from './frequency.ts';
import { goals } from './goals.ts';
import { hits } from './hits.ts';
import { hostile } from './hostile.ts';
import { hungBidders } from './hung-bidders.ts';
import { localDays } from './local-days.ts';
import { loss } from './loss.ts';
import { pageView } from './page-view.ts';
import { poison } from './poison.ts';
import { postgresAway } from './postgres-away.ts';
import { decisions } from './decisions.ts';
import { prebidServer } from './prebid-server.ts';
import { redisAway } from './redis-away.ts';
import { reload } from './reload.ts';
import { reports } from './reports.ts';
import { reviveMove } from './revive-move.ts';
import { reviveRules } from './revive-rules.ts';
import { rolling } from './rolling.ts';
import { rotation } from './rotation.ts';
import { secrets } from './secrets.ts';
import { scriptCost } from './script-cost.ts';
import { series } from './series.ts';
import { sinks } from './sinks.ts';
import { shareOfVoice } from './share-of-voice.ts';
import { siblings } from './siblings.ts';
import { spend } from './spend.ts';
import { tokens } from './tokens.ts';
import { upkeep } from './upkeep.ts';
import { video } from './video.ts';
import type { Proof } from './rig/proof.ts';

/** All proofs, in the order of their figures. */
export const PROOFS: readonly Proof[] = [
  cap,
  capFaults,
  allowances,
  activity,
  spend,
  frequency,
  pageView,
  shareOfVoice,
  video,
  earned,
  scriptCost,
  cost,
  chaos,
  hits,
  loss,
  rolling,
  redisAway,
  failover,
  postgresAway,
  poison,
  prebidServer,
  reviveRules,
  reviveMove,
  sinks,
  decisions,
  clickHouse,
  reports,
  hungBidders,
  reload,
  upkeep,
  badRows,
  convergence,
  tokens,
  hostile,
  siblings,
  allocation,
  goals,
  localDays,
  forecast,
  rotation,
  series,
  secrets,
];
