import { answer, done, noSuch, type Handlers } from '../api/route.ts';
import type { COMMENT_API } from './comment-api.ts';
import type { Comment, Commented, CommentStore } from './comment-store.ts';
import { ENTITY_KINDS } from './entity-kind.ts';

/** Called with each new comment. */
export type OnComment = (of: Commented, id: number, comment: Comment) => Promise<void>;

/** Comments on campaigns and line items. */
export const commentRoutes = (store: CommentStore, onComment: OnComment): Handlers<typeof COMMENT_API> => {
  const shown = <C extends Comment | readonly Comment[]>(of: Commented, found: C | undefined) =>
    found ? answer(found) : noSuch(ENTITY_KINDS[of].words);
  const add = async (of: Commented, id: number, actor: string, { text, day }: Pick<Comment, 'text' | 'day'>) => {
    const comment = await store.add(of, id, actor, { text: text.trim(), day });
    if (comment) await onComment(of, id, comment);
    return shown(of, comment);
  };
  return {
    listCampaignComments: async ({ id, ...page }) => shown('campaigns', await store.list('campaigns', id, page)),
    listLineItemComments: async ({ id, ...page }) => shown('line_items', await store.list('line_items', id, page)),
    addCampaignComment: ({ id, body }, { actor }) => add('campaigns', id, actor, body),
    addLineItemComment: ({ id, body }, { actor }) => add('line_items', id, actor, body),
    deleteComment: async ({ id }, { actor }) => ((await store.remove(id, actor)) ? done() : noSuch('comment of yours')),
  };
};
