import { ACCOUNT_API } from './accounts/account-api.ts';
import { PERSON_API } from './accounts/person-api.ts';
import { TOKEN_API } from './token-api.ts';

/** The routes of people behind the gate. */
export const PEOPLE_API = { ...TOKEN_API, ...PERSON_API, ...ACCOUNT_API };
