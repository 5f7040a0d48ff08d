import { Gauge, type Registry } from 'prom-client';
import { within } from '../base/within.ts';

type Read<T> = () => T | Promise<T>;

/**
 * Values read at each scrape. A reader that fails, or takes longer than half a second, gives NaN.
 */
export interface GaugeReaders {
  readonly ready?: Read<boolean>;
  readonly snapshotVersion?: Read<number>;
  readonly snapshotAgeSeconds?: Read<number>;
  /** Rows left out of the snapshot, by table. */
  readonly snapshotQuarantinedRows?: Read<Readonly<Record<string, number>>>;
  readonly catalogWorkerUp?: Read<boolean>;
  readonly redisUp?: Read<boolean>;
  readonly redisShardsDown?: Read<number>;
  readonly redisRoundTripSeconds?: Read<number>;
  readonly redisContested?: Read<boolean>;
  /** This replica's clock minus Redis's. */
  readonly clockOffsetSeconds?: Read<number>;
  readonly tokenTtls?: Read<number>;
  readonly postgresUp?: Read<boolean>;
  readonly postgresRoundTripSeconds?: Read<number>;
  readonly postgresWaiting?: Read<number>;
  readonly redisMisconfigured?: Read<boolean>;
  readonly streamLagEntries?: Read<number>;
  readonly streamAgeSeconds?: Read<number>;
  readonly pendingHits?: Read<number>;
  readonly pendingHitAgeSeconds?: Read<number>;
  readonly foldHorizonAgeSeconds?: Read<number>;
  readonly deadEvents?: Read<number>;
  readonly driftCounts?: Read<number>;
  readonly driftAccounts?: Read<number>;
  readonly reconciledAgeSeconds?: Read<number>;
  readonly unsettledReservations?: Read<number>;
  /** By currency, ISO 4217. */
  readonly held?: Read<Readonly<Record<string, number>>>;
  readonly spendToday?: Read<Readonly<Record<string, number>>>;
  /** Shards. */
  readonly booksRebuilding?: Read<number>;
  readonly accountsSetAside?: Read<number>;
  readonly allowancesOutstanding?: Read<number>;
  /** Open alerts, by kind. */
  readonly alerts?: Read<Readonly<Record<string, number>>>;
  /** By the age of the forecast in days; NaN: none was compared. */
  readonly forecastError?: Read<Readonly<Record<string, number>>>;
  readonly forecastHeld?: Read<Readonly<Record<string, number>>>;
  readonly trafficForecastError?: Read<Readonly<Record<string, number>>>;
  readonly sinksNotNamed?: Read<number>;
  /** By the name of the sink. */
  readonly sinkLagSeconds?: Read<Readonly<Record<string, number>>>;
  readonly sinkGapHours?: Read<Readonly<Record<string, number>>>;
  readonly sinkDifferingHours?: Read<Readonly<Record<string, number>>>;
  readonly sinkComparedAgeSeconds?: Read<Readonly<Record<string, number>>>;
  readonly trafficForecastHeld?: Read<Readonly<Record<string, number>>>;
}

const TABLES = ['publishers', 'placements', 'bidders', 'campaigns', 'line_items', 'creatives'] as const;
const MAX_READ_MS = 500;

const HELP = {
  ready: ['ready', '1 when the replica accepts requests: it has a snapshot and is not shutting down'],
  snapshotVersion: ['snapshot_version', 'Version of the catalog snapshot in use'],
  snapshotAgeSeconds: ['snapshot_age_seconds', 'Time since the snapshot was last known to be current'],
  catalogWorkerUp: ['catalog_worker_up', '1 when the thread that loads the catalog has not failed since its last load'],
  redisUp: ['redis_up', '1 when every Redis shard accepts writes'],
  redisShardsDown: ['redis_shards_down', 'Redis shards that do not accept writes'],
  redisRoundTripSeconds: ['redis_round_trip_seconds', 'Round trip of the last Redis probe'],
  redisContested: ['redis_contested', '1 when Redis holds the claim of another installation or LEDGER_SHARDS since this replica started'],
  clockOffsetSeconds: ['clock_offset_seconds', "This replica's clock minus Redis's"],
  tokenTtls: ['token_ttls', 'Different values of TOKEN_TTL on the running replicas'],
  postgresUp: ['postgres_up', '1 when Postgres answers'],
  postgresRoundTripSeconds: ['postgres_round_trip_seconds', 'Time of a minimal Postgres query, waiting for a connection included'],
  postgresWaiting: ['postgres_waiting', 'Queries waiting for a Postgres connection'],
  redisMisconfigured: [
    'redis_misconfigured',
    '1 when Redis could lose counters (an eviction policy, no append-only file) or is a cluster of which REDIS_URL names one node',
  ],
  streamLagEntries: [
    'stream_lag_entries',
    'Entries of the event streams that are not yet in Postgres; each has the hits of one call, 1 to 64',
  ],
  streamAgeSeconds: ['stream_age_seconds', 'Age of the oldest event in Redis that is not yet in Postgres; 0 when there is none'],
  pendingHits: ['pending_hits', 'Hits in Postgres that are not yet folded into Redis'],
  pendingHitAgeSeconds: [
    'pending_hit_age_seconds',
    'Age of the oldest hit in Postgres that is not yet folded into Redis; 0 when there is none',
  ],
  foldHorizonAgeSeconds: ['fold_horizon_age_seconds', 'Age of the time up to which every hit is folded, of the shard that is behind most'],
  deadEvents: ['dead_events', 'Events in the dead-letter table'],
  driftCounts: ['drift_counts', 'Daily, event and hourly counts that differed from the event rows in the last round of the comparison'],
  driftAccounts: ['drift_accounts', 'Accounts in Redis that differed from the daily counts in the last round of the comparison'],
  reconciledAgeSeconds: ['reconciled_age_seconds', 'Time since the last round of the comparison ended, by any replica'],
  unsettledReservations: ['unsettled_reservations', "Today's open reservations: served, neither seen nor expired"],
  sinksNotNamed: ['sinks_not_named', 'Sinks that other replicas hand events to and that SINKS of this replica does not name'],
  allowancesOutstanding: ['allowances_outstanding', 'Ads that this replica has reserved and may hand out without Redis'],
  booksRebuilding: ['books_rebuilding', 'Shards whose accounts are being rebuilt, because Redis lost data'],
  accountsSetAside: ['accounts_set_aside', 'Accounts with wrong sums or records: they refuse every reservation until repaired'],
} as const;

/** Gauges with a label, of which each value has a series. */
const LABELLED = {
  snapshotQuarantinedRows: [
    'snapshot_quarantined_rows',
    'Rows left out of the snapshot because they, or their parents, are invalid',
    'table',
  ],
  alerts: ['alerts', 'Open alerts of the trafficking page, over all replicas', 'kind'],
  held: ['held', 'Reserved and neither billed nor released, over all replicas; read once a minute', 'currency'],
  spendToday: ['spend_today', 'Billed today, by the day of each publisher, over all replicas; read once a minute', 'currency'],
  forecastError: [
    'forecast_error',
    'Mean absolute percentage error of forecast daily deliveries of line items in four weeks, 0 to 1',
    'age',
  ],
  forecastHeld: [
    'forecast_held',
    'The part of daily deliveries of line items in four weeks that was within P10 to P90 of the forecast',
    'age',
  ],
  trafficForecastError: ['traffic_forecast_error', 'As adserver_forecast_error, of the impressions that pages ask for by placement', 'age'],
  sinkLagSeconds: ['sink_lag_seconds', 'Age of the oldest event that a sink does not have; 0 when there is none', 'sink'],
  sinkGapHours: ['sink_gap_hours', 'Hours of which a sink lacks events, until they are filled in', 'sink'],
  sinkDifferingHours: [
    'sink_differing_hours',
    'Hours of a week that differed from the event rows when they were last compared, and were handed to the sink again',
    'sink',
  ],
  sinkComparedAgeSeconds: ['sink_compared_age_seconds', 'Since a sink was last compared with the event rows; 0 when it never was', 'sink'],
  trafficForecastHeld: ['traffic_forecast_held', 'As adserver_forecast_held, of the impressions that pages ask for by placement', 'age'],
} as const;

/** The closed sets of values of their labels. */
export interface GaugeLabels {
  readonly alertKinds: readonly string[];
  readonly sinks: readonly string[];
  /** Days. */
  readonly forecastAges: readonly string[];
}

/**
 * Registers the gauges, zero until they have a reader, and returns the function that sets their
 * readers.
 */
export const createGauges = (registry: Registry, { alertKinds, forecastAges, sinks }: GaugeLabels): ((readers: GaugeReaders) => void) => {
  const readers: { -readonly [name in keyof GaugeReaders]: GaugeReaders[name] } = {};
  for (const name of Object.keys(HELP) as (keyof typeof HELP)[]) {
    const [series, help] = HELP[name];
    new Gauge({
      name: `adserver_${series}`,
      help,
      registers: [registry],
      async collect() {
        const read = readers[name];
        if (read !== undefined) this.set(Number(await bounded<number | boolean>(read, NaN)));
      },
    });
  }
  /** Those of publishers: the others would be a hundred series of zero. */
  const currencies = ['USD'];
  const values: Readonly<Record<keyof typeof LABELLED, readonly string[]>> = {
    ...{ snapshotQuarantinedRows: TABLES, alerts: alertKinds, held: currencies, spendToday: currencies },
    ...{ forecastError: forecastAges, forecastHeld: forecastAges },
    ...{ trafficForecastError: forecastAges, trafficForecastHeld: forecastAges },
    ...{ sinkLagSeconds: sinks, sinkGapHours: sinks, sinkDifferingHours: sinks, sinkComparedAgeSeconds: sinks },
  };
  for (const name of Object.keys(LABELLED) as (keyof typeof LABELLED)[]) {
    const [series, help, label] = LABELLED[name];
    const gauge = new Gauge({
      name: `adserver_${series}`,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        const read = readers[name];
        if (read === undefined) return;
        const counts = await bounded(read, null);
        if (values[name] === currencies) for (const one of Object.keys(counts ?? {})) if (!currencies.includes(one)) currencies.push(one);
        for (const value of values[name]) this.set({ [label]: value }, counts === null ? NaN : (counts[value] ?? 0));
      },
    });
    for (const value of values[name]) gauge.set({ [label]: value }, 0);
  }
  return (given) => void Object.assign(readers, given);
};

/** One reader whose store hangs must not hide all other series. */
const bounded = <T>(read: Read<T>, unknown: T): Promise<T> =>
  // NaN in the scrape is the report of a failure.
  within(
    MAX_READ_MS,
    Promise.resolve()
      .then(read)
      .catch(() => unknown),
    () => unknown,
  );
