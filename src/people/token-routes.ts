import { parseStartDate } from '../catalog/model/flight-dates.ts';
import { answer, done, noSuch, refuse, type Handlers } from '../api/route.ts';
import { changedBy } from '../bookings/audit-trail.ts';
import type { TOKEN_API } from './token-api.ts';
import { MAX_TOKENS, type TokenStore } from './token-store.ts';

/** Of an RFC 3339 date-time, which the schema has checked. */
const momentOf = (text: string | null | undefined): Date | null => (text ? new Date(parseStartDate(text) ?? Number.NaN) : null);

/** The tokens of the API. */
export const tokenRoutes = (tokens: TokenStore): Handlers<typeof TOKEN_API> => ({
  listTokens: async (page) => answer(await tokens.list(page)),
  createToken: async ({ body: { name, roles, publishers, advertisers = null, expires_at: expiresAt } }, { caller }) => {
    const outcome = await tokens.create({ name, roles, publishers, advertisers, expiresAt: momentOf(expiresAt) }, caller);
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
  revokeToken: async ({ id }, { caller }) => ((await tokens.revoke(id, changedBy(caller))) ? done() : noSuch('token that could be used')),
});
