import { Unsafe } from '@sinclair/typebox';
import * as s from '../../base/schema.ts';
import { component } from '../component.ts';
import { ownQuery } from '../parameters.ts';
import { at, defineRoutes, file, noContent, ok, ownBody, PUBLIC } from '../route.ts';

const SELLERS = component(
  'SellersJson',
  s.record({
    version: Unsafe<'1.0'>({ const: '1.0' }),
    sellers: s.listOf(s.record({ seller_id: s.text, name: s.text, domain: s.text, seller_type: s.oneOf(['PUBLISHER', 'INTERMEDIARY']) })),
  }),
  { version: '1.0', sellers: [{ seller_id: '1', name: 'The Gazette', domain: 'gazette.example', seller_type: 'PUBLISHER' }] },
);

const READINESS = component(
  'Readiness',
  s.record({
    status: Unsafe<'ok' | 'degraded'>({ enum: ['ok', 'degraded'] }),
    redis: s.optional(Unsafe<'unavailable'>({ const: 'unavailable' })),
    catalog: s.optional(Unsafe<'not updated'>({ const: 'not updated' })),
    books: s.optional(
      Unsafe<'rebuilding'>({
        const: 'rebuilding',
        description: 'Redis lost counters: limited line items serve once their accounts are rebuilt',
      }),
    ),
  }),
  { status: 'ok' },
);

/** Health, metrics and reloads. Served by src/http. */
export const OPERATIONS_API = defineRoutes({
  reloadCatalog: {
    ...at('POST', '/reload', 'operations', PUBLIC),
    summary: 'Reload the catalog, here and on every other replica',
    answer: noContent('This replica serves what was stored before the call'),
    problems: ['unknown_host', 'unavailable'],
  },
  getAdsTxt: {
    ...at('GET', '/ads.txt', 'operations', PUBLIC),
    summary: 'The records that the ads.txt of a publisher needs for the bidders of its line items',
    parameters: { publisher: ownQuery(s.text, 'The id of the publisher; optional where there is one publisher') },
    answer: file('Lines of ads.txt 1.1', {
      'text/plain': { schema: s.text, example: 'OWNERDOMAIN=gazette.example\nads.example, 1, DIRECT\n' },
    }),
    problems: ['invalid_request', 'not_found', 'unknown_host', 'unavailable'],
  },
  listSellers: {
    ...at('GET', '/sellers.json', 'operations', PUBLIC),
    summary: 'Who is paid at the accounts of this service, as sellers.json 1.0',
    parameters: { asi: ownQuery(s.text, 'Only the accounts of this advertising system') },
    answer: ok('The sellers of all publishers', SELLERS),
    problems: ['unknown_host', 'unavailable'],
  },
  checkHealth: {
    ...at('GET', '/health', 'operations', PUBLIC),
    summary: 'Whether the process is running',
    answer: ok('Always', component('Health', s.record({ status: Unsafe<'ok'>({ const: 'ok' }) }), { status: 'ok' })),
    problems: ['unknown_host'],
  },
  getVersion: {
    ...at('GET', '/version', 'operations', PUBLIC),
    summary: 'The build that is running',
    answer: ok(
      'Always',
      component('Build', s.record({ version: s.text, commit: s.optional(s.text), node: s.text }), {
        ...{ version: '1.0.0', commit: '6cef9a9', node: '24.4.1' },
      }),
    ),
    problems: ['unknown_host'],
  },
  checkReadiness: {
    ...at('GET', '/ready', 'operations', PUBLIC),
    summary: 'Whether the replica accepts requests',
    answer: ok('Ready; `degraded` while Redis does not accept writes or the catalog worker has failed', READINESS),
    problems: ['unknown_host', 'unavailable'],
  },
  getMetrics: {
    ...at('GET', '/metrics', 'operations', PUBLIC),
    summary: 'Prometheus text exposition',
    answer: file('All series', { 'text/plain': { schema: s.text, example: 'adserver_ready 1\n' } }),
    problems: ['unknown_host'],
  },
  answerTestBid: {
    ...at('POST', '/test/bid', 'operations', PUBLIC),
    summary: 'A bidder for development, which bids on every request',
    body: ownBody(
      component('BidRequest', s.anyObject({ description: 'Any OpenRTB bid request' }), {
        ...{ id: 'page-view-81', imp: [{ id: '1', banner: { w: 728, h: 90 } }] },
      }),
      { raw: true },
    ),
    answer: ok(
      'An OpenRTB bid response',
      component('BidResponse', s.anyObject({ description: 'An OpenRTB bid response' }), {
        ...{ id: 'page-view-81', cur: 'USD', seatbid: [{ bid: [{ id: 'b1', impid: '1', price: 2, adm: '<b>ad</b>', crid: 'c1' }] }] },
      }),
    ),
    problems: ['unknown_host'],
  },
});
