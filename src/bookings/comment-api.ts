import { component } from '../api/component.ts';
import { pagedList } from '../api/paged-list.ts';
import { idInPath, type Parameters } from '../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, noContent } from '../api/route.ts';
import { schemaOf } from '../api/columns.ts';
import { NOT_BLANK } from '../base/schema-faults.ts';
import { closedRecord, textOf, withDefault } from '../base/schema.ts';
import { COMMENT_COLUMNS, COMMENT_DAY } from './comment-store.ts';

/** Of the text of a comment, in characters. */
const MAX_COMMENT_LENGTH = 4_000;
const words = 'The client wants it only on weekdays from Monday.';

const COMMENT = component('Comment', schemaOf(COMMENT_COLUMNS), {
  id: 12,
  at: '2026-10-14T12:00:00.000Z',
  actor: 'ann',
  text: words,
  day: '2026-10-13',
});
const body = jsonBody(
  component(
    'NewComment',
    closedRecord({ text: textOf({ pattern: NOT_BLANK, maxLength: MAX_COMMENT_LENGTH }), day: withDefault(COMMENT_DAY, null) }),
    { text: words, day: '2026-10-13' },
  ),
  'The comment has a fault.',
);

const list = {
  method: 'GET',
  needs: 'records.read',
  reach: 'own',
  summary: 'Comments of staff, newest first',
} as const;
const add = {
  method: 'POST',
  needs: 'comments.write',
  reach: 'own',
  summary: 'Add a comment',
  body,
  answer: created('Added', COMMENT),
} as const;
const pages = <const P extends Parameters>(of: P) => pagedList('Comments', COMMENT, of, { size: { default: 50, max: 200 } });

const ofCampaign = { path: '/api/campaigns/{id}/comments', tag: 'campaigns' } as const;
const ofLineItem = { path: '/api/line_items/{id}/comments', tag: 'line_items' } as const;
const campaign = { id: idInPath('campaign') };
const lineItem = { id: idInPath('line item') };

/** Comments on campaigns and line items: who wrote what, and when. */
export const COMMENT_API = defineRoutes({
  listCampaignComments: { ...ofCampaign, ...list, ...pages(campaign) },
  addCampaignComment: { ...ofCampaign, ...add, parameters: campaign },
  listLineItemComments: { ...ofLineItem, ...list, ...pages(lineItem) },
  addLineItemComment: { ...ofLineItem, ...add, parameters: lineItem },
  deleteComment: {
    ...at('DELETE', '/api/comments/{id}', 'campaigns'),
    needs: 'comments.write',
    reach: 'any',
    summary: 'Delete a comment of yours',
    parameters: { id: idInPath('comment of yours') },
    answer: noContent('Deleted'),
  },
});
