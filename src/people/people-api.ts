import { ACCOUNT_API } from './accounts/account-api.ts';
import { PERSON_API } from './accounts/person-api.ts';
import { SIGN_IN_API } from './accounts/sign-in-api.ts';
import { FACTOR_API, PASSKEY_API } from './factors/factor-api.ts';
import { PROVIDER_API } from './oidc/provider-api.ts';
import { PRESENCE_API } from './presence/presence-api.ts';
import { ROLE_API } from './roles/role-api.ts';
import { TOKEN_API } from './token-api.ts';

/** The routes of people behind the gate. */
export const PEOPLE_API = { ...ROLE_API, ...TOKEN_API, ...PERSON_API, ...ACCOUNT_API, ...FACTOR_API, ...PRESENCE_API };

/** The routes by which people get in. */
export const AUTH_API = { ...SIGN_IN_API, ...PROVIDER_API, ...PASSKEY_API };
