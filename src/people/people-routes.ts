import { PERMISSIONS, ROLE_NAMES, ROLES } from '../access/permissions.ts';
import { parseStartDate } from '../catalog/model/flight-dates.ts';
import { answer, done, noSuch, refuse, type Handlers } from '../api/route.ts';
import type { PEOPLE_API } from './people-api.ts';
import { MAX_TOKENS, type TokenStore } from './token-store.ts';

/** Of an RFC 3339 date-time, which the schema has checked. */
const momentOf = (text: string | null | undefined): Date | null => (text ? new Date(parseStartDate(text) ?? Number.NaN) : null);

/** Who calls, what roles allow, and the tokens of the API. */
export const peopleRoutes = (tokens: TokenStore): Handlers<typeof PEOPLE_API> => ({
  getMe: (_asked, { caller: { id, name, roles, permissions, publishers } }) =>
    answer({ id, name, email: null, roles, permissions: [...permissions], publishers, advertisers: null }),
  listRoles: () =>
    answer(ROLE_NAMES.map((name) => ({ name, permissions: ROLES[name].map((each) => ({ name: each, words: PERMISSIONS[each] })) }))),
  listTokens: async (page) => answer(await tokens.list(page)),
  createToken: async ({ body: { name, roles, publishers, expires_at: expiresAt } }, { actor }) => {
    const outcome = await tokens.create({ name, roles, publishers, expiresAt: momentOf(expiresAt) }, actor);
    if ('token' in outcome) return answer(outcome);
    switch (outcome.refusal) {
      case 'name_taken':
        return refuse('conflict', 'A token has, or had, this name: choose another one.');
      case 'too_many':
        return refuse('conflict', `There are ${MAX_TOKENS} tokens that can be used: revoke one first.`);
      case 'invalid':
        return refuse('invalid_request', 'The token has faults.', outcome.faults);
    }
  },
  revokeToken: async ({ id }, { actor }) => ((await tokens.revoke(id, actor)) ? done() : noSuch('token that could be used')),
});
