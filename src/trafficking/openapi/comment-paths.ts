import { COMMENT_COLUMNS, COMMENTED, NEW_COMMENT_SCHEMA, type Commented } from '../../bookings/comment-store.ts';
import { COMMENT_PAGE } from '../../bookings/comment-routes.ts';
import { ENTITY_KINDS } from '../../bookings/entity-kind.ts';
import { MAX_OFFSET } from '../../bookings/list-query.ts';
import { schemaOf } from '../../api/columns.ts';
import { pascalCase } from './entity-schemas.ts';
import {
  BODY_PROBLEMS,
  idInPath,
  jsonAnswer,
  jsonBody,
  pageQuery,
  problems,
  READ_PROBLEMS,
  type PathItem,
  type Paths,
} from './operation.ts';
import { listOf, ref } from '../../api/schema.ts';

export const COMMENT_SCHEMAS = {
  Comment: schemaOf(COMMENT_COLUMNS),
  NewComment: NEW_COMMENT_SCHEMA,
};

const path = (table: Commented): PathItem => ({
  parameters: [idInPath()],
  get: {
    operationId: `list${pascalCase(ENTITY_KINDS[table].name)}Comments`,
    tags: [table],
    summary: 'Comments of staff, newest first',
    parameters: pageQuery(COMMENT_PAGE, MAX_OFFSET),
    responses: { 200: jsonAnswer('Comments', listOf(ref('Comment'))), ...problems('invalid_request', 'not_found', ...READ_PROBLEMS) },
  },
  post: {
    operationId: `add${pascalCase(ENTITY_KINDS[table].name)}Comment`,
    tags: [table],
    summary: 'Add a comment',
    requestBody: jsonBody(ref('NewComment')),
    responses: { 201: jsonAnswer('Added', ref('Comment')), ...problems(...BODY_PROBLEMS, 'not_found', ...READ_PROBLEMS) },
  },
});

/** Comments on campaigns and line items. */
export const commentPaths = (): Paths => ({
  ...Object.fromEntries((Object.keys(COMMENTED) as Commented[]).map((table) => [`/api/${table}/{id}/comments`, path(table)])),
  '/api/comments/{id}': {
    parameters: [idInPath()],
    delete: {
      operationId: 'deleteComment',
      tags: ['campaigns'],
      summary: 'Delete a comment of yours',
      responses: { 204: { description: 'Deleted' }, ...problems('not_found', ...READ_PROBLEMS) },
    },
  },
});
