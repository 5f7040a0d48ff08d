import { jsonAnswer, jsonBody, problems, query, record, ref, type Operation, type PathItem } from './operation.ts';

const GIF = { description: 'A transparent 1×1 GIF: counted, now or before', content: { 'image/gif': {} } };
const token = query('t', { type: 'string' }, 'The token of the URL that the bid carries', true);
const unauthenticated = { security: [] };

const track = (summary: string, extra: object = {}, parameters: readonly object[] = [token]): Operation => ({
  tags: ['tracking'],
  summary,
  ...unauthenticated,
  parameters,
  responses: { 200: GIF, ...extra, ...problems('invalid_token', 'unavailable') },
});

/** What pages and publishers' servers use. */
export const publicPaths = (allowedEvents: readonly string[]): Readonly<Record<string, PathItem>> => ({
  '/ad': {
    post: {
      tags: ['ads'],
      summary: 'Ask for an ad',
      security: [{ apiKey: [] }],
      parameters: [query('debug', { type: 'string', enum: ['1'] }, 'Adds debug.trace: how each impression was decided')],
      requestBody: jsonBody({ anyOf: [ref('AdRequest'), ref('FlatAdRequest')] }),
      responses: {
        200: jsonAnswer('A bid for each filled impression, or none and nbr', ref('AdResponse')),
        ...problems(
          'invalid_json',
          'invalid_request',
          'invalid_dimensions',
          'unauthorized',
          'body_too_large',
          'unsupported_media',
          'unavailable',
        ),
      },
    },
  },
  '/impression': { get: track('Record an impression: it counts and bills once a token') },
  '/click': { get: track('Record a click', { 302: { description: 'To the click_url of the creative, when it has one' } }) },
  '/event': {
    get: track('Record a custom event', problems('unknown_event_type'), [
      token,
      query('type', { type: 'string', enum: allowedEvents }, 'Checked before the token', true),
    ]),
  },
  '/report': {
    post: {
      tags: ['tracking'],
      summary: 'Report the quality of an ad',
      ...unauthenticated,
      requestBody: jsonBody(ref('QualityReport')),
      responses: {
        201: jsonAnswer('Filed; the same token again gives the same id', record({ id: { type: 'string' } })),
        ...problems('invalid_json', 'invalid_request', 'invalid_token', 'body_too_large', 'unavailable'),
      },
    },
  },
  '/reload': {
    post: {
      tags: ['operations'],
      summary: 'Load the catalog anew, here and on every other replica',
      ...unauthenticated,
      responses: { 204: { description: 'This replica serves what was stored before the call' }, ...problems('unavailable') },
    },
  },
  '/health': {
    get: {
      tags: ['operations'],
      summary: 'The process answers',
      ...unauthenticated,
      responses: { 200: jsonAnswer('Always', record({ status: { const: 'ok' } })) },
    },
  },
  '/ready': {
    get: {
      tags: ['operations'],
      summary: 'Whether to send requests here',
      ...unauthenticated,
      responses: { 200: jsonAnswer('Yes', record({ status: { const: 'ok' } })), ...problems('unavailable') },
    },
  },
  '/metrics': {
    get: {
      tags: ['operations'],
      summary: 'Prometheus text exposition',
      ...unauthenticated,
      responses: { 200: { description: 'All series', content: { 'text/plain': { schema: { type: 'string' } } } } },
    },
  },
  '/test/bid': {
    post: {
      tags: ['operations'],
      summary: 'A bidder for development, which bids whatever it is sent',
      ...unauthenticated,
      responses: { 200: jsonAnswer('An OpenRTB bid response', { type: 'object' }) },
    },
  },
});
