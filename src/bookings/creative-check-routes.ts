import type { Knex } from 'knex';
import { answer, type Handlers } from '../api/route.ts';
import type { CREATIVE_CHECK_API } from './creative-check-api.ts';
import { findInCreative } from './find-in-creative.ts';

/** What a platform would object to in a creative. */
export const creativeCheckRoutes = ({ knex }: { readonly knex: Knex }): Handlers<typeof CREATIVE_CHECK_API> => ({
  checkCreative: async ({ body }) => answer([...(await findInCreative(knex, body))]),
});
