import { schemaOf } from '../api/columns.ts';
import { component } from '../api/component.ts';
import { pagedList } from '../api/paged-list.ts';
import { idInPath } from '../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, noContent } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { NAME_OF_64 } from '../base/schema-faults.ts';
import { rightsSchema } from './rights.ts';
import { TOKEN_COLUMNS, type ApiToken } from './token-store.ts';

const example = {
  name: 'nightly export',
  roles: ['viewer'],
  publishers: [1],
  advertisers: null,
  expires_at: '2027-10-14T00:00:00Z',
} as const;
const NEW_TOKEN = component(
  'NewApiToken',
  s.closedRecord({
    name: s.textOf({ pattern: NAME_OF_64, description: 'Without spaces around it. No two tokens ever have the same' }),
    ...rightsSchema,
    expires_at: s.withDefault(s.orNull(s.moment, { description: 'null: it does not expire' }), null),
  }),
  example,
);

const stored: ApiToken = {
  ...{ id: 3, ...example, roles: ['viewer'], publishers: [1], prefix: 'adst_5f0c2a', created_by: 'ann' },
  ...{ created_at: '2026-10-14T12:00:00.000Z', expires_at: '2027-10-14T00:00:00.000Z', last_used_at: null, revoked_at: null },
};
const TOKEN = component('ApiToken', schemaOf(TOKEN_COLUMNS), stored);
const NEW_SECRET = component(
  'CreatedApiToken',
  s.record({ ...schemaOf(TOKEN_COLUMNS).properties, token: s.described(s.text, 'Shown this once') }),
  { ...stored, token: 'adst_5f0c2a…' },
);

/** The tokens of the API. */
export const TOKEN_API = defineRoutes({
  listTokens: {
    ...at('GET', '/api/tokens', 'people'),
    needs: 'people.write',
    summary: 'API tokens, newest first, with those that are revoked or have expired',
    ...pagedList('Tokens', TOKEN, {}),
  },
  createToken: {
    ...at('POST', '/api/tokens', 'people'),
    needs: 'people.write',
    summary: 'Create an API token. The answer shows it this once.',
    body: jsonBody(NEW_TOKEN, 'The token has faults.'),
    answer: created('Created', NEW_SECRET),
  },
  revokeToken: {
    ...at('DELETE', '/api/tokens/{id}', 'people'),
    needs: 'people.write',
    summary: 'Revoke an API token: no replica accepts it from now on',
    parameters: { id: idInPath('token that could be used') },
    answer: noContent('Revoked'),
  },
});
