import { readFile } from 'node:fs/promises';
import type { Fault } from '../../base/fault.ts';
import { parseUrl } from '../../base/parse-url.ts';
import * as s from '../../base/schema.ts';
import { madeLater } from '../../base/made-later.ts';
import { schemaCompiler } from '../../base/schema-compiler.ts';
import { schemaFaults } from '../../base/schema-faults.ts';
import { SettingsError } from '../../config/settings-error.ts';
import type { ProviderVariables, Settings } from '../../config/settings.ts';
import { rightsSchema } from '../rights.ts';
import type { GroupRights } from './group-rights.ts';

/** A provider of OpenID Connect. */
export interface ProviderSettings {
  /** In paths and sessions. */
  readonly id: string;
  /** On the button of the sign-in page. */
  readonly name: string;
  readonly issuer: string;
  /** The path that the provider sends browsers back to. */
  readonly callback: string;
  readonly clientId: string;
  /** undefined: a public client. */
  readonly clientSecret: string | undefined;
  /** Where the groups of a person are: see groupsIn. */
  readonly groupsClaim: string;
  /** Sets the rights of a person at each sign-in; undefined: they are managed in this service. */
  readonly roles: readonly GroupRights[] | undefined;
}

const word = s.textOf({ minLength: 1, maxLength: 500 });
const GROUP = s.closedRecord({
  ...{ group: word, roles: rightsSchema.roles, advertisers: rightsSchema.advertisers },
  publishers: s.withDefault(rightsSchema.publishers, null),
});
const PROVIDER = s.closedRecord({
  id: s.textOf({ pattern: '^[a-z0-9-]{1,32}$' }),
  name: s.textOf({ minLength: 1, maxLength: 60 }),
  ...{ issuer: word, client_id: word, client_secret: s.optional(word) },
  groups_claim: s.withDefault(word, 'groups'),
  roles: s.optional(s.listOf(GROUP, { minItems: 1, maxItems: 1_000 })),
});
const PROVIDERS = s.listOf(PROVIDER, { minItems: 1, maxItems: 20 });

/** The id of the provider of OIDC_ISSUER, and its path. Of several, each has its own. */
const LONE_PROVIDER = 'oidc';
export const CALLBACK = '/auth/callback';
export const callbackOf = (id: string): string => `${CALLBACK}/${id}`;
const OF_MEMBER: Readonly<Record<string, string>> = {
  ...{ issuer: 'OIDC_ISSUER', client_id: 'OIDC_CLIENT_ID', client_secret: 'OIDC_CLIENT_SECRET' },
  ...{ name: 'OIDC_NAME', groups_claim: 'OIDC_GROUPS_CLAIM', roles: 'OIDC_ROLES' },
};
const ROLES_FORM = 'accepted: group=role+role, or group=role@publisher+publisher; several separated by commas';

/**
 * The providers of OIDC_ISSUER or OIDC_PROVIDERS.
 *
 * @throws SettingsError with all faults together
 */
export const readProviders = async (
  settings: Pick<Settings, 'provider' | 'providersFile' | 'production'>,
): Promise<readonly ProviderSettings[]> => {
  const { provider, providersFile, production } = settings;
  if (provider) {
    const { providers, faults } = check([fromVariables(provider)], production);
    return orRefused(
      providers.map((one) => ({ ...one, callback: CALLBACK })),
      faults.map(({ pointer, detail }) => {
        const [, , member = '', ...rest] = pointer.split('/');
        const name = OF_MEMBER[member] ?? 'OIDC_ISSUER';
        return name === 'OIDC_ROLES' ? { name, fault: `${rest.at(-1) ?? ''} ${detail}; ${ROLES_FORM}` } : { name, fault: detail };
      }),
    );
  }
  if (providersFile === undefined) return [];
  const { providers, faults } = check(await readJsonFile(providersFile), production);
  return orRefused(
    providers,
    faults.map(({ pointer, detail }) => ({ name: 'OIDC_PROVIDERS', fault: `${pointer || '(document)'} ${detail}` })),
  );
};

const orRefused = (providers: readonly ProviderSettings[], faults: readonly { readonly name: string; readonly fault: string }[]) => {
  if (faults.length > 0) throw new SettingsError(faults);
  return providers;
};

const readJsonFile = async (file: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (fault) {
    // The message of JSON.parse can quote the file, which has secrets.
    const code = (fault as { code?: unknown }).code;
    throw new SettingsError([{ name: 'OIDC_PROVIDERS', fault: typeof code === 'string' ? `cannot be read (${code})` : 'is not JSON' }]);
  }
};

const fromVariables = ({ issuer, clientId, clientSecret, name, groupsClaim, roles }: ProviderVariables): object => ({
  ...{ id: LONE_PROVIDER, name: name ?? parseUrl(issuer)?.hostname ?? issuer, issuer, client_id: clientId },
  ...(clientSecret !== undefined && { client_secret: clientSecret }),
  ...(groupsClaim !== undefined && { groups_claim: groupsClaim }),
  ...(roles !== undefined && {
    roles: roles
      .split(',')
      .filter((entry) => entry.trim() !== '')
      .map(groupOf),
  }),
});

/** `ad-ops=trafficker+approver@1+2`. What has another form has no roles, which the schema refuses. */
const groupOf = (entry: string): object => {
  const [, group = entry, roles = '', publishers] = /^(.+)=([^=@]*)(?:@([^=@]*))?$/.exec(entry.trim()) ?? [];
  return {
    group: group.trim(),
    roles: roles
      .split('+')
      .map((role) => role.trim())
      .filter(Boolean),
    ...(publishers !== undefined && { publishers: publishers.split('+').map(Number) }),
  };
};

const validator = madeLater(() =>
  schemaCompiler({ allErrors: true, allowUnionTypes: true, useDefaults: true }).compile<s.Shape<typeof PROVIDERS>>(PROVIDERS),
);

const check = (
  given: unknown,
  production: boolean,
): { readonly providers: readonly ProviderSettings[]; readonly faults: readonly Fault[] } => {
  const validate = validator();
  if (!validate(given)) return { providers: [], faults: schemaFaults(validate.errors) };
  const faults = given.flatMap(({ id, issuer }, at) => [
    ...(isIssuer(issuer, production) ? [] : [{ pointer: `/${at}/issuer`, detail: ISSUER_FORM }]),
    ...(given.findIndex((one) => one.id === id) < at ? [{ pointer: `/${at}/id`, detail: 'is that of another provider' }] : []),
    ...(given.findIndex((one) => one.issuer === issuer) < at ? [{ pointer: `/${at}/issuer`, detail: 'is that of another provider' }] : []),
  ]);
  const providers = given.map(
    ({ id, name, issuer, client_id: clientId, client_secret: clientSecret, groups_claim: groupsClaim, roles }) => ({
      ...{ id, name, issuer, callback: callbackOf(id), clientId, clientSecret, groupsClaim, roles },
    }),
  );
  return { providers, faults };
};

const ISSUER_FORM = 'must be the https address of the provider, as its tokens name it; outside production also http on this machine';
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Its keys and answers are believed, so that nothing between may change them. */
const isIssuer = (text: string, production: boolean): boolean => {
  const url = parseUrl(text);
  if (url === undefined || url.search + url.hash + url.username !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && !production && LOOPBACK.test(url.hostname));
};
