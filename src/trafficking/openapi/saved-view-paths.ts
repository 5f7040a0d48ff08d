import { NEW_VIEW_SCHEMA, VIEW_COLUMNS } from '../../bookings/saved-view-store.ts';
import { schemaOf } from '../../api/columns.ts';
import { BODY_PROBLEMS, idInPath, jsonAnswer, jsonBody, problems, READ_PROBLEMS, WRITE_PROBLEMS, type Paths } from './operation.ts';
import { listOf, ref } from '../../api/schema.ts';

export const SAVED_VIEW_SCHEMAS = {
  SavedView: schemaOf(VIEW_COLUMNS),
  NewSavedView: NEW_VIEW_SCHEMA,
};

/** Searches of lists that a person saved. */
export const savedViewPaths = (): Paths => ({
  '/api/saved_views': {
    get: {
      operationId: 'listSavedViews',
      tags: ['delivery'],
      summary: 'Your saved views: searches of lists, by name',
      responses: { 200: jsonAnswer('Those of the token', listOf(ref('SavedView'))), ...problems(...READ_PROBLEMS) },
    },
    post: {
      operationId: 'saveView',
      tags: ['delivery'],
      summary: 'Save a view. One of yours with the same kind and name is replaced',
      requestBody: jsonBody(ref('NewSavedView')),
      responses: { 201: jsonAnswer('Saved', ref('SavedView')), ...problems(...BODY_PROBLEMS, ...WRITE_PROBLEMS) },
    },
  },
  '/api/saved_views/{id}': {
    parameters: [idInPath()],
    delete: {
      operationId: 'deleteSavedView',
      tags: ['delivery'],
      summary: 'Delete a view of yours',
      responses: { 204: { description: 'Deleted' }, ...problems('not_found', ...READ_PROBLEMS) },
    },
  },
});
