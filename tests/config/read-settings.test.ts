import fc from 'fast-check';
import { parseDuration } from '../../src/config/parse-duration.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { SettingsError } from '../../src/config/settings-error.ts';

const SECRET = 'a secret of at least thirty-two bytes';
const PRODUCTION = {
  NODE_ENV: 'production',
  TOKEN_SECRET: SECRET,
  DATABASE_URL: 'postgres://ads:pw@db:5432/ads',
  REDIS_URL: 'redis://cache:6379',
};

function faultsOf(env: NodeJS.ProcessEnv): SettingsError {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error('these settings were accepted');
}

const faultyNames = (env: NodeJS.ProcessEnv) => faultsOf(env).faults.map(({ name }) => name);

test('development needs only a secret', () => {
  expect(readSettings({ TOKEN_SECRET: 'short', HOME: '/home/ann', XDG_STATE_HOME: '/state' })).toMatchObject({
    production: false,
    port: 8787,
    host: '127.0.0.1',
    knownHosts: ['127.0.0.1'],
    databaseUrl: undefined,
    redisUrls: [],
    tokenSecrets: [{ kid: 'default', secret: 'short' }],
    tokenTtlMs: 1_800_000,
    reloadIntervalMs: 30_000,
    debugTrace: false,
    redisTimeoutMs: 100,
    pid: { kp: 0.3, ki: 0.05, kd: 0.1 },
    allowedEvents: ['like', 'share', 'comment', 'viewable'],
    publicUrl: '',
    assetsUrl: '',
    assetStoreMb: 500,
    bidderTimeoutMs: 300,
    bidderPrivateAddresses: true,
    mockBidderEnabled: true,
    adminEnabled: true,
    adminTokens: [],
    adminClosedBecause: undefined,
    trustProxyHops: undefined,
    stateDir: '/state/ad-server',
    logLevel: 'info',
    drainMs: 5000,
    eventRetentionDays: 400,
    ledgerShards: 16,
  });
});

test('production disables the mock bidder, the trafficking tool and private bidder addresses unless enabled', () => {
  const off = { production: true, mockBidderEnabled: false, adminEnabled: false, bidderPrivateAddresses: false };
  const on = { mockBidderEnabled: true, adminEnabled: true, bidderPrivateAddresses: true };
  expect(readSettings(PRODUCTION)).toMatchObject(off);
  expect(readSettings({ ...PRODUCTION, MOCK_BIDDER: '1', ADMIN_ENABLED: 'true', BIDDER_ALLOW_PRIVATE: 'yes' })).toMatchObject(on);
});

test('production refuses to start without stores and with a short secret', () => {
  expect(faultyNames({ NODE_ENV: 'production' })).toEqual(['DATABASE_URL', 'REDIS_URL', 'TOKEN_SECRET']);
  expect(faultyNames({ ...PRODUCTION, TOKEN_SECRET: 'x'.repeat(31) })).toEqual(['TOKEN_SECRET']);
  expect(faultyNames({ ...PRODUCTION, TOKEN_SECRETS: `new:${SECRET},old:short` })).toEqual(['TOKEN_SECRETS']);
});

test('the embedded stores can be enabled in production and disabled in development', () => {
  expect(readSettings({ NODE_ENV: 'production', TOKEN_SECRET: SECRET, EMBEDDED_STORES: 'true' })).toMatchObject({
    databaseUrl: undefined,
    redisUrls: [],
  });
  expect(faultyNames({ TOKEN_SECRET: 'x', EMBEDDED_STORES: 'false' })).toEqual(['DATABASE_URL', 'REDIS_URL']);
});

test('TOKEN_SECRETS wins over TOKEN_SECRET and keeps its order', () => {
  const { tokenSecrets } = readSettings({ TOKEN_SECRET: 'ignored', TOKEN_SECRETS: 'new:with:colon, default:old' });
  expect(tokenSecrets).toEqual([
    { kid: 'new', secret: 'with:colon' },
    { kid: 'default', secret: 'old' },
  ]);
  expect(faultyNames({ TOKEN_SECRETS: 'a:1,a:2' })).toEqual(['TOKEN_SECRETS']);
});

test('ADMIN_TOKEN is one token, or several by name', () => {
  const tokensOf = (ADMIN_TOKEN: string) => readSettings({ TOKEN_SECRET: 'x', ADMIN_TOKEN }).adminTokens;
  expect(tokensOf(' !alone~ ')).toEqual([{ name: 'admin', token: '!alone~' }]);
  expect(tokensOf('ann:one, bob:with:colon')).toEqual([
    { name: 'ann', token: 'one' },
    { name: 'bob', token: 'with:colon' },
  ]);
});

test.each([
  'hunter2 7f3a',
  'hunter2\t7f3a',
  'hunter2\n7f3a',
  'hunter2\u00007f3a',
  'hunter2\u007f7f3a',
  'hunter2\u00a07f3a',
  'hunter2é7f3a',
])('ADMIN_TOKEN %j cannot be sent in an Authorization header: refused, alone or with others', (token) => {
  for (const ADMIN_TOKEN of [token, `ann:fine,bob:${token}`]) {
    const error = faultsOf({ TOKEN_SECRET: 'x', ADMIN_TOKEN });
    expect(error.message).toContain('ADMIN_TOKEN: accepted: tokens of visible ASCII characters, without spaces');
    expect(error.message).not.toMatch(/7f3a|hunter2/);
  }
});

test('a Redis Cluster is given as the list of its nodes', () => {
  const { redisUrls } = readSettings({ ...PRODUCTION, REDIS_URL: 'redis://a:1, redis://b:2' });
  expect(redisUrls).toEqual(['redis://a:1', 'redis://b:2']);
});

test('one error lists every fault, and none repeats the value', () => {
  const env = {
    NODE_ENV: 'staging-7f3a',
    PORT: '99999',
    DATABASE_URL: 'mysql://root:hunter2-7f3a@db/ads',
    REDIS_URL: 'hunter2-7f3a',
    TOKEN_SECRETS: 'hunter2-7f3a',
    TOKEN_TTL: '13h',
    RELOAD_INTERVAL: '30 parsecs 7f3a',
    DEBUG_TRACE: 'perhaps-7f3a',
    PID_KP: '-1',
    ALLOWED_EVENTS: 'li ke 7f3a',
    PUBLIC_URL: 'javascript:7f3a',
    BIDDER_TIMEOUT: '1h',
    TRUST_PROXY_HOPS: '33',
    LOG_LEVEL: 'loud-7f3a',
    DRAIN_TIME: '-5s',
    EVENT_RETENTION: '1.5',
    LEDGER_SHARDS: '257',
  };
  const error = faultsOf(env);
  expect(error.faults.map(({ name }) => name).sort()).toEqual(Object.keys(env).sort());
  expect(error.message).not.toMatch(/7f3a|hunter2/);
  expect(error.message).toContain('TOKEN_TTL: accepted: a duration from 1s to 12h');
});

test('an empty variable counts as unset', () => {
  expect(readSettings({ TOKEN_SECRET: 'x', PORT: '', PUBLIC_URL: ' ' })).toMatchObject({ port: 8787, publicUrl: '' });
});

test('a server that clients reach directly trusts no hop', () => {
  expect(readSettings({ TOKEN_SECRET: 'x', TRUST_PROXY_HOPS: '0' }).trustProxyHops).toBe(0);
});

test('the public address loses its trailing slash', () => {
  expect(readSettings({ TOKEN_SECRET: 'x', PUBLIC_URL: 'https://ads.example.com/ads/' }).publicUrl).toBe('https://ads.example.com/ads');
});

test('the settings are deeply frozen', () => {
  const settings = readSettings({ TOKEN_SECRET: 'x' });
  expect([settings, settings.pid, settings.tokenSecrets, settings.tokenSecrets[0], settings.allowedEvents].every(Object.isFrozen)).toBe(
    true,
  );
});

test.each([
  ['30m', 1_800_000],
  ['1h30m', 5_400_000],
  ['45s', 45_000],
  ['500ms', 500],
  ['90', 90_000],
  ['0', 0],
  ['1.5s', 1500],
  ['', undefined],
  ['m', undefined],
  ['1h 30m', undefined],
  ['-1s', undefined],
  ['1y', undefined],
  ['1h30', undefined],
])('the duration %j is %p ms', (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});

test('a compound duration is the sum of its parts', () => {
  fc.assert(
    fc.property(fc.nat(99), fc.nat(99), fc.nat(99), (h, m, s) => {
      expect(parseDuration(`${h}h${m}m${s}s`)).toBe(((h * 60 + m) * 60 + s) * 1000);
    }),
  );
});

test('in production the trafficking tool stays closed without a token, or with a token of fewer than 32 characters', () => {
  const long = 'a-token-of-thirty-two-characters';
  const because = (env: NodeJS.ProcessEnv) => readSettings(env).adminClosedBecause;
  const enabled = { ...PRODUCTION, ADMIN_ENABLED: 'true' };
  expect(because(enabled)).toBe('neither ADMIN_TOKEN nor ACCOUNTS nor OIDC_ISSUER is set');
  expect(because({ ...enabled, ACCOUNTS: 'true' })).toBe('ACCOUNTS needs TOOL_URL or PUBLIC_URL, with https');
  expect(because({ ...enabled, ACCOUNTS: 'true', TOOL_URL: 'https://ads.gazette.example' })).toBeUndefined();
  expect(because({ ...enabled, ADMIN_TOKEN: `ann:${long},bob:${long.slice(1)}` })).toBe(
    'ADMIN_TOKEN has tokens of fewer than 32 characters (bob)',
  );
  expect(because({ ...enabled, ADMIN_TOKEN: long })).toBeUndefined();
  expect(because(PRODUCTION)).toBeUndefined();
  expect(because({ TOKEN_SECRET: SECRET, ADMIN_TOKEN: 'short' })).toBeUndefined();
});

test.each([
  ['ads', {}, false],
  ['ads', { ADMIN_ENABLED: 'true' }, false],
  ['tool', {}, true],
  ['both', {}, false],
  ['both', { ADMIN_ENABLED: 'true' }, true],
])('in production a replica of the role %s with %j has the trafficking tool: %s', (ROLE, env, has) => {
  expect(readSettings({ ...PRODUCTION, ...env, ROLE }).adminEnabled).toBe(has);
});

test('development listens on loopback and knows a few host names; production listens everywhere and checks names only when told', () => {
  const hostsOf = (env: NodeJS.ProcessEnv) => {
    const { host, knownHosts } = readSettings({ TOKEN_SECRET: SECRET, ...env });
    return { host, knownHosts };
  };
  expect(hostsOf({})).toEqual({ host: '127.0.0.1', knownHosts: ['127.0.0.1'] });
  expect(hostsOf({ HOST: 'Laptop.lan', PUBLIC_URL: 'https://Ads.example.com:8443/x', ALLOWED_HOSTS: 'a.example, B.example' })).toEqual({
    host: 'Laptop.lan',
    knownHosts: ['a.example', 'b.example', 'laptop.lan', 'ads.example.com'],
  });
  expect(hostsOf(PRODUCTION)).toEqual({ host: '0.0.0.0', knownHosts: undefined });
  expect(hostsOf({ ...PRODUCTION, ALLOWED_HOSTS: 'ads.example.com' }).knownHosts).toEqual(['ads.example.com', '0.0.0.0']);
  for (const ALLOWED_HOSTS of ['https://a.example', 'a.example:80', '*', 'a b'])
    expect(faultyNames({ TOKEN_SECRET: SECRET, ALLOWED_HOSTS })).toEqual(['ALLOWED_HOSTS']);
});

test.each([
  [{ SINKS: '' }, 'SINKS has no ClickHouse with the name clickhouse'],
  [{ SINKS: 'clickhouse://host/ads?name=other' }, 'SINKS has no ClickHouse with the name clickhouse'],
  [{ REPORTS_URL: 'file:///lake', SINKS: 'file:///lake' }, 'must be one URL with the scheme clickhouse'],
])('reports are read from a ClickHouse that is a sink: %j is refused', (env, detail) => {
  const given = { TOKEN_SECRET: SECRET, REPORTS_URL: 'clickhouse://reports:pw@host/ads', ...env };
  expect(faultsOf(given).faults).toEqual([{ name: 'REPORTS_URL', fault: expect.stringContaining(detail) }]);
  expect(readSettings({ ...given, REPORTS_URL: 'clickhouse://a:b@host/ads', SINKS: 'clickhouse://host/ads' }).reportsFrom?.name).toBe(
    'clickhouse',
  );
});
