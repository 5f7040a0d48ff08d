import { ENTITIES } from '../../src/catalog/entities/entities.ts';
import { AD_REQUEST_SCHEMA, FLAT_AD_REQUEST_SCHEMA } from '../../src/http/openrtb/ad-request-schema.ts';
import { bidderGenes } from './bidder-seeds.ts';
import { shapeOfSchema } from './described-shape.ts';
import { documentedGenes } from './documented-seeds.ts';
import { createGene as gene, type Gene } from './gene.ts';
import { plain, type Value } from './message.ts';
import { fresh, json, list, object, type Shape } from './shape.ts';
import type { Target } from './open-target.ts';

/** Just within what an auction, and a creative, may send. */
const ofAuction = { maxBodyLength: 130_000 };
const ofCreative = { maxBodyLength: 2_000_000 };

/**
 * A valid request to every endpoint, by every role that has one, and valid answers of bidders. Most
 * are written here, in several variants; any other operation of the OpenAPI document is sent as the
 * document describes it, so that a new endpoint is searched too.
 */
export const seedGenes = (target: Target): readonly Gene[] => {
  const known = knownValues(target);
  const written = [...ofStrangers(target, known), ...ofOperators(), ...ofStaff(target, known)];
  return [...written, ...documentedGenes(target, known, written), ...bidderGenes(target)];
};

/** What the names of properties and parameters stand for, wherever they occur. */
const knownValues = ({ booking, tokens }: Target): Readonly<Record<string, Shape>> => {
  const { publisherId, apiKey, placementId, campaignId, lineItemIds } = booking;
  return {
    dimensions: object({}),
    cpc: json(null),
    cpcv: json(null),
    endpoint: json(null),
    content: json('<b>ad</b>'),
    publisher_id: json(publisherId),
    placement_id: json(placementId),
    placement: json(placementId),
    tagid: json(placementId),
    campaign_id: json(campaignId),
    line_item_id: json(lineItemIds[0]),
    key: json(apiKey),
    t: json(tokens[0]),
    token: json(tokens[0]),
    user_id: fresh,
    origins: list(json('https://publisher.example')),
    ip: json('203.0.113.9'),
    ua: json('Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0'),
  };
};

const debug: Gene['query'] = [['debug', plain('1')]];
const named = (endpoint: string, given: Gene): Gene => ({ ...given, endpoint });

const ofStrangers = ({ booking, tokens, listed }: Target, known: Readonly<Record<string, Shape>>): readonly Gene[] => {
  const { publisherId, apiKey, placementId } = booking;
  const key: readonly [string, Value] = ['X-API-Key', plain(apiKey)];
  const origin: readonly [string, Value] = ['Origin', plain(listed.origin)];
  const adRequest = adRequestTo(publisherId, placementId);
  const auction = auctionOf(publisherId, placementId);
  const placements = (shape: (id: string) => Shape): Shape => list(...Array.from({ length: 20 }, (_, i) => shape(`${i}`)));
  const twenty = placements((id) => object({ id: json(id), tagid: json(placementId) }));
  const twentyBanners = placements((id) =>
    object({ id: json(id), tagid: json(placementId), banner: object({ format: list(object({ w: json(300), h: json(250) })) }) }),
  );
  const t: Gene['query'] = [['t', plain(tokens[0] ?? '')]];
  const tag: Gene['query'] = [
    ['key', plain(apiKey)],
    ['placement', plain(placementId)],
    ['n', plain('reader')],
    ['size', plain('300x250,728x90')],
    ['kv.topic', plain('sport')],
    ['gdpr_consent', plain(CONSENT)],
    ['page', plain('https://publisher.example/?q=1')],
  ];
  return [
    gene('POST', '/ad', { headers: [key], body: adRequest }),
    named('POST /ad, from the schema', gene('POST', '/ad', { headers: [key], body: shapeOfSchema(AD_REQUEST_SCHEMA, known) })),
    named('POST /ad, flat', gene('POST', '/ad', { headers: [key], body: shapeOfSchema(FLAT_AD_REQUEST_SCHEMA, known) })),
    named('POST /ad, 20 impressions', gene('POST', '/ad', { headers: [key], body: withMember(adRequest, 'imp', twenty) })),
    named('POST /ad, traced', gene('POST', '/ad', { headers: [key], query: debug, body: withMember(adRequest, 'imp', twenty) })),
    named('POST /ad, without a key', gene('POST', '/ad', { body: adRequest })),
    named('POST /ad, with a wrong key', gene('POST', '/ad', { headers: [['X-API-Key', plain('pk_wrong')]], body: adRequest })),
    gene('OPTIONS', '/ad', { headers: [origin] }),
    gene('HEAD', '/ad'),
    gene('POST', '/openrtb2/auction', { ...ofAuction, headers: [key], body: auction }),
    named(
      'POST /openrtb2/auction, 20 impressions',
      gene('POST', '/openrtb2/auction', { ...ofAuction, headers: [key], body: withMember(auction, 'imp', twentyBanners) }),
    ),
    named(
      'POST /openrtb2/auction, traced',
      gene('POST', '/openrtb2/auction', { headers: [key], query: debug, body: withMember(auction, 'imp', twentyBanners) }),
    ),
    named(
      'POST /openrtb2/auction/{publisher}, from a page',
      gene('POST', `/openrtb2/auction/${listed.publisherId}`, {
        ...ofAuction,
        headers: [origin],
        query: [['gzip', plain('1')]],
        encoding: 'unnamed gzip',
        body: auctionOf(listed.publisherId, placementId),
      }),
    ),
    named('POST /openrtb2/auction, without a key', gene('POST', '/openrtb2/auction', { ...ofAuction, body: auction })),
    gene('OPTIONS', '/openrtb2/auction', { headers: [origin] }),
    ...['/tag/iframe', '/tag/image', '/tag/click'].flatMap((path) => [
      gene('GET', path, { query: tag, carriesFiles: path === '/tag/iframe' }),
      named(`GET ${path}, traced`, gene('GET', path, { query: [...tag, ...debug] })),
      gene('HEAD', path, { query: tag }),
    ]),
    ...['/impression', '/click', '/event'].flatMap((path) => {
      const query: Gene['query'] = path === '/event' ? [...t, ['type', plain('like')]] : t;
      return [gene('GET', path, { query }), gene('HEAD', path, { query })];
    }),
    gene('POST', '/report', { body: object({ token: json(tokens[0]), reason: json('other') }) }),
    gene('OPTIONS', '/report', { headers: [origin] }),
    gene('POST', '/test/bid', { body: adRequest, query: [['delay', plain('0')]] }),
    gene('GET', '/health'),
    gene('GET', '/ready'),
    gene('GET', '/version'),
    gene('GET', '/no/such/path'),
    gene('GET', '/static/sdk/adsdk.js', { carriesFiles: true }),
    gene('GET', '/static/admin.html', { carriesFiles: true }),
    gene('HEAD', '/static/api/', { carriesFiles: true }),
    named('GET /api/line_items, without a token', gene('GET', '/api/line_items')),
    named(
      'POST /api/line_items, without a token',
      gene('POST', '/api/line_items', { body: shapeOfSchema(ENTITIES.line_items.schema, known) }),
    ),
    named('PATCH /api/line_items/1, without a token', gene('PATCH', '/api/line_items/1', { body: object({ active: json(false) }) })),
    named('DELETE /api/line_items/1, without a token', gene('DELETE', '/api/line_items/1')),
  ];
};

const CONSENT = 'CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA';

const adRequestTo = (publisherId: number, placementId: string): Shape =>
  object({
    id: fresh,
    imp: list(object({ id: json('1'), tagid: json(placementId), w: json(300), h: json(250) })),
    user: object({ id: fresh, consent: json(CONSENT) }),
    device: object({ ua: json('Mozilla/5.0 Firefox/130.0'), ip: json('203.0.113.9') }),
    site: object({ page: json('https://publisher.example/?q=1') }),
    regs: object({ gdpr: json(0), us_privacy: json('1YNN'), gpp: json('DBAA'), gpp_sid: list(json(6)), ext: object({}) }),
    ext: object({ publisher_id: json(publisherId), kv: object({ topic: json('sport') }) }),
  });

const auctionOf = (publisherId: number, placementId: string): Shape =>
  object({
    id: fresh,
    imp: list(
      object({
        id: json('1'),
        tagid: json(placementId),
        bidfloor: json(0),
        banner: object({ format: list(object({ w: json(300), h: json(250) })), battr: list(json(1)) }),
        ext: object({ data: object({ topic: json('sport') }), prebid: object({ bidder: object({}) }) }),
      }),
    ),
    site: object({ page: json('https://publisher.example/?q=1'), publisher: object({ id: json(String(publisherId)) }) }),
    device: object({ ua: json('Mozilla/5.0 Firefox/130.0'), ip: json('203.0.113.9') }),
    user: object({ id: fresh }),
    regs: object({ gdpr: json(0), ext: object({}) }),
    source: object({ schain: object({ complete: json(1), nodes: list(object({ asi: json('first.example'), sid: json('1') })) }) }),
    bcat: list(json('IAB1')),
    acat: list(json('IAB2')),
    badv: list(json('advertiser.example')),
    ext: object({ prebid: object({}) }),
  });

const ofOperators = (): readonly Gene[] => [gene('GET', '/metrics', { role: 'operator' }), gene('POST', '/reload', { role: 'operator' })];

const SCHEMAS = {
  publishers: ENTITIES.publishers.schema,
  placements: ENTITIES.placements.schema,
  campaigns: ENTITIES.campaigns.schema,
  line_items: ENTITIES.line_items.schema,
  creatives: ENTITIES.creatives.schema,
};

const ofStaff = ({ booking, adminToken, ids, spareCampaigns }: Target, known: Readonly<Record<string, Shape>>): readonly Gene[] => {
  const { publisherId, placementId, campaignId, lineItemIds } = booking;
  const staff = { role: 'staff', headers: [['Authorization', plain(`Bearer ${adminToken}`)]] } satisfies Partial<Gene>;
  const trafficking = Object.entries(SCHEMAS).flatMap(([table, schema]) => {
    const id = ids[table] ?? 1;
    const body = shapeOfSchema(schema, { ...known, id: json(id) });
    const written = { ...staff, ...(table === 'creatives' && ofCreative) };
    return [
      gene('GET', `/api/${table}`, {
        ...staff,
        query: [
          ['limit', plain('10000')],
          ['offset', plain('0')],
          ['q', plain('')],
        ],
      }),
      gene('POST', `/api/${table}`, { ...written, body: withMember(body, 'id', fresh) }),
      gene('PUT', `/api/${table}/${id}`, { ...written, body }),
      gene('PATCH', `/api/${table}/${id}`, { ...written, body }),
      gene('DELETE', `/api/${table}/2000000000`, staff),
    ];
  });
  const ofBidders = shapeOfSchema(ENTITIES.line_items.schema, {
    ...known,
    type: json('programmatic'),
    endpoint: json('https://bidder.example/bid'),
    budget_type: json('CPM'),
  });
  const adRequest = adRequestTo(publisherId, placementId);
  return [
    ...trafficking,
    named('POST /api/line_items, programmatic', gene('POST', '/api/line_items', { ...staff, body: withMember(ofBidders, 'id', fresh) })),
    named('DELETE /api/campaigns, with line items', gene('DELETE', `/api/campaigns/{${spareCampaigns.join('..')}}`, staff)),
    gene('GET', '/api/audit', { ...staff, query: [['limit', plain('1000')]] }),
    gene('GET', `/api/line_items/${lineItemIds[0]}/delivery`, staff),
    ...['json', 'csv'].map((format) =>
      named(
        `GET /api/campaigns/{id}/report, ${format}`,
        gene('GET', `/api/campaigns/${campaignId}/report`, {
          ...staff,
          query: [
            ['from', plain('2026-01-01')],
            ['format', plain(format)],
          ],
        }),
      ),
    ),
    gene('POST', '/api/explain', { ...staff, body: object({ line_item_id: json(lineItemIds[0]), request: adRequest }) }),
    gene('POST', '/api/test_ad', { ...staff, body: adRequest }),
  ];
};

const withMember = (shape: Shape, name: string, value: Shape): Shape =>
  shape.kind === 'object' ? { ...shape, members: shape.members.map(([own, held]) => [own, own === name ? value : held]) } : shape;
