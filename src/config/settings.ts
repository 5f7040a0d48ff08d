import type { SinkSettings } from './sink-settings.ts';

/**
 * All settings, read from the environment once at start and frozen. Durations in milliseconds. See
 * docs/configuration.md.
 */
export interface Settings {
  readonly production: boolean;
  /** The revision of the build; undefined: unknown. */
  readonly commit: string | undefined;
  readonly port: number;
  readonly host: string;
  /** Host names of requests that are answered, in lower case; undefined: all. */
  readonly knownHosts: readonly string[] | undefined;
  /** undefined: the embedded Postgres (never in production). */
  readonly databaseUrl: string | undefined;
  /**
   * One URL, or the nodes of a Redis Cluster; empty: the private redis-server (never in
   * production).
   */
  readonly redisUrls: readonly string[];
  /** Fills an empty database with the demonstration data (never in production). */
  readonly demoData: DemoData;
  /** Signing keys in order: the first signs, all verify. Never empty. */
  readonly tokenSecrets: readonly TokenSecret[];
  readonly tokenTtlMs: number;
  /**
   * Keys of the pseudonyms of users: the first hashes, the others find what older pseudonyms stored
   * (commands/forget.ts). Empty: the key that the migration gave to the database.
   */
  readonly userKeys: readonly TokenSecret[];
  /**
   * Keys of the secrets in the database, such as the headers of bidders: the first seals, all open.
   * Empty (in production alone): such secrets cannot be stored.
   */
  readonly sealKeys: readonly TokenSecret[];
  /** 0: only on demand. */
  readonly reloadIntervalMs: number;
  /** How long stored hits are gathered before reports count them. */
  readonly rollUpIntervalMs: number;
  readonly debugTrace: boolean;
  readonly pid: PidGains;
  /** Where events are handed to besides Postgres. */
  readonly sinks: readonly SinkSettings[];
  /** Entries in all event streams before a sink that is behind passes over them. */
  readonly sinkLagLimit: number;
  /** One visitor in so many, whose requests and decisions sinks get; 0: none. */
  readonly decisionSample: number;
  /** How often a replica compares the sinks with the event rows; 0: never. */
  readonly sinkReconcileMs: number;
  /** The sink that reports are read from; undefined: Postgres. */
  readonly reportsFrom: SinkSettings | undefined;
  readonly allowedEvents: readonly string[];
  /** Without a trailing slash; '' when unset: tracking URLs are then relative. */
  readonly publicUrl: string;
  /**
   * The origin, apart from this service's own, on which creatives that need storage may run; ''
   * when unset.
   */
  readonly creativeOrigin: string;
  /** What serves uploaded files, a CDN for example, without a trailing slash; '': this service. */
  readonly assetsUrl: string;
  /** Megabytes of uploaded files that a publisher may have. */
  readonly assetStoreMb: number;
  /** How long an ad request or a hit waits for Redis. */
  readonly redisTimeoutMs: number;
  readonly bidderTimeoutMs: number;
  /** Lets bidder endpoints be plain http on private addresses: development and tests only. */
  readonly bidderPrivateAddresses: boolean;
  readonly mockBidderEnabled: boolean;
  readonly dimensionsFile: string;
  /** A MaxMind database with countries, and perhaps regions and cities; undefined: the country tables of the build. */
  readonly geoDatabase: string | undefined;
  /** Address ranges whose hits are filtered; undefined: that rule is off. */
  readonly dataCenterAddressesFile: string | undefined;
  /** Exchange rates of USD; undefined: nothing is converted. */
  readonly currencyRatesFile: string | undefined;
  /** undefined: no traces. */
  readonly tracing: TracingSettings | undefined;
  /** Where reports are mailed through, as nodemailer takes it; undefined: no mail is sent. */
  readonly smtp: { readonly url: string; readonly from: string } | undefined;
  /** Clients whose complaints about malware within a day block a creative; 0: none do. */
  readonly complaintLimit: number;
  /** What a replica answers: ads, the trafficking tool, or both. */
  readonly role: Role;
  readonly adminEnabled: boolean;
  /** Why the trafficking tool stays closed although it is enabled; undefined: it is open. */
  readonly adminClosedBecause: string | undefined;
  /** Whether assistants of staff may use the tools at /mcp. */
  readonly mcp: boolean;
  /** Whether agents of buyers may use the door at /adcp; sandbox: with test accounts, outside production. */
  readonly adcp: AdcpMode;
  /** Calls of the tools for agents by one token within a minute. */
  readonly agentCallsPerMinute: number;
  /** Each of these gives access to the trafficking API. */
  readonly adminTokens: readonly AdminToken[];
  /** The address of the trafficking tool, without a trailing slash; '' when unset. */
  readonly toolUrl: string;
  /** Whether people sign in with accounts of this service. */
  readonly accounts: boolean;
  /** The provider of OIDC_ISSUER as it is given (people/oidc/read-providers.ts checks it); undefined: there is none. */
  readonly provider: ProviderVariables | undefined;
  /** A JSON file with several providers; undefined: there is none. */
  readonly providersFile: string | undefined;
  /** Without a call for so long, a session ends. */
  readonly sessionIdleMs: number;
  /** It ends then in any case. */
  readonly sessionLifetimeMs: number;
  /** undefined: first valid address of X-Forwarded-For; n: the n-th from the right. */
  readonly trustProxyHops: number | undefined;
  /** Whether what a client may hold depends on what it renders (ledger/lua/clients.lua). */
  readonly earnedHolds: boolean;
  /** Whether most ads are decided without Redis (ledger/allowances/). */
  readonly allowances: boolean;
  /** The spare of a line item, for an outage of Redis, is for the requests of this time; 0: none. */
  readonly allowanceReserveMs: number;
  readonly stateDir: string;
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
  /** Time after SIGTERM in which a replica still accepts connections. */
  readonly drainMs: number;
  /**
   * Lifetime of an idle connection. Must be longer than the load balancer's, or its requests reach
   * a connection that is closing.
   */
  readonly keepAliveMs: number;
  /** Age at which event partitions are dropped. */
  readonly eventRetentionDays: number;
  /** Days for which the history is kept; undefined: for ever. */
  readonly auditRetentionDays: number | undefined;
  /**
   * Number of shards for the ledger's keys and streams. The same on every replica, and constant for
   * the life of the data.
   */
  readonly ledgerShards: number;
  /** Impressions of a day and publisher that are kept for forecasts, about; 0: none. */
  readonly forecastSample: number;
}

export const ADCP_MODES = ['off', 'on', 'sandbox'] as const;
export type AdcpMode = (typeof ADCP_MODES)[number];

export const ROLES_OF_REPLICAS = ['both', 'ads', 'tool'] as const;
export type Role = (typeof ROLES_OF_REPLICAS)[number];

/** What the service reads of OpenTelemetry's variables; its libraries read the rest. */
export interface TracingSettings {
  readonly protocol: 'http/protobuf' | 'http/json';
  /** OTEL_TRACES_SAMPLER is set. */
  readonly samplerIsSet: boolean;
  /** Hosts of bidders that receive the header traceparent. */
  readonly bidderHosts: readonly string[];
}

/** The variables of a provider of OpenID Connect, without their prefix. */
export interface ProviderVariables {
  readonly issuer: string;
  readonly clientId: string;
  /** undefined: a public client. */
  readonly clientSecret: string | undefined;
  readonly name: string | undefined;
  readonly groupsClaim: string | undefined;
  readonly roles: string | undefined;
}

/** `name` is the actor in the audit trail. */
export interface AdminToken {
  readonly name: string;
  readonly token: string;
}

export interface TokenSecret {
  readonly kid: string;
  readonly secret: string;
}

/** Gains per unit of time, never per request. */
export interface PidGains {
  readonly kp: number;
  readonly ki: number;
  readonly kd: number;
}

/** large: with the bookings and the history of a group of publishers. */
export type DemoData = 'none' | 'small' | 'large';
