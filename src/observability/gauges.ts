import { Gauge, type Registry } from 'prom-client';
import { within } from '../base/within.ts';

type Read<T> = () => T | Promise<T>;

/** What is read at a scrape. A reader that fails, or takes longer than half a second, gives NaN: unknown. */
export interface GaugeReaders {
  readonly ready?: Read<boolean>;
  readonly snapshotVersion?: Read<number>;
  readonly snapshotAgeSeconds?: Read<number>;
  /** Rows left out of the snapshot, by table. */
  readonly snapshotQuarantinedRows?: Read<Readonly<Record<string, number>>>;
  readonly redisUp?: Read<boolean>;
  readonly redisShardsDown?: Read<number>;
  readonly redisRoundTripSeconds?: Read<number>;
  readonly postgresUp?: Read<boolean>;
  readonly postgresRoundTripSeconds?: Read<number>;
  readonly postgresWaiting?: Read<number>;
  readonly redisMisconfigured?: Read<boolean>;
  readonly streamLagEntries?: Read<number>;
  readonly pendingHits?: Read<number>;
  readonly foldHorizonAgeSeconds?: Read<number>;
  readonly unsettledReservations?: Read<number>;
}

const TABLES = ['publishers', 'placements', 'campaigns', 'line_items', 'creatives'] as const;
const LONGEST_READ_MS = 500;

const HELP = {
  ready: ['ready', '1 when the replica wants requests: it has a snapshot and is not draining'],
  snapshotVersion: ['snapshot_version', 'Version of the catalog snapshot that is being served'],
  snapshotAgeSeconds: ['snapshot_age_seconds', 'Time since the snapshot was last known to be current'],
  redisUp: ['redis_up', '1 when Redis answers, every shard of it'],
  redisShardsDown: ['redis_shards_down', 'Shards of the counters whose Redis does not answer'],
  redisRoundTripSeconds: ['redis_round_trip_seconds', 'Time of the last ping of Redis'],
  postgresUp: ['postgres_up', '1 when Postgres answers'],
  postgresRoundTripSeconds: ['postgres_round_trip_seconds', 'Time of a smallest query to Postgres, waiting for a connection included'],
  postgresWaiting: ['postgres_waiting', 'Work that waits for a connection to Postgres'],
  redisMisconfigured: ['redis_misconfigured', '1 when Redis could lose counters: an evicting policy or no append-only file'],
  streamLagEntries: ['stream_lag_entries', 'Events in Redis that are not in Postgres yet'],
  pendingHits: ['pending_hits', 'Hits stored in Postgres that are not folded back into Redis yet'],
  foldHorizonAgeSeconds: ['fold_horizon_age_seconds', 'Age of the moment up to which every hit is known to be folded back'],
  unsettledReservations: ['unsettled_reservations', "Today's reservations that are open: selected, and neither seen nor expired"],
} as const;

/** Registers the gauges, at zero until they have a reader, and returns the function that gives them their readers. */
export const createGauges = (registry: Registry): ((readers: GaugeReaders) => void) => {
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
  const quarantined = new Gauge({
    name: 'adserver_snapshot_quarantined_rows',
    help: 'Rows left out of the snapshot because they, or what they belong to, cannot be served',
    labelNames: ['table'],
    registers: [registry],
    async collect() {
      if (readers.snapshotQuarantinedRows === undefined) return;
      const rows = await bounded(readers.snapshotQuarantinedRows, null);
      for (const table of TABLES) this.set({ table }, rows === null ? NaN : (rows[table] ?? 0));
    },
  });
  for (const table of TABLES) quarantined.set({ table }, 0);
  return (given) => void Object.assign(readers, given);
};

/** A scrape tells what it can: one reader whose store hangs must not hide all other series. */
const bounded = <T>(read: Read<T>, unknown: T): Promise<T> =>
  // NaN in the scrape is the report of a failure.
  within(
    LONGEST_READ_MS,
    Promise.resolve()
      .then(read)
      .catch(() => unknown),
    () => unknown,
  );
