import type { Ids } from '../../src/access/scope.ts';
import { apiOf, type ApiCall } from '../api/api-client.ts';

/** The token of the settings that may do everything. */
export const MACHINE = 'the-machine-token-of-more-than-32-characters';

/** Calls the API with a bearer token. */
export const callWith =
  (url: string, token: string): ApiCall =>
  (method, path, body, headers) =>
    apiOf(url)(method, path, body, { Authorization: `Bearer ${token}`, ...headers });

/** Creates an API token and returns it. */
export const tokenOf = async (
  machine: ApiCall,
  name: string,
  roles: readonly string[],
  publishers: Ids,
  advertisers: Ids = null,
): Promise<string> => {
  const { status, body } = await machine('POST', '/tokens', { name, roles, publishers, advertisers });
  if (status !== 201) throw new Error(`POST /tokens: ${status} ${JSON.stringify(body)}`);
  return body.token as string;
};
