import { answer, done, noSuch, type Handlers } from '../api/route.ts';
import type { COMMENT_API } from './comment-api.ts';
import type { Comment, Commented, CommentStore } from './comment-store.ts';
import { ENTITY_KINDS } from './entity-kind.ts';

/** Comments on campaigns and line items. */
export const commentRoutes = (store: CommentStore): Handlers<typeof COMMENT_API> => {
  const shown = <C extends Comment | readonly Comment[]>(of: Commented, found: C | undefined) =>
    found ? answer(found) : noSuch(ENTITY_KINDS[of].words);
  return {
    listCampaignComments: async ({ id, ...page }) => shown('campaigns', await store.list('campaigns', id, page)),
    listLineItemComments: async ({ id, ...page }) => shown('line_items', await store.list('line_items', id, page)),
    addCampaignComment: async ({ id, body }, { actor }) => shown('campaigns', await store.add('campaigns', id, actor, body.text.trim())),
    addLineItemComment: async ({ id, body }, { actor }) => shown('line_items', await store.add('line_items', id, actor, body.text.trim())),
    deleteComment: async ({ id }, { actor }) => ((await store.remove(id, actor)) ? done() : noSuch('comment of yours')),
  };
};
