import { alternativeBody, jsonAnswer, jsonBody, problems, query, type Operation, type Paths } from './operation.ts';
import { oneOf, ref, text } from '../../api/schema.ts';

const token = query('t', text, 'The token of the tracking URL', true);
const unauthenticated = { security: [] };

type Tracked = Pick<Operation, 'operationId' | 'summary'> & Partial<Pick<Operation, 'parameters' | 'responses'>>;

const track = ({ operationId, summary, parameters = [token], responses = {} }: Tracked): Operation => ({
  operationId,
  tags: ['tracking'],
  summary,
  ...unauthenticated,
  parameters,
  responses: {
    200: { description: 'A transparent 1×1 GIF; repeated calls are counted once', content: { 'image/gif': {} } },
    ...responses,
    ...problems('invalid_token', 'unavailable'),
  },
});

/** Plain tags: what docs/tags.md says of the query. */
const tag = (operation: Pick<Operation, 'operationId' | 'summary' | 'responses'>): Operation => ({
  tags: ['ads'],
  ...unauthenticated,
  parameters: [
    query('placement', text, 'The placement', true),
    query('publisher', text, 'The id of a publisher that lists its web origins'),
    query('key', text, 'The API key of any other publisher'),
    query('n', text, 'The recipient or visitor: joins image and click, and is the user of frequency caps'),
    query('size', text, 'Sizes that the place takes, such as 728x90,320x50'),
    ...['gdpr', 'gdpr_consent', 'gpp', 'gpp_sid', 'us_privacy', 'coppa'].map((name) => query(name, text, 'A privacy signal')),
    query('debug', oneOf(['1']), 'Adds the trace'),
  ],
  ...operation,
  responses: { ...operation.responses, ...problems('invalid_request', 'unauthorized', 'origin_not_allowed', 'unavailable') },
});

/** What pages, publishers' servers and operators call. */
export const publicPaths = (allowedEvents: readonly string[]): Paths => ({
  '/ad': {
    post: {
      operationId: 'requestAd',
      tags: ['ads'],
      summary: 'Request ads',
      security: [{ apiKey: [] }],
      parameters: [
        query('debug', oneOf(['1']), 'Adds debug.trace: how each impression was decided'),
        query('debug_grant', text, 'In production: a token of POST /api/debug_grants, without which the trace has no figures'),
      ],
      requestBody: alternativeBody('AdRequest', 'FlatAdRequest'),
      responses: {
        200: jsonAnswer('A bid for each filled impression; nbr when none is filled', ref('AdResponse')),
        ...problems(
          'invalid_json',
          'invalid_request',
          'invalid_dimensions',
          'unauthorized',
          'origin_not_allowed',
          'body_too_large',
          'unsupported_media',
          'unavailable',
        ),
      },
    },
  },
  '/openrtb2/auction': {
    post: {
      operationId: 'runAuction',
      tags: ['ads'],
      summary: 'Bid in an OpenRTB 2.6 auction of Prebid.js or Prebid Server',
      security: [{ apiKey: [] }, {}],
      parameters: [query('debug', oneOf(['1']), 'Adds ext.debug.trace: how each impression was decided')],
      requestBody: jsonBody(ref('AuctionRequest')),
      responses: {
        200: jsonAnswer('A bid for each filled impression; nbr when none is filled', ref('AuctionResponse')),
        ...problems(
          'invalid_json',
          'invalid_request',
          'unauthorized',
          'origin_not_allowed',
          'body_too_large',
          'unsupported_media',
          'unavailable',
        ),
      },
    },
  },
  '/tag/iframe': {
    get: tag({
      operationId: 'showTagFrame',
      summary: 'An html or banner ad as a document, for a frame',
      responses: { 200: { description: 'Empty when there is no ad', content: { 'text/html': { schema: text } } } },
    }),
  },
  '/tag/image': {
    get: tag({
      operationId: 'showTagImage',
      summary:
        'The image of a banner ad, for e-mail; counts its impression. Its link is /tag/click with the same query, which only redirects',
      responses: {
        200: { description: 'A transparent GIF: there is no ad', content: { 'image/gif': {} } },
        302: { description: 'Redirects to the image' },
      },
    }),
  },
  '/impression': {
    get: track({ operationId: 'trackImpression', summary: 'Record an impression; counted and billed once per token' }),
  },
  '/click': {
    get: track({
      operationId: 'trackClick',
      summary: 'Record a click',
      responses: { 302: { description: 'Redirects to the click_url of the creative, when it has one' } },
    }),
  },
  '/event': {
    get: track({
      operationId: 'trackEvent',
      summary: 'Record a custom event',
      parameters: [token, query('type', oneOf(allowedEvents), 'Checked before the token', true)],
      responses: problems('unknown_event_type'),
    }),
  },
  '/report': {
    post: {
      operationId: 'reportAdQuality',
      tags: ['tracking'],
      summary: 'Report the quality of an ad',
      ...unauthenticated,
      requestBody: jsonBody(ref('QualityReport')),
      responses: {
        201: jsonAnswer('Stored; the same token returns the same id', ref('StoredReport')),
        ...problems(
          'invalid_json',
          'invalid_request',
          'invalid_token',
          'body_too_large',
          'unsupported_media',
          'too_many_requests',
          'unavailable',
        ),
      },
    },
  },
  '/reload': {
    post: {
      operationId: 'reloadCatalog',
      tags: ['operations'],
      summary: 'Reload the catalog, here and on every other replica',
      ...unauthenticated,
      responses: {
        204: { description: 'This replica serves what was stored before the call' },
        ...problems('unknown_host', 'unavailable'),
      },
    },
  },
  '/ads.txt': {
    get: {
      operationId: 'getAdsTxt',
      tags: ['operations'],
      summary: 'The records that the ads.txt of a publisher needs for the bidders of its line items',
      ...unauthenticated,
      parameters: [query('publisher', text, 'The id of the publisher; optional where there is one publisher')],
      responses: {
        200: {
          description: 'Lines of ads.txt 1.1',
          content: { 'text/plain': { schema: text, example: 'OWNERDOMAIN=gazette.example\nads.example, 1, DIRECT\n' } },
        },
        ...problems('invalid_request', 'not_found', 'unknown_host', 'unavailable'),
      },
    },
  },
  '/sellers.json': {
    get: {
      operationId: 'listSellers',
      tags: ['operations'],
      summary: 'Who is paid at the accounts of this service, as sellers.json 1.0',
      ...unauthenticated,
      parameters: [query('asi', text, 'Only the accounts of this advertising system')],
      responses: { 200: jsonAnswer('The sellers of all publishers', ref('SellersJson')), ...problems('unknown_host', 'unavailable') },
    },
  },
  '/health': {
    get: {
      operationId: 'checkHealth',
      tags: ['operations'],
      summary: 'Whether the process is running',
      ...unauthenticated,
      responses: { 200: jsonAnswer('Always', ref('Health')), ...problems('unknown_host') },
    },
  },
  '/version': {
    get: {
      operationId: 'getVersion',
      tags: ['operations'],
      summary: 'The build that is running',
      ...unauthenticated,
      responses: { 200: jsonAnswer('Always', ref('Build')), ...problems('unknown_host') },
    },
  },
  '/ready': {
    get: {
      operationId: 'checkReadiness',
      tags: ['operations'],
      summary: 'Whether the replica accepts requests',
      ...unauthenticated,
      responses: {
        200: jsonAnswer('Ready; `degraded` while Redis does not accept writes or the catalog worker has failed', ref('Readiness')),
        ...problems('unknown_host', 'unavailable'),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: ['operations'],
      summary: 'Prometheus text exposition',
      ...unauthenticated,
      responses: {
        200: { description: 'All series', content: { 'text/plain': { schema: text, example: 'adserver_ready 1\n' } } },
        ...problems('unknown_host'),
      },
    },
  },
  '/test/bid': {
    post: {
      operationId: 'answerTestBid',
      tags: ['operations'],
      summary: 'A bidder for development, which bids on every request',
      ...unauthenticated,
      requestBody: jsonBody(ref('BidRequest')),
      responses: { 200: jsonAnswer('An OpenRTB bid response', ref('BidResponse')), ...problems('unknown_host') },
    },
  },
});
