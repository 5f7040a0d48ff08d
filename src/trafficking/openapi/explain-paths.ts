import { BODY_PROBLEMS, jsonAnswer, jsonBody, problems, READ_PROBLEMS, WRITE_PROBLEMS, type Paths } from './operation.ts';
import { ref } from '../../api/schema.ts';

/** Decisions without side effects, and changes of many records. */
export const explainPaths = (): Paths => ({
  '/api/explain': {
    post: {
      operationId: 'explainLineItem',
      tags: ['delivery'],
      summary: 'Why a line item would or would not fill an ad request. Serves and counts nothing, and calls no bidder.',
      requestBody: jsonBody(ref('Question')),
      responses: {
        200: jsonAnswer('The outcome of each creative', ref('Explanation')),
        ...problems(...BODY_PROBLEMS, 'not_found', ...READ_PROBLEMS),
      },
    },
  },
  '/api/bulk': {
    post: {
      operationId: 'changeRecords',
      tags: ['delivery'],
      summary: 'Writes of this API in one transaction: all of them or none',
      requestBody: jsonBody(ref('BulkChange')),
      responses: {
        200: jsonAnswer('All were carried out', ref('BulkResults')),
        ...problems(...BODY_PROBLEMS, 'bulk_refused', ...WRITE_PROBLEMS),
      },
    },
  },
  '/api/test_ad': {
    post: {
      operationId: 'testAd',
      tags: ['delivery'],
      summary: 'The ad that a request would get, with the whole trace. Calls bidders; serves, counts and bills nothing.',
      requestBody: jsonBody(ref('TestAdRequest')),
      responses: {
        200: jsonAnswer('As POST /ad?debug=1, without ids and tracking URLs', ref('TestAdResponse')),
        ...problems(...BODY_PROBLEMS, ...READ_PROBLEMS),
      },
    },
  },
  '/api/debug_grants': {
    post: {
      operationId: 'createDebugGrant',
      tags: ['delivery'],
      summary: "A URL of POST /ad that shows whole traces of one publisher's requests in production, for an hour",
      requestBody: jsonBody(ref('DebugGrantRequest')),
      responses: {
        201: jsonAnswer('Valid until it expires or the token secret is replaced', ref('DebugGrant')),
        ...problems(...BODY_PROBLEMS, ...READ_PROBLEMS),
      },
    },
  },
});
