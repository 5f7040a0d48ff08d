import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { customCleanEnv } from 'envalid';
import { deepFreeze } from '../base/deep-freeze.ts';
import { defaultStateDir } from './default-state-dir.ts';
import {
  adminTokens,
  databaseUrl,
  demoData,
  duration,
  eventTypes,
  filePath,
  gain,
  hostNames,
  mailAddress,
  oneOf,
  publicUrl,
  redisUrls,
  revision,
  sampler,
  secret,
  share,
  sinks,
  smtpUrl,
  toggle,
  tokenSecrets,
  wholeNumber,
} from './setting-values.ts';
import { ownHosts } from './own-hosts.ts';
import {
  adcpFaults,
  adminObstacle,
  creativeOriginFaults,
  providerFaults,
  reportsFaults,
  secretFaults,
  shortFaults,
} from './setting-faults.ts';
import { SettingsError, type SettingsFault } from './settings-error.ts';
import { ADCP_MODES, ROLES_OF_REPLICAS, type Settings } from './settings.ts';
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../base/utc-day.ts';

/**
 * The key id of a single TOKEN_SECRET: list it under this name in TOKEN_SECRETS to rotate away from
 * it.
 */
export const LONE_SECRET_KID = 'default';

/** What the SDK sends for an ad that has been viewable; accepted whatever ALLOWED_EVENTS lists. */
const VIEWABLE = 'viewable';

/** The rows of half a minute have each key of a count many times. Outside production a hit is in the reports when one looks. */
const ROLL_UP_MS = 30_000;
const PROMPT_ROLL_UP_MS = 1_000;

const DEFAULT_SENDER = 'reports@localhost';
/** The same distance from src/config and from dist/config. */
const SHIPPED_DIMENSIONS_FILE = fileURLToPath(new URL('../../config/dimensions.json', import.meta.url));

const VARIABLES = {
  NODE_ENV: oneOf('development', 'test', 'production')({ default: 'development' }),
  COMMIT: revision({ default: undefined }),
  PORT: wholeNumber(0, 65_535)({ default: 8787 }),
  HOST: secret({ default: undefined }),
  ALLOWED_HOSTS: hostNames({ default: [] }),
  DATABASE_URL: databaseUrl({ default: undefined }),
  REDIS_URL: redisUrls({ default: undefined }),
  EMBEDDED_STORES: toggle({ default: undefined }),
  DEMO_DATA: demoData({ default: 'none' }),
  TOKEN_SECRET: secret({ default: undefined }),
  TOKEN_SECRETS: tokenSecrets({ default: undefined }),
  USER_KEYS: tokenSecrets({ default: [] }),
  SEAL_KEYS: tokenSecrets({ default: undefined }),
  TOKEN_TTL: duration('1s', '12h')({ default: 30 * MS_PER_MINUTE }),
  RELOAD_INTERVAL: duration('0', '24h')({ default: 30_000 }),
  ROLL_UP_INTERVAL: duration('0', '10m')({ default: undefined }),
  DEBUG_TRACE: toggle({ default: false }),
  PID_KP: gain({ default: 0.3 }),
  PID_KI: gain({ default: 0.05 }),
  PID_KD: gain({ default: 0.1 }),
  ALLOWED_EVENTS: eventTypes({ default: ['like', 'share', 'comment'] }),
  PUBLIC_URL: publicUrl({ default: '' }),
  TOOL_URL: publicUrl({ default: undefined }),
  CREATIVE_ORIGIN: publicUrl({ default: '' }),
  ASSETS_URL: publicUrl({ default: '' }),
  ASSET_STORE_MB: wholeNumber(1, 1_000_000)({ default: 500 }),
  REDIS_TIMEOUT: duration('10ms', '1s')({ default: 100 }),
  BIDDER_TIMEOUT: duration('1ms', '10s')({ default: 300 }),
  BIDDER_ALLOW_PRIVATE: toggle({ default: undefined }),
  MOCK_BIDDER: toggle({ default: undefined }),
  DIMENSIONS_FILE: filePath({ default: SHIPPED_DIMENSIONS_FILE }),
  GEO_DATABASE: filePath({ default: undefined }),
  DATACENTER_ADDRESSES: filePath({ default: undefined }),
  CURRENCY_RATES: filePath({ default: undefined }),
  OTEL_SDK_DISABLED: toggle({ default: false }),
  OTEL_TRACES_EXPORTER: oneOf('otlp', 'none')({ default: 'otlp' }),
  OTEL_EXPORTER_OTLP_ENDPOINT: publicUrl({ default: undefined }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: publicUrl({ default: undefined }),
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf('http/protobuf', 'http/json')({ default: 'http/protobuf' }),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: oneOf('http/protobuf', 'http/json')({ default: undefined }),
  OTEL_TRACES_SAMPLER: sampler({ default: undefined }),
  OTEL_TRACES_SAMPLER_ARG: share({ default: undefined }),
  TRACE_BIDDERS: hostNames({ default: [] }),
  COMPLAINT_LIMIT: wholeNumber(0, 1_000_000)({ default: 5 }),
  SMTP_URL: smtpUrl({ default: undefined }),
  SMTP_FROM: mailAddress({ default: undefined }),
  ROLE: oneOf(...ROLES_OF_REPLICAS)({ default: 'both' }),
  ADMIN_ENABLED: toggle({ default: undefined }),
  MCP: toggle({ default: true }),
  ADCP: oneOf(...ADCP_MODES)({ default: 'off' }),
  AGENT_CALLS: wholeNumber(1, 100_000)({ default: 300 }),
  ADMIN_TOKEN: adminTokens({ default: [] }),
  ACCOUNTS: toggle({ default: undefined }),
  OIDC_ISSUER: secret({ default: undefined }),
  OIDC_CLIENT_ID: secret({ default: undefined }),
  OIDC_CLIENT_SECRET: secret({ default: undefined }),
  OIDC_NAME: secret({ default: undefined }),
  OIDC_GROUPS_CLAIM: secret({ default: undefined }),
  OIDC_ROLES: secret({ default: undefined }),
  OIDC_PROVIDERS: filePath({ default: undefined }),
  SESSION_IDLE: duration('1m', '30d')({ default: 12 * MS_PER_HOUR }),
  SESSION_LIFETIME: duration('5m', '90d')({ default: 14 * MS_PER_DAY }),
  TRUST_PROXY_HOPS: wholeNumber(0, 32)({ default: undefined }),
  EARNED_HOLDS: toggle({ default: undefined }),
  ALLOWANCES: toggle({ default: true }),
  ALLOWANCE_RESERVE: duration('0', '5m')({ default: 60_000 }),
  STATE_DIR: filePath({ default: undefined }),
  LOG_LEVEL: oneOf('error', 'warn', 'info', 'debug')({ default: 'info' }),
  DRAIN_TIME: duration('0', '10m')({ default: 5000 }),
  KEEP_ALIVE: duration('1s', '1h')({ default: 75_000 }),
  EVENT_RETENTION: wholeNumber(1, 3650)({ default: 400 }),
  SINKS: sinks({ default: [] }),
  SINK_LAG_LIMIT: wholeNumber(1_000, 100_000_000)({ default: 500_000 }),
  SINK_RECONCILE: duration('0', '30d')({ default: MS_PER_DAY }),
  REPORTS_URL: sinks({ default: [] }),
  AUDIT_RETENTION: wholeNumber(365, 36_500)({ default: undefined }),
  LEDGER_SHARDS: wholeNumber(1, 256)({ default: 16 }),
  FORECAST_SAMPLE: wholeNumber(0, 1_000_000)({ default: 50_000 }),
  DECISION_SAMPLE: wholeNumber(0, 1_000_000)({ default: 0 }),
};

/**
 * Reads the whole environment once. Pure: opens no file, and reports a missing token secret as a
 * fault (see `keepTokenSecret`). A variable that is set but empty counts as unset. The table of
 * variables is in docs/configuration.md.
 *
 * @throws SettingsError with all faults together
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const faults: SettingsFault[] = [];
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''));
  const read = customCleanEnv(given, VARIABLES, (clean) => clean, {
    reporter: ({ errors }) => {
      for (const [name, error] of Object.entries(errors)) faults.push({ name, fault: error.message });
    },
  });
  const production = given['NODE_ENV']?.toLowerCase() === 'production';
  const adminEnabled = read.ROLE === 'tool' || (read.ROLE === 'both' && (read.ADMIN_ENABLED ?? !production));
  const hasAccounts = read.ACCOUNTS ?? !production;
  const hasProvider = read.OIDC_ISSUER !== undefined || read.OIDC_PROVIDERS !== undefined;
  const toolUrl = read.TOOL_URL ?? read.PUBLIC_URL;
  const host = read.HOST ?? (production ? '0.0.0.0' : '127.0.0.1');
  const embeddedStores = read.EMBEDDED_STORES ?? !production;
  const collector = read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? read.OTEL_EXPORTER_OTLP_ENDPOINT;
  const secrets = read.TOKEN_SECRETS ?? (read.TOKEN_SECRET === undefined ? [] : [{ kid: LONE_SECRET_KID, secret: read.TOKEN_SECRET }]);
  for (const name of ['DATABASE_URL', 'REDIS_URL']) {
    if (given[name] === undefined && !embeddedStores)
      faults.push({ name, fault: 'required, because the embedded stores are off (EMBEDDED_STORES)' });
  }
  faults.push(
    ...secretFaults(secrets, production, given),
    ...shortFaults('USER_KEYS', read.USER_KEYS ?? [], production),
    ...shortFaults('SEAL_KEYS', read.SEAL_KEYS ?? [], production),
    ...creativeOriginFaults(read.CREATIVE_ORIGIN, read.PUBLIC_URL),
    ...providerFaults(given),
    ...reportsFaults(read.REPORTS_URL ?? [], read.SINKS ?? []),
    ...(production ? adcpFaults(read.ADCP, toolUrl) : []),
  );
  if (production && read.SMTP_URL !== undefined && read.SMTP_FROM === undefined)
    faults.push({ name: 'SMTP_FROM', fault: 'required with SMTP_URL: the sender of mails' });
  if (production && read.DEMO_DATA !== 'none') faults.push({ name: 'DEMO_DATA', fault: 'not in production: its API key is public' });
  if (faults.length > 0) throw new SettingsError(faults);

  return deepFreeze({
    production,
    commit: read.COMMIT,
    port: read.PORT,
    host,
    knownHosts:
      production && read.ALLOWED_HOSTS.length === 0
        ? undefined
        : [...new Set([...read.ALLOWED_HOSTS, ...ownHosts(host, [read.PUBLIC_URL, toolUrl, read.CREATIVE_ORIGIN, read.ASSETS_URL])])],
    databaseUrl: read.DATABASE_URL,
    redisUrls: read.REDIS_URL ?? [],
    demoData: read.DEMO_DATA,
    tokenSecrets: secrets,
    tokenTtlMs: read.TOKEN_TTL,
    userKeys: read.USER_KEYS,
    sealKeys: read.SEAL_KEYS ?? (production ? [] : secrets),
    reloadIntervalMs: read.RELOAD_INTERVAL,
    rollUpIntervalMs: read.ROLL_UP_INTERVAL ?? (production ? ROLL_UP_MS : PROMPT_ROLL_UP_MS),
    debugTrace: read.DEBUG_TRACE,
    pid: { kp: read.PID_KP, ki: read.PID_KI, kd: read.PID_KD },
    allowedEvents: [...new Set([...read.ALLOWED_EVENTS, VIEWABLE])],
    ...{ publicUrl: read.PUBLIC_URL, creativeOrigin: read.CREATIVE_ORIGIN },
    ...{ assetsUrl: read.ASSETS_URL, assetStoreMb: read.ASSET_STORE_MB },
    ...{ redisTimeoutMs: read.REDIS_TIMEOUT, bidderTimeoutMs: read.BIDDER_TIMEOUT },
    bidderPrivateAddresses: read.BIDDER_ALLOW_PRIVATE ?? !production,
    mockBidderEnabled: read.MOCK_BIDDER ?? !production,
    ...{ dimensionsFile: read.DIMENSIONS_FILE, geoDatabase: read.GEO_DATABASE },
    ...{ currencyRatesFile: read.CURRENCY_RATES, dataCenterAddressesFile: read.DATACENTER_ADDRESSES },
    tracing:
      collector === undefined || read.OTEL_SDK_DISABLED || read.OTEL_TRACES_EXPORTER === 'none'
        ? undefined
        : {
            protocol: read.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? read.OTEL_EXPORTER_OTLP_PROTOCOL,
            samplerIsSet: read.OTEL_TRACES_SAMPLER !== undefined,
            bidderHosts: read.TRACE_BIDDERS,
          },
    smtp: read.SMTP_URL === undefined ? undefined : { url: read.SMTP_URL, from: read.SMTP_FROM ?? DEFAULT_SENDER },
    ...{ complaintLimit: read.COMPLAINT_LIMIT, role: read.ROLE, adminEnabled },
    adminClosedBecause:
      production && adminEnabled
        ? adminObstacle(read.ADMIN_TOKEN, { ACCOUNTS: hasAccounts, OIDC_ISSUER: hasProvider }, toolUrl)
        : undefined,
    ...{ mcp: read.MCP, adcp: read.ADCP, agentCallsPerMinute: read.AGENT_CALLS },
    adminTokens: read.ADMIN_TOKEN,
    toolUrl,
    accounts: hasAccounts,
    provider:
      read.OIDC_ISSUER === undefined || read.OIDC_CLIENT_ID === undefined
        ? undefined
        : {
            ...{ issuer: read.OIDC_ISSUER, clientId: read.OIDC_CLIENT_ID, clientSecret: read.OIDC_CLIENT_SECRET },
            ...{ name: read.OIDC_NAME, groupsClaim: read.OIDC_GROUPS_CLAIM, roles: read.OIDC_ROLES },
          },
    providersFile: read.OIDC_PROVIDERS,
    ...{ sessionIdleMs: read.SESSION_IDLE, sessionLifetimeMs: read.SESSION_LIFETIME },
    trustProxyHops: read.TRUST_PROXY_HOPS,
    earnedHolds: read.EARNED_HOLDS ?? production,
    ...{ allowances: read.ALLOWANCES, allowanceReserveMs: read.ALLOWANCE_RESERVE },
    stateDir: read.STATE_DIR ?? path.resolve(defaultStateDir(env)),
    ...{ logLevel: read.LOG_LEVEL, drainMs: read.DRAIN_TIME, keepAliveMs: read.KEEP_ALIVE },
    ...{ eventRetentionDays: read.EVENT_RETENTION, auditRetentionDays: read.AUDIT_RETENTION, reportsFrom: read.REPORTS_URL[0] },
    ...{ sinks: read.SINKS, sinkLagLimit: read.SINK_LAG_LIMIT, sinkReconcileMs: read.SINK_RECONCILE },
    ...{ ledgerShards: read.LEDGER_SHARDS, forecastSample: read.FORECAST_SAMPLE, decisionSample: read.DECISION_SAMPLE },
  });
}
