import { component } from '../api/component.ts';
import { idInPath } from '../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, noContent, ok } from '../api/route.ts';
import { NOT_BLANK } from '../base/schema-faults.ts';
import * as s from '../base/schema.ts';
import { ENTITY_TABLES } from '../catalog/entities/entities.ts';

const MAX_NAME_LENGTH = 80;
const MAX_QUERY_LENGTH = 2_000;

const kind = s.oneOf(ENTITY_TABLES);
const example = { kind: 'line_items', name: 'Behind, direct', query: 'status=behind&type=direct&sort=-spend_today' } as const;

const VIEW = component('SavedView', s.record({ id: s.integer, kind, name: s.text, query: s.text }), { id: 2, ...example });
export type SavedView = s.Shape<typeof VIEW>;
const NEW_VIEW = component(
  'NewSavedView',
  s.closedRecord({
    kind,
    name: s.textOf({ pattern: NOT_BLANK, maxLength: MAX_NAME_LENGTH }),
    query: s.textOf({ maxLength: MAX_QUERY_LENGTH, description: 'Parameters of the list: q=boots&status=behind&sort=-price' }),
  }),
  example,
);
export type NewView = s.Shape<typeof NEW_VIEW>;

const yours = { needs: 'sign_in', reach: 'any' } as const;

/** Searches of lists that a person saved under a name. */
export const SAVED_VIEW_API = defineRoutes({
  listSavedViews: {
    ...at('GET', '/api/saved_views', 'delivery'),
    ...yours,
    summary: 'Your saved views: searches of lists, by name',
    answer: ok('Those of the token', s.listOf(VIEW)),
  },
  saveView: {
    ...at('POST', '/api/saved_views', 'delivery'),
    ...yours,
    summary: 'Save a view. One of yours with the same kind and name is replaced',
    body: jsonBody(NEW_VIEW, 'The view has faults.'),
    answer: created('Saved', VIEW),
  },
  deleteSavedView: {
    ...at('DELETE', '/api/saved_views/{id}', 'delivery'),
    ...yours,
    summary: 'Delete a view of yours',
    parameters: { id: idInPath('saved view of yours') },
    answer: noContent('Deleted'),
  },
});
