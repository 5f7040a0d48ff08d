import type { AdcpMode, AdminToken, TokenSecret } from './settings.ts';
import type { SettingsFault } from './settings-error.ts';
import type { SinkSettings } from './sink-settings.ts';

/* Rules over several settings. */

const MIN_SECRET_BYTES = 32;
const MIN_ADMIN_TOKEN_LENGTH = 32;

export function secretFaults(secrets: readonly TokenSecret[], production: boolean, given: NodeJS.ProcessEnv): readonly SettingsFault[] {
  const name = given['TOKEN_SECRETS'] === undefined ? 'TOKEN_SECRET' : 'TOKEN_SECRETS';
  if (given[name] === undefined)
    return [{ name, fault: `required: ${MIN_SECRET_BYTES} random bytes or more, for example from "openssl rand -base64 48"` }];
  return shortFaults(name, secrets, production);
}

export function shortFaults(name: string, secrets: readonly TokenSecret[], production: boolean): readonly SettingsFault[] {
  const short = secrets.filter((entry) => Buffer.byteLength(entry.secret) < MIN_SECRET_BYTES).map(({ kid }) => kid);
  if (!production || short.length === 0) return [];
  return [{ name, fault: `too short (${short.join(', ')}); accepted in production: ${MIN_SECRET_BYTES} bytes or more each` }];
}

/** Creatives on the service's own origin could use its trafficking tool. */
export function creativeOriginFaults(creativeOrigin: string, ownUrl: string): readonly SettingsFault[] {
  if (creativeOrigin === '') return [];
  const { origin } = new URL(creativeOrigin);
  if (origin !== creativeOrigin) return [{ name: 'CREATIVE_ORIGIN', fault: 'must be an origin, such as https://creatives.example' }];
  return ownUrl !== '' && new URL(ownUrl).origin === origin
    ? [{ name: 'CREATIVE_ORIGIN', fault: 'must be another origin than that of PUBLIC_URL' }]
    : [];
}

/** What production lacks for agents of buyers. */
export const adcpFaults = (mode: AdcpMode, toolUrl: string): readonly SettingsFault[] => [
  ...(mode !== 'off' && toolUrl === '' ? [{ name: 'ADCP', fault: 'needs TOOL_URL or PUBLIC_URL, which name it to buyers' }] : []),
  ...(mode === 'sandbox' ? [{ name: 'ADCP', fault: 'not sandbox in production: test accounts book for real' }] : []),
];

/** One provider is set by variables, or several by a file. */
export function providerFaults(given: NodeJS.ProcessEnv): readonly SettingsFault[] {
  const own = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_NAME', 'OIDC_GROUPS_CLAIM', 'OIDC_ROLES'];
  const set = own.filter((name) => given[name] !== undefined);
  if (given['OIDC_PROVIDERS'] !== undefined)
    return set.map((name) => ({ name, fault: 'not together with OIDC_PROVIDERS, whose file has it for each provider' }));
  if (set.length === 0) return [];
  return own.slice(0, 2).flatMap((name) => (given[name] === undefined ? [{ name, fault: `required with ${set.join(', ')}` }] : []));
}

/** What reports are read from is filled as a sink, whose name it has. */
export function reportsFaults(urls: readonly SinkSettings[], sinks: readonly SinkSettings[]): readonly SettingsFault[] {
  const [url, another] = urls;
  if (!url) return [];
  if (another || url.scheme !== 'clickhouse') return [{ name: 'REPORTS_URL', fault: 'must be one URL with the scheme clickhouse' }];
  return sinks.some(({ name, scheme }) => name === url.name && scheme === url.scheme)
    ? []
    : [{ name: 'REPORTS_URL', fault: `SINKS has no ClickHouse with the name ${url.name}, which would fill it: say ?name= in both` }];
}

/**
 * Why the trafficking tool stays closed in production; undefined: it is open.
 *
 * @param signIn the settings by which people sign in, and whether each is set
 */
export function adminObstacle(
  tokens: readonly AdminToken[],
  signIn: Readonly<Record<'ACCOUNTS' | 'OIDC_ISSUER', boolean>>,
  toolUrl: string,
): string | undefined {
  const ways = Object.entries(signIn).flatMap(([name, isSet]) => (isSet ? [name] : []));
  if (tokens.length === 0 && ways.length === 0) return 'neither ADMIN_TOKEN nor ACCOUNTS nor OIDC_ISSUER is set';
  if (ways.length > 0 && !toolUrl.startsWith('https://')) return `${ways[0]} needs TOOL_URL or PUBLIC_URL, with https`;
  const short = tokens.filter(({ token }) => token.length < MIN_ADMIN_TOKEN_LENGTH).map(({ name }) => name);
  return short.length === 0 ? undefined : `ADMIN_TOKEN has tokens of fewer than ${MIN_ADMIN_TOKEN_LENGTH} characters (${short.join(', ')})`;
}
