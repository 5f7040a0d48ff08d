import { VIDEO_EVENT_LABELS } from '../catalog/model/video-events.ts';
import { DECIDERS } from '../ledger/allowances/allowances-options.ts';
import { BID_OUTCOME_NAMES } from '../bidders/bid-outcome.ts';
import { BIDDER_STEPS, CIRCUIT_STATES, IMPRESSION_STEPS, NOTICE_KINDS, NOTICE_OUTCOMES } from '../bidders/bidder-observer.ts';
import { reasonNames } from '../decision/no-bid-reason.ts';
import { HIT_KINDS, INVALID_REASONS } from '../ledger/hit.ts';
import type { MetricsOptions } from '../observability/metrics.ts';
import { SIGN_IN_METHODS, SIGN_IN_OUTCOMES } from '../people/accounts/sign-in.ts';
import { ADMIN_REFUSALS } from '../people/admin-gate.ts';
import { AGE_LABELS } from '../forecast/errors/error-gauges.ts';
import { ALERT_KIND_NAMES } from '../catalog/model/alert-kinds.ts';
import { WHYS_POSTGRES } from '../reports/choose-figures.ts';

/** The closed label sets of a replica's metrics, each from the folder that defines it. */
export const metricLabels = (eventTypes: readonly string[], sinks: readonly string[]): MetricsOptions => ({
  noBidReasons: reasonNames,
  eventTypes: [...eventTypes, ...VIDEO_EVENT_LABELS.filter((type) => !eventTypes.includes(type))],
  hitKinds: HIT_KINDS,
  invalidReasons: INVALID_REASONS,
  bidOutcomes: BID_OUTCOME_NAMES,
  noticeKinds: NOTICE_KINDS,
  noticeOutcomes: NOTICE_OUTCOMES,
  deciders: DECIDERS,
  circuitStates: CIRCUIT_STATES,
  bidderSteps: BIDDER_STEPS,
  impressionSteps: IMPRESSION_STEPS,
  adminRefusals: ADMIN_REFUSALS,
  signInMethods: SIGN_IN_METHODS,
  signInOutcomes: SIGN_IN_OUTCOMES,
  alertKinds: ALERT_KIND_NAMES,
  forecastAges: AGE_LABELS,
  sinks,
  whysPostgres: ['none', ...WHYS_POSTGRES],
});
