import { AD_REQUEST_SCHEMA, FLAT_AD_REQUEST_SCHEMA } from '../../src/http/openrtb/ad-request-schema.ts';
import {
  advertiserSchema,
  campaignSchema,
  creativeSchema,
  lineItemSchema,
  placementSchema,
  publisherSchema,
} from '../../src/catalog/checks/schemas.ts';
import { plain, type Gene, type Value } from './gene.ts';
import { fresh, json, list, object, shapeOfSchema, type Shape } from './shape.ts';
import type { Target } from './open-target.ts';

/**
 * A valid request to every endpoint, by every role that has one. Bodies are generated from the JSON
 * Schemas, with ids that exist.
 */
export const seedGenes = ({ booking, adminToken, spareCampaigns, tokens }: Target): readonly Gene[] => {
  const { publisherId, apiKey, placementId, campaignId, lineItemIds, creativeIds } = booking;
  const [lineItemId = 1] = lineItemIds;
  const [token = ''] = tokens;
  const key: readonly [string, Value] = ['X-API-Key', plain(apiKey)];
  const staff: readonly [string, Value] = ['Authorization', plain(`Bearer ${adminToken}`)];

  const known: Readonly<Record<string, Shape>> = {
    dimensions: object({}),
    cpc: json(null),
    endpoint: json(null),
    content: json('<b>ad</b>'),
    publisher_id: json(publisherId),
    placement_id: json(placementId),
    tagid: json(placementId),
    campaign_id: json(campaignId),
    line_item_id: json(lineItemId),
    user_id: fresh,
    ip: json('203.0.113.9'),
    ua: json('Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0'),
  };
  const adRequest = object({
    id: fresh,
    imp: list(object({ id: json('1'), tagid: json(placementId), w: json(300), h: json(250) })),
    user: object({ id: fresh, consent: json('CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA') }),
    device: object({ ua: json('Mozilla/5.0 Firefox/130.0'), ip: json('203.0.113.9') }),
    site: object({ page: json('https://publisher.example/?q=1') }),
    regs: object({ gdpr: json(0), us_privacy: json('1YNN'), gpp: json('DBAA'), gpp_sid: list(json(6)), ext: object({}) }),
    ext: object({ publisher_id: json(publisherId), kv: object({ topic: json('sport') }) }),
  });
  const auction = object({
    id: fresh,
    imp: list(
      object({
        id: json('1'),
        tagid: json(placementId),
        bidfloor: json(0),
        banner: object({ format: list(object({ w: json(300), h: json(250) })) }),
        ext: object({ data: object({ topic: json('sport') }), prebid: object({ bidder: object({}) }) }),
      }),
    ),
    site: object({ page: json('https://publisher.example/?q=1'), publisher: object({ id: json(String(publisherId)) }) }),
    device: object({ ua: json('Mozilla/5.0 Firefox/130.0'), ip: json('203.0.113.9') }),
    user: object({ id: fresh }),
    regs: object({ gdpr: json(0), ext: object({}) }),
    bcat: list(json('IAB1')),
    badv: list(json('advertiser.example')),
    ext: object({ prebid: object({}) }),
  });
  const twenty: Shape = {
    kind: 'list',
    items: Array.from({ length: 20 }, (_, i) => object({ id: json(`${i}`), tagid: json(placementId) })),
    times: 1,
  };

  const gene = (method: string, path: string, rest: Partial<Gene> = {}): Gene => ({
    endpoint: `${method} ${path}`,
    role: 'stranger',
    carriesFiles: false,
    method,
    path,
    query: [],
    headers: [],
    body: undefined,
    encoding: 'identity',
    framing: 'length',
    ...rest,
  });
  const named = (endpoint: string, given: Gene): Gene => ({ ...given, endpoint });
  const debug: Gene['query'] = [['debug', plain('1')]];
  const t: Gene['query'] = [['t', plain(token)]];

  const strangers = [
    gene('POST', '/ad', { headers: [key], body: adRequest }),
    named('POST /ad, from the schema', gene('POST', '/ad', { headers: [key], body: shapeOfSchema(AD_REQUEST_SCHEMA, known) })),
    named('POST /ad, flat', gene('POST', '/ad', { headers: [key], body: shapeOfSchema(FLAT_AD_REQUEST_SCHEMA, known) })),
    named('POST /ad, 20 impressions', gene('POST', '/ad', { headers: [key], body: withMember(adRequest, 'imp', twenty) })),
    named('POST /ad, traced', gene('POST', '/ad', { headers: [key], query: debug, body: withMember(adRequest, 'imp', twenty) })),
    named('POST /ad, without a key', gene('POST', '/ad', { body: adRequest })),
    named('POST /ad, with a wrong key', gene('POST', '/ad', { headers: [['X-API-Key', plain('pk_wrong')]], body: adRequest })),
    gene('POST', '/openrtb2/auction', { headers: [key], body: auction }),
    gene('OPTIONS', '/ad', { headers: [['Origin', plain('https://publisher.example')]] }),
    gene('HEAD', '/ad'),
    ...['/impression', '/click', '/event'].flatMap((path) => {
      const query: Gene['query'] = path === '/event' ? [...t, ['type', plain('like')]] : t;
      return [gene('GET', path, { query }), gene('HEAD', path, { query })];
    }),
    gene('POST', '/report', { body: object({ token: json(token), reason: json('other') }) }),
    gene('POST', '/test/bid', { body: adRequest, query: [['delay', plain('0')]] }),
    gene('GET', '/health'),
    gene('GET', '/ready'),
    gene('GET', '/no/such/path'),
    gene('GET', '/static/sdk/adsdk.js', { carriesFiles: true }),
    gene('GET', '/static/admin.html', { carriesFiles: true }),
    gene('HEAD', '/static/api/', { carriesFiles: true }),
    named('GET /api/line_items, without a token', gene('GET', '/api/line_items')),
    named('POST /api/line_items, without a token', gene('POST', '/api/line_items', { body: shapeOfSchema(lineItemSchema, known) })),
  ];
  const operators = [gene('GET', '/metrics'), gene('POST', '/reload')].map((given): Gene => ({ ...given, role: 'operator' }));

  const schemas = {
    publishers: publisherSchema,
    placements: placementSchema,
    advertisers: advertiserSchema,
    campaigns: campaignSchema,
    line_items: lineItemSchema,
    creatives: creativeSchema,
  };
  const ids = {
    publishers: publisherId,
    placements: placementId,
    advertisers: 1,
    campaigns: campaignId,
    line_items: lineItemId,
    creatives: creativeIds[0] ?? 1,
  };
  const trafficking = Object.entries(schemas).flatMap(([table, schema]) => {
    const body = shapeOfSchema(schema, { ...known, id: json(ids[table as keyof typeof ids]) });
    return [
      gene('GET', `/api/${table}`, {
        query: [
          ['limit', plain('10000')],
          ['offset', plain('0')],
          ['q', plain('')],
        ],
      }),
      gene('POST', `/api/${table}`, { body: withMember(body, 'id', fresh) }),
      gene('PUT', `/api/${table}/${ids[table as keyof typeof ids]}`, { body }),
      gene('PATCH', `/api/${table}/${ids[table as keyof typeof ids]}`, { body }),
      gene('DELETE', `/api/${table}/2000000000`),
    ];
  });
  const ofBidders = shapeOfSchema(lineItemSchema, {
    ...known,
    type: json('programmatic'),
    endpoint: json('https://bidder.example/bid'),
    budget_type: json('CPM'),
  });
  const others = [
    named('POST /api/line_items, programmatic', gene('POST', '/api/line_items', { body: withMember(ofBidders, 'id', fresh) })),
    named('DELETE /api/campaigns, with line items', gene('DELETE', `/api/campaigns/{${spareCampaigns.join('..')}}`)),
  ];
  const insight = [
    gene('GET', '/api/audit', { query: [['limit', plain('1000')]] }),
    gene('GET', '/api/reports'),
    gene('GET', `/api/line_items/${lineItemId}/delivery`),
    gene('GET', `/api/campaigns/${campaignId}/report`, {
      query: [
        ['from', plain('2026-01-01')],
        ['format', plain('csv')],
      ],
    }),
    gene('GET', '/api/openapi.json'),
    gene('GET', '/api/dimensions'),
    gene('POST', '/api/explain', { body: object({ line_item_id: json(lineItemId), request: adRequest }) }),
    gene('POST', '/api/test_ad', { body: adRequest }),
  ];
  const ofStaff = [...trafficking, ...others, ...insight].map((given): Gene => ({
    ...given,
    role: 'staff',
    headers: [staff, ...given.headers],
  }));
  return [...strangers, ...operators, ...ofStaff];
};

const withMember = (shape: Shape, name: string, value: Shape): Shape =>
  shape.kind === 'object' ? { ...shape, members: shape.members.map(([own, held]) => [own, own === name ? value : held]) } : shape;
