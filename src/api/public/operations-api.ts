import { Unsafe } from '@sinclair/typebox';
import { anyObject, listOf, oneOf, optional, record, text } from '../../base/schema.ts';
import { component } from '../component.ts';
import { ownQuery } from '../parameters.ts';
import { at, defineRoutes, file, noContent, ok, ownBody } from '../route.ts';

const SELLERS = component(
  'SellersJson',
  record({
    version: Unsafe<'1.0'>({ const: '1.0' }),
    sellers: listOf(record({ seller_id: text, name: text, domain: text, seller_type: oneOf(['PUBLISHER', 'INTERMEDIARY']) })),
  }),
  { version: '1.0', sellers: [{ seller_id: '1', name: 'The Gazette', domain: 'gazette.example', seller_type: 'PUBLISHER' }] },
);

const READINESS = component(
  'Readiness',
  record({
    status: Unsafe<'ok' | 'degraded'>({ enum: ['ok', 'degraded'] }),
    redis: optional(Unsafe<'unavailable'>({ const: 'unavailable' })),
    catalog: optional(Unsafe<'not updated'>({ const: 'not updated' })),
    books: optional(
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
    ...at('POST', '/reload', 'operations'),
    access: 'public',
    summary: 'Reload the catalog, here and on every other replica',
    answer: noContent('This replica serves what was stored before the call'),
    problems: ['unknown_host', 'unavailable'],
  },
  getAdsTxt: {
    ...at('GET', '/ads.txt', 'operations'),
    access: 'public',
    summary: 'The records that the ads.txt of a publisher needs for the bidders of its line items',
    parameters: { publisher: ownQuery(text, 'The id of the publisher; optional where there is one publisher') },
    answer: file('Lines of ads.txt 1.1', {
      'text/plain': { schema: text, example: 'OWNERDOMAIN=gazette.example\nads.example, 1, DIRECT\n' },
    }),
    problems: ['invalid_request', 'not_found', 'unknown_host', 'unavailable'],
  },
  listSellers: {
    ...at('GET', '/sellers.json', 'operations'),
    access: 'public',
    summary: 'Who is paid at the accounts of this service, as sellers.json 1.0',
    parameters: { asi: ownQuery(text, 'Only the accounts of this advertising system') },
    answer: ok('The sellers of all publishers', SELLERS),
    problems: ['unknown_host', 'unavailable'],
  },
  checkHealth: {
    ...at('GET', '/health', 'operations'),
    access: 'public',
    summary: 'Whether the process is running',
    answer: ok('Always', component('Health', record({ status: Unsafe<'ok'>({ const: 'ok' }) }), { status: 'ok' })),
    problems: ['unknown_host'],
  },
  getVersion: {
    ...at('GET', '/version', 'operations'),
    access: 'public',
    summary: 'The build that is running',
    answer: ok(
      'Always',
      component('Build', record({ version: text, commit: optional(text), node: text }), {
        ...{ version: '1.0.0', commit: '6cef9a9', node: '24.4.1' },
      }),
    ),
    problems: ['unknown_host'],
  },
  checkReadiness: {
    ...at('GET', '/ready', 'operations'),
    access: 'public',
    summary: 'Whether the replica accepts requests',
    answer: ok('Ready; `degraded` while Redis does not accept writes or the catalog worker has failed', READINESS),
    problems: ['unknown_host', 'unavailable'],
  },
  getMetrics: {
    ...at('GET', '/metrics', 'operations'),
    access: 'public',
    summary: 'Prometheus text exposition',
    answer: file('All series', { 'text/plain': { schema: text, example: 'adserver_ready 1\n' } }),
    problems: ['unknown_host'],
  },
  answerTestBid: {
    ...at('POST', '/test/bid', 'operations'),
    access: 'public',
    summary: 'A bidder for development, which bids on every request',
    body: ownBody(
      component('BidRequest', anyObject({ description: 'Any OpenRTB bid request' }), {
        ...{ id: 'page-view-81', imp: [{ id: '1', banner: { w: 728, h: 90 } }] },
      }),
      { raw: true },
    ),
    answer: ok(
      'An OpenRTB bid response',
      component('BidResponse', anyObject({ description: 'An OpenRTB bid response' }), {
        ...{ id: 'page-view-81', cur: 'USD', seatbid: [{ bid: [{ id: 'b1', impid: '1', price: 2, adm: '<b>ad</b>', crid: 'c1' }] }] },
      }),
    ),
    problems: ['unknown_host'],
  },
});
