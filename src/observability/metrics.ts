import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { createBidderMetrics, type BidderLabels, type BidderMetrics } from './bidder-metrics.ts';
import { countBy, countByTwo } from './count-by.ts';
import { createGauges, type GaugeReaders } from './gauges.ts';

/** The label sets that settings and other folders define. Values outside them count as `other`. */
export interface MetricsOptions extends BidderLabels {
  /** Names of the no-bid reasons. */
  readonly noBidReasons: readonly string[];
  /** The event allowlist. */
  readonly eventTypes: readonly string[];
  readonly hitKinds: readonly string[];
  /** Why a hit counts as invalid traffic. */
  readonly invalidReasons: readonly string[];
  /** Where reservations are decided. */
  readonly deciders: readonly string[];
  /** Why calls of the trafficking API are refused. */
  readonly adminRefusals: readonly string[];
  /** How people sign in, and how an attempt ends. */
  readonly signInMethods: readonly string[];
  readonly signInOutcomes: readonly string[];
  readonly alertKinds: readonly string[];
  /** Ages of the forecasts that are compared with what came, in days. */
  readonly forecastAges: readonly string[];
  /** Names of the sinks. */
  readonly sinks: readonly string[];
  /** Why a report is read from Postgres although REPORTS_URL is set. */
  readonly whysPostgres: readonly string[];
}

/** What becomes of events at a sink; `failed` counts attempts. */
export const SINK_OUTCOMES = ['written', 'refused', 'passed_over', 'filled', 'handed_again', 'failed'] as const;
export type SinkOutcome = (typeof SINK_OUTCOMES)[number];

/** `token`: malformed, forged or expired. */
export type TrackingRefusal = 'token' | 'event_type' | 'unavailable';
/** The work that fails when a store does. */
export const STORE_WORK = [
  'reserve',
  'settle',
  'report_lots',
  'hit',
  'report',
  'write_events',
  'roll_up',
  'fold',
  'rebuild',
  'prune',
  'reconcile',
  'fill_sinks',
  'reconcile_sinks',
  'count_refusals',
  'count_requests',
  'traffic_sample',
  'forecast',
  'read_reports',
  'send_reports',
  'find_alerts',
  'send_alerts',
  'task_webhooks',
  'billing_notice',
  'trafficking',
  'assets',
] as const;
export type StoreWork = (typeof STORE_WORK)[number];

/**
 * Each function is one increment, cheap enough for the hot path: none throws, waits or creates a
 * series.
 */
export interface Metrics extends BidderMetrics {
  readonly adRequest: () => void;
  /** One per filled impression. */
  readonly served: () => void;
  /** Time from a valid ad request to its selection, bidders and Redis included. */
  readonly selectionTook: (seconds: number) => void;
  readonly impression: () => void;
  readonly click: () => void;
  /** An internal error: a 5xx response, or work lost in the background. */
  readonly error: () => void;
  readonly noBid: (reason: string) => void;
  /** Impressions by where their ad was decided. */
  readonly decided: (by: string, impressions: number) => void;
  /** Ads that were reserved for later requests. */
  readonly lotsGranted: (ads: number) => void;
  /** Of these, ads that were not handed out. */
  readonly lotsReturned: (outcome: 'returned' | 'stranded', ads: number) => void;
  readonly duplicateHit: (kind: string) => void;
  readonly customEvent: (type: string) => void;
  /** A hit that was counted or filtered, or is under judgement. */
  readonly grossHit: (kind: string) => void;
  readonly provisionalHit: (kind: string) => void;
  readonly invalidTraffic: (kind: string, reason: string) => void;
  readonly trackingRefused: (reason: TrackingRefusal) => void;
  readonly reload: (outcome: 'success' | 'failure', seconds: number) => void;
  /** A hit stored in the other store because this one was unavailable. */
  readonly storeFallback: (store: 'redis' | 'postgres') => void;
  /** Redis or Postgres failed. */
  readonly storeFailure: (work: StoreWork) => void;
  /** An impression without its reservation: Redis has lost data. */
  readonly settledWithoutHold: () => void;
  /** An event that Postgres refused for a lasting reason. */
  readonly deadEvent: () => void;
  readonly sinkEvents: (sink: string, outcome: SinkOutcome, events: number) => void;
  readonly sinkDecisions: (sink: string, outcome: 'written' | 'dropped', rows: number) => void;
  /** A report with REPORTS_URL; `none`: it was read from there. */
  readonly reportRead: (whyPostgres: string) => void;
  /** A count that differed from the event rows and was corrected. */
  readonly driftMended: (books: string) => void;
  /** A call of the trafficking API that its gate refused. */
  readonly adminRefused: (reason: string) => void;
  /** An attempt to sign in. */
  readonly signIn: (method: string, outcome: string) => void;
  readonly logDropped: () => void;
  /** Requests that were chosen for the sample of traffic and are not stored. */
  readonly sampleDropped: (requests: number) => void;
  /** Sets the readers of gauges, called at each scrape. */
  readonly watch: (readers: GaugeReaders) => void;
  readonly render: () => Promise<{ readonly contentType: string; readonly body: string }>;
}

/**
 * Seconds; dense below 5 ms, where selections without bidders are, and at the default bidder
 * timeout (300 ms).
 */
const SELECTION_BUCKETS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1];
const RELOAD_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * All series of one replica, in a registry per replica. The six that the specification names have
 * no labels and are present, at zero, from the first scrape.
 */
export const createMetrics = (options: MetricsOptions): Metrics => {
  const { noBidReasons, eventTypes, hitKinds, invalidReasons } = options;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = (name: string, help: string, labelNames: string[] = []): Counter =>
    new Counter({ name: `adserver_${name}`, help, labelNames, registers });
  const plain = (name: string, help: string): (() => void) => {
    const held = counter(name, help);
    return () => held.inc();
  };
  const selection = new Histogram({
    name: 'adserver_ad_selection_duration_seconds',
    help: 'Time from a valid ad request to its selection, bidders and Redis included',
    buckets: SELECTION_BUCKETS,
    registers,
  });
  const reloadTime = new Histogram({
    name: 'adserver_reload_duration_seconds',
    help: 'Time to load the catalog, failed loads included',
    buckets: RELOAD_BUCKETS,
    registers,
  });
  const sampleDropped = counter('traffic_sample_dropped_total', 'Requests that were chosen for the sample of traffic and are not stored');
  const lotsGranted = counter('allowances_granted_total', 'Ads reserved for later requests');
  const reloads = countBy(counter('reloads_total', 'Catalog loads by outcome', ['outcome']), 'outcome', ['success', 'failure']);

  return {
    adRequest: plain('ad_requests_total', 'Ad requests received'),
    served: plain('ad_served_total', 'Impressions filled with an ad'),
    selectionTook: (seconds) => selection.observe(seconds),
    impression: plain('impressions_total', 'Impressions counted'),
    click: plain('clicks_total', 'Clicks counted'),
    error: plain('errors_total', 'Internal errors'),
    noBid: countBy(counter('no_bids_total', 'Impressions left unfilled', ['reason']), 'reason', noBidReasons),
    decided: countBy(counter('reservations_total', 'Impressions by where their ad was decided', ['by']), 'by', options.deciders),
    lotsGranted: (ads) => lotsGranted.inc(ads),
    lotsReturned: countBy(
      counter(
        'allowances_returned_total',
        'Ads reserved for later requests and not handed out; stranded: Redis held them no longer, or cannot take them back',
        ['outcome'],
      ),
      'outcome',
      ['returned', 'stranded'],
    ),
    duplicateHit: countBy(counter('duplicate_hits_total', 'Hits whose token was counted before', ['kind']), 'kind', hitKinds),
    customEvent: countBy(counter('custom_events_total', 'Custom events counted', ['type']), 'type', eventTypes),
    grossHit: countBy(counter('gross_hits_total', 'Hits counted, filtered or provisional', ['kind']), 'kind', hitKinds),
    provisionalHit: countBy(
      counter('provisional_hits_total', 'Hits that were provisional: judged some minutes later', ['kind']),
      'kind',
      hitKinds,
    ),
    invalidTraffic: countByTwo(
      counter('invalid_traffic_total', 'Filtered hits: stored, not counted', ['kind', 'reason']),
      ['kind', hitKinds],
      ['reason', invalidReasons],
    ),
    trackingRefused: countBy(counter('tracking_refused_total', 'Hits and reports refused', ['reason']), 'reason', [
      'token',
      'event_type',
      'unavailable',
    ]),
    reload: (outcome, seconds) => {
      reloads(outcome);
      reloadTime.observe(seconds);
    },
    storeFallback: countBy(
      counter('store_fallback_total', 'Hits stored in the other store because this one was unavailable', ['store']),
      'store',
      ['redis', 'postgres'],
    ),
    storeFailure: countBy(counter('store_failures_total', 'Failures of Redis or Postgres by work', ['work']), 'work', STORE_WORK),
    ...createBidderMetrics(registry, options),
    settledWithoutHold: plain('settled_without_hold_total', 'Impressions whose reservation was not in Redis'),
    deadEvent: plain('dead_events_total', 'Events put into the dead-letter table'),
    sinkEvents: countByTwo(
      counter('sink_events_total', 'Events by sink and what became of them; failed: attempts', ['sink', 'outcome']),
      ['sink', options.sinks],
      ['outcome', SINK_OUTCOMES],
    ),
    sinkDecisions: countByTwo(
      counter('sink_decisions_total', 'Sampled decisions by sink; dropped: it does not have them', ['sink', 'outcome']),
      ['sink', options.sinks],
      ['outcome', ['written', 'dropped']],
    ),
    reportRead: countBy(
      counter('report_reads_total', 'Reports with REPORTS_URL, by why they are read from Postgres; none: they are not', ['why']),
      'why',
      options.whysPostgres,
    ),
    driftMended: countBy(counter('drift_mended_total', 'Counts that differed and were corrected', ['books']), 'books', [
      'counts',
      'accounts',
    ]),
    adminRefused: countBy(
      counter('admin_refused_total', 'Calls of the trafficking API refused before they were read', ['reason']),
      'reason',
      options.adminRefusals,
    ),
    signIn: countByTwo(
      counter('sign_ins_total', 'Attempts to sign in', ['method', 'outcome']),
      ['method', options.signInMethods],
      ['outcome', options.signInOutcomes],
    ),
    sampleDropped: (requests) => sampleDropped.inc(requests),
    logDropped: plain('logs_dropped_total', 'Log lines that could not be written'),
    watch: createGauges(registry, options),
    render: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
};
