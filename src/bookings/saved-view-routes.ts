import { answer, done, noSuch, refuse, type Handlers } from '../api/route.ts';
import { ENTITY_KINDS } from './entity-kind.ts';
import { readListQuery } from './list-query.ts';
import type { SAVED_VIEW_API } from './saved-view-api.ts';
import { MAX_SAVED_VIEWS, type SavedViewStore } from './saved-view-store.ts';

/** Searches of lists that a person saved under a name. */
export const savedViewRoutes = (store: SavedViewStore): Handlers<typeof SAVED_VIEW_API> => ({
  listSavedViews: async (_asked, { actor }) => answer(await store.list(actor)),
  saveView: async ({ body: { kind, name, query } }, { actor }) => {
    const asked = readListQuery(ENTITY_KINDS[kind], new URLSearchParams(query));
    if (!asked.ok) {
      const faults = asked.faults.map(({ pointer, detail }) => ({ pointer: `/query${pointer}`, detail }));
      return refuse('invalid_request', 'The view has faults.', faults);
    }
    const saved = await store.save(actor, { kind, name: name.trim(), query });
    return saved ? answer(saved) : refuse('conflict', `You have ${MAX_SAVED_VIEWS} saved views: delete one first.`);
  },
  deleteSavedView: async ({ id }, { actor }) => ((await store.remove(id, actor)) ? done() : noSuch('saved view of yours')),
});
