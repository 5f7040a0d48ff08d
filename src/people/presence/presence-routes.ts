import type { Knex } from 'knex';
import { answer, noSuch, type Handlers } from '../../api/route.ts';
import { ENTITY_KINDS } from '../../bookings/entity-kind.ts';
import { onlyVisible } from '../../bookings/record-scope.ts';
import { personIdOf } from '../accounts/account-routes.ts';
import type { PRESENCE_API } from './presence-api.ts';
import type { Presence } from './presence.ts';

/** Who else has a record open. */
export const presenceRoutes = (knex: Knex, presence: Presence): Handlers<typeof PRESENCE_API> => ({
  notePresence: async ({ body: { kind, id } }, { caller }) => {
    const known = await onlyVisible(knex(kind).where({ id }), kind, caller).first<{ id: number } | undefined>('id');
    if (!known) return noSuch(ENTITY_KINDS[kind].words);
    const personId = personIdOf(caller);
    // Tokens have nothing open.
    if (personId === undefined) return answer({ others: [] });
    return answer({ others: await presence.note(kind, id, { id: personId, name: caller.fullName ?? caller.name }) });
  },
});
