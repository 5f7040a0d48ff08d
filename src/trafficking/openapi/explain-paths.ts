import { DEVICES } from '../../catalog/model/entities.ts';
import { jsonAnswer, jsonBody, problems, READ_PROBLEMS, type Paths } from './operation.ts';
import { integer, moment, oneOf, record, ref, text } from './schema.ts';

/** Decisions without side effects. */
export const explainPaths = (): Paths => ({
  '/api/explain': {
    post: {
      operationId: 'explainLineItem',
      tags: ['delivery'],
      summary: 'Why a line item would or would not fill an ad request. Serves and counts nothing, and calls no bidder.',
      requestBody: jsonBody(ref('Question')),
      responses: {
        200: jsonAnswer('The outcome of each creative', ref('Explanation')),
        ...problems('invalid_json', 'invalid_request', 'not_found', ...READ_PROBLEMS),
      },
    },
  },
  '/api/test_ad': {
    post: {
      operationId: 'testAd',
      tags: ['delivery'],
      summary: 'The ad that a request would get, with the whole trace. Calls bidders; serves, counts and bills nothing.',
      requestBody: jsonBody({
        allOf: [
          ref('AdRequest'),
          {
            type: 'object',
            properties: {
              context: {
                type: 'object',
                description: 'Overrides what the address and the user agent say',
                properties: { country: text, region: text, city: text, device: oneOf(DEVICES) },
              },
            },
          },
        ],
      }),
      responses: {
        200: jsonAnswer('As POST /ad?debug=1, without ids and tracking URLs', { type: 'object' }),
        ...problems('invalid_json', 'invalid_request', ...READ_PROBLEMS),
      },
    },
  },
  '/api/debug_grants': {
    post: {
      operationId: 'createDebugGrant',
      tags: ['delivery'],
      summary: "A URL of POST /ad that shows whole traces of one publisher's requests in production, for an hour",
      requestBody: jsonBody(record({ publisher_id: integer })),
      responses: {
        201: jsonAnswer('Valid until it expires or the token secret is replaced', record({ token: text, url: text, expires: moment })),
        ...problems('invalid_json', 'invalid_request', ...READ_PROBLEMS),
      },
    },
  },
});
