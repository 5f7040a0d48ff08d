import type { CatalogReading, CatalogRow, CatalogTable } from '../../src/catalog/model/catalog-reading.ts';
import { CREATIVE_FORMATS, PACINGS } from '../../src/catalog/model/choices.ts';
import { createCatalogBuilder } from '../../src/catalog/snapshot/build-catalog.ts';
import { openSnapshot, type OpenedSnapshot } from '../../src/catalog/snapshot/open-snapshot.ts';
import { rankDirect } from '../../src/decision/rank-candidates.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { parseDimensionSchema } from '../../src/targeting/dimension-schema.ts';
import { readingOf, snapshotOf } from '../../testkit/catalog-reading.ts';
import { targetingQuery } from '../../src/targeting/targeting-query.ts';

const parsed = parseDimensionSchema({ properties: { section: { type: 'string', enum: ['news', 'sport'] } } });
if (!parsed.ok) throw new Error('the schema of this test is not valid');
const dimensions = parsed.schema;
const nowMs = Date.UTC(2026, 5, 15);

const publisher = (id: number): CatalogRow => ({ id, name: `p${id}`, domain: 'p.example', api_key_hash: `hash${id}`, api_key_hint: '' });
const placement = (id: string, change: CatalogRow = {}): CatalogRow => ({
  id,
  publisher_id: 1,
  width: 300,
  height: 250,
  formats: ['html', 'banner'],
  ...change,
});
const campaign = (id: number, change: CatalogRow = {}): CatalogRow => ({
  id,
  publisher_id: 1,
  name: `c${id}`,
  start_at: new Date('2026-01-01'),
  end_at: new Date('2027-01-01'),
  budget_micros: null,
  ...change,
});
const lineItem = (id: number, change: CatalogRow = {}): CatalogRow => ({
  id,
  campaign_id: 1,
  name: `l${id}`,
  type: 'direct',
  active: true,
  start_at: new Date('2026-06-01'),
  end_at: new Date('2026-07-01'),
  budget_type: 'CPM',
  cpm_micros: '1000000',
  cpc_micros: null,
  budget_micros: null,
  priority: null,
  pacing: 'ASAP',
  daily_impression_cap: null,
  daily_spend_cap_micros: null,
  frequency_cap: null,
  frequency_window_s: null,
  rate_limit: null,
  rate_burst: null,
  targeting: {},
  endpoint: null,
  notice_hosts: [],
  value_cpm_micros: null,
  deal_id: null,
  ...change,
});
const creative = (id: number, lineItemId: number, change: CatalogRow = {}): CatalogRow => ({
  id,
  placement_id: 'top',
  line_item_id: lineItemId,
  format: 'html',
  content: '<b>ad</b>',
  advertiser_domain: null,
  width: null,
  height: null,
  click_url: null,
  blocked_at: null,
  ...change,
});

type Tables = Readonly<Record<CatalogTable, readonly CatalogRow[]>> &
  Pick<CatalogReading, 'recentCounts' | 'creativeCounts' | 'hourlyImpressions'>;
const read = ({
  recentCounts = new Map(),
  creativeCounts = new Map(),
  hourlyImpressions = new Map(),
  ...change
}: Partial<Tables>): CatalogReading => {
  const tables = {
    publishers: [publisher(1)],
    placements: [placement('top')],
    advertisers: [],
    bidders: [],
    targetings: [],
    campaigns: [campaign(1)],
    line_items: [lineItem(1)],
    creatives: [creative(1, 1)],
    ...change,
  };
  return readingOf({ rows: (table) => tables[table], recentCounts, creativeCounts, hourlyImpressions });
};
const load = (change: Partial<Tables> = {}): Promise<Snapshot> => snapshotOf(read(change), { dimensions, nowMs });
const ranked = (snapshot: Snapshot, placementId = 'top'): number[] =>
  [...(snapshot.slot(1, placementId).direct ?? [])].map((entry) => entry.creative.id);

test('the weights of creatives shift impressions within their line item, not between line items', async () => {
  const tables = { line_items: [lineItem(1), lineItem(2)], creatives: [creative(1, 1, { weight: 3 }), creative(2, 1), creative(3, 2)] };
  const { direct } = (await load(tables)).slot(1, 'top');
  expect(Array.from(direct ?? [], ({ creative: { id } }, i) => [id, direct?.weights?.[i]])).toEqual([
    [1, 1.5],
    [2, 0.5],
    [3, 1],
  ]);
  expect((await load()).slot(1, 'top').direct?.weights).toBeUndefined();
});

test('a creative is a candidate of each of its placements that the load knows', async () => {
  const placements = [placement('top'), placement('side'), placement('native', { formats: ['native'] })];
  const creatives = [creative(1, 1, { placement_id: 'gone', more_placement_ids: ['top', 'side', 'native'] })];
  const snapshot = await load({ placements, creatives });
  expect(['gone', 'top', 'side', 'native'].map((id) => ranked(snapshot, id))).toEqual([[], [1], [1], []]);
  expect(snapshot.slot(1, 'native').vacancy).toBe('SizeOrFormat');
  expect(snapshot.quarantined).toEqual([]);
  expect((await load({ placements: [], creatives })).quarantined).toMatchObject([{ table: 'creatives', id: '1' }]);
});

test('an optimised rotation learns from the counts of creatives, and only changed counts build the index again', async () => {
  const tables = {
    line_items: [lineItem(1, { rotation: 'optimised' }), lineItem(2, { rotation: 'even' })],
    creatives: [creative(1, 1), creative(2, 1), creative(3, 2, { weight: 5 }), creative(4, 2)],
    creativeCounts: new Map([[1, { impressions: 100_000, clicks: 300 }]]),
  };
  const reading = read({ ...tables, creativeCounts: new Map([...tables.creativeCounts, [2, { impressions: 100_000, clicks: 100 }]]) });
  const builder = createCatalogBuilder({ dimensions });
  const built = openSnapshot(await builder.build(reading, nowMs));
  const { direct } = built.snapshot.slot(1, 'top');
  expect(Array.from(direct ?? [], (entry, i) => [entry.creative.id, direct?.shares?.[i], direct?.weights?.[i], entry.counts])).toEqual([
    [1, 0.99, 1.98, { impressions: 100_000, clicks: 300 }],
    [2, 0.01, 0.02, { impressions: 100_000, clicks: 100 }],
    [3, 0.5, 1, undefined],
    [4, 0.5, 1, undefined],
  ]);
  expect((await builder.build(reading, nowMs)).slots).toEqual([]);
  const learned = openSnapshot(await builder.build(read(tables), nowMs), built);
  expect(learned.snapshot.slot(1, 'top').direct?.shares?.[1]).toBeGreaterThan(0.01);
});

test('a goal of clicks is spread by the click rate of its line item, and a changed rate builds the index again', async () => {
  const tables = {
    line_items: [lineItem(1, { goal_clicks: '500' }), lineItem(2)],
    creatives: [creative(1, 1), creative(2, 2)],
  };
  const counted = (clicks: number) =>
    read({ ...tables, recentCounts: new Map([[1, { impressions: 9_000, clicks, billingEvents: 0, days: 3 }]]) });
  const builder = createCatalogBuilder({ dimensions });
  const built = openSnapshot(await builder.build(counted(99), nowMs));
  const ratesOf = ({ snapshot }: OpenedSnapshot) => Array.from(snapshot.slot(1, 'top').direct ?? [], ({ clickRate }) => clickRate);
  expect(ratesOf(built)).toEqual([0.01, 0]);
  expect((await builder.build(counted(99), nowMs)).slots).toEqual([]);
  expect(ratesOf(openSnapshot(await builder.build(counted(199), nowMs), built))).toEqual([0.02, 0]);
});

test('a booked creative is a candidate of its placement, with its line item, campaign and price', async () => {
  const snapshot = await load();
  expect(snapshot).toMatchObject({ version: 7, loadedAtMs: nowMs, quarantined: [], quarantinedCount: 0 });
  expect(snapshot.publisherByKeyHash.get('hash1')?.id).toBe(1);
  expect(snapshot.slot(1, 'top').direct?.size).toBe(1);
  expect(snapshot.slot(1, 'top').direct?.at(0)).toMatchObject({
    creative: { id: 1 },
    lineItem: { id: 1, priority: 2, publisherId: 1 },
    campaign: { id: 1 },
    ecpmMicros: 1_000_000,
  });
  expect(snapshot.slot(2, 'top').direct).toBeUndefined();
  expect(Object.isFrozen(snapshot)).toBe(true);
});

test('candidates are ordered by priority, then price, then id, with the end of each tie', async () => {
  const snapshot = await load({
    line_items: [
      lineItem(1, { priority: 3, cpm_micros: '9000000' }),
      lineItem(2, { cpm_micros: '1000000' }),
      lineItem(3, { cpm_micros: '2000000' }),
      lineItem(4, { priority: 2, cpm_micros: '1000000' }),
      lineItem(5, { priority: 1, cpm_micros: '500000' }),
    ],
    creatives: [creative(10, 1), creative(20, 2), creative(30, 3), creative(40, 4), creative(41, 4), creative(50, 5)],
  });
  expect(ranked(snapshot)).toEqual([50, 30, 20, 40, 41, 10]);
  expect([...(snapshot.slot(1, 'top').direct?.tieEnd ?? [])]).toEqual([1, 2, 5, 5, 5, 6]);
});

test('the index of candidates answers targeting by position', async () => {
  const snapshot = await load({
    line_items: [lineItem(1, { targeting: { countries: ['DE'] } }), lineItem(2, { targeting: { devices: ['mobile'] } }), lineItem(3)],
    creatives: [creative(1, 1), creative(2, 2), creative(3, 3)],
  });
  const index = snapshot.slot(1, 'top').direct!;
  const scanner = index.targeting.eligible(targetingQuery(new Map(), { country: 'DE', device: 'desktop' }));
  const found: unknown[] = [];
  scanner.forEachEligible(0, index.size, (at) => void found.push(index.at(at).creative.id));
  expect(found).toEqual([1, 3]);
});

test('programmatic line items have a separate index and no price', async () => {
  const snapshot = await load({
    line_items: [lineItem(1, { type: 'programmatic', endpoint: 'https://bidder.example/bid', cpm_micros: null })],
  });
  expect(snapshot.slot(1, 'top').direct).toBeUndefined();
  expect(snapshot.slot(1, 'top').programmatic?.at(0)).toMatchObject({ creative: { id: 1 }, ecpmMicros: 0 });
  expect(snapshot.slot(1, 'top').vacancy).toBeUndefined();
});

const bidder = (id: number, change: CatalogRow = {}): CatalogRow => ({
  id,
  name: `b${id}`,
  endpoint: 'https://bidder.example/bid',
  headers: { Authorization: 'sealed' },
  params: { zone: 7 },
  gzip: true,
  gvl_id: null,
  seats: ['seat'],
  currency: 'EUR',
  bid_adjustment: 0.85,
  timeout_share: 0.5,
  notice_hosts: ['Notices.example'],
  schain_asi: 'asi.example',
  schain_sid: '12',
  schain_name: null,
  schain_domain: 'agency.example',
  ads_txt: ['exchange.example, 1, DIRECT'],
  bcat: ['IAB25'],
  cattax: 1,
  badv: ['Casino.example'],
  battr: [3],
  ...change,
});

test('a snapshot has the bidders of line items, and the floors of line items and placements', async () => {
  const called = lineItem(1, { type: 'programmatic', cpm_micros: null, bidder_id: 1, floor_micros: '1250000' });
  const snapshot = await load({
    placements: [placement('top', { floor_micros: '500000' })],
    bidders: [bidder(1), bidder(2, { bid_adjustment: 0 })],
    line_items: [called, lineItem(2, { type: 'programmatic', cpm_micros: null, bidder_id: 2 })],
  });
  expect(snapshot.bidders).toEqual(
    new Map([
      [
        1,
        {
          id: 1,
          endpoint: 'https://bidder.example/bid',
          headers: { Authorization: 'sealed' },
          params: { zone: 7 },
          gzip: true,
          gvlId: null,
          seats: ['seat'],
          currency: 'EUR',
          bidAdjustment: 0.85,
          timeoutShare: 0.5,
          noticeHosts: ['notices.example'],
          schain: { asi: 'asi.example', sid: '12', name: null, domain: 'agency.example' },
          blocked: { bcat: ['IAB25'], acat: [], cattax: 1, badv: new Set(['casino.example']), battr: [3] },
          archived: false,
        },
      ],
    ]),
  );
  expect(snapshot.placements.get('top')).toMatchObject({ floorMicros: 500_000 });
  expect(snapshot.slot(1, 'top').programmatic?.at(0).lineItem).toMatchObject({ bidderId: 1, endpoint: null, floorMicros: 1_250_000 });
  expect(snapshot.quarantined.map(({ table, id }) => `${table} ${id}`)).toEqual(['bidders 2', 'line_items 2']);
});

test('a snapshot has what publishers block, and the only categories that they accept', async () => {
  const lists = { badv: ['Casino.example'], bcat: [], acat: ['483'], cattax: 7, battr: [1] };
  const { publishers, publisherByKeyHash } = await load({ publishers: [{ ...publisher(1), ...lists }] });
  expect(publishers.get(1)?.blocked).toEqual({ ...lists, badv: new Set(['casino.example']) });
  expect(publisherByKeyHash.get('hash1')).toBe(publishers.get(1));
});

test('line items of an advertiser that the publisher or the placement blocks are left out, by its id or a label', async () => {
  const advertiser = (id: number, labels: readonly string[]) => ({ id, name: `a${id}`, labels });
  const numbers = [1, 2, 3, 4];
  const booked = {
    advertisers: [advertiser(1, []), advertiser(2, ['Gambling']), advertiser(3, ['outdoor'])],
    campaigns: numbers.map((id) => campaign(id, { advertiser_id: id === 4 ? null : id })),
    line_items: numbers.map((id) =>
      lineItem(id, { campaign_id: id, ...(id === 3 ? { type: 'programmatic', cpm_micros: null, endpoint: 'https://b.example/' } : {}) }),
    ),
    creatives: numbers.map((id) => creative(id, id, { more_placement_ids: ['side'] })),
    placements: [placement('top', { blocked_advertiser_ids: [1] }), placement('side')],
  };
  const snapshot = await load(booked);
  expect([ranked(snapshot, 'top'), ranked(snapshot, 'side')]).toEqual([
    [2, 4],
    [1, 2, 4],
  ]);
  const strict = await load({
    ...booked,
    publishers: [{ ...publisher(1), blocked_advertiser_ids: [3], blocked_advertiser_labels: ['gambling'] }],
  });
  expect([ranked(strict, 'top'), ranked(strict, 'side')]).toEqual([[4], [1, 4]]);
  expect([snapshot, strict].map((one) => one.slot(1, 'side').programmatic?.size)).toEqual([1, undefined]);
  const all = await load({ ...booked, campaigns: numbers.map((id) => campaign(id, { advertiser_id: 1 })) });
  expect([all.slot(1, 'top').vacancy, all.slot(1, 'top').leftOut.size]).toEqual(['AdvertiserBlocked', 4]);
});

test('an invalid row is set aside with its children and the reason, and everything else serves', async () => {
  const snapshot = await load({
    placements: [placement('top'), placement('odd', { formats: ['hologram'] }), placement('lost', { publisher_id: 9 })],
    campaigns: [campaign(1), campaign(2, { end_at: new Date('2025-01-01') })],
    line_items: [
      lineItem(1),
      lineItem(2, { cpm_micros: 'NaN' }),
      lineItem(3, { pacing: 'sometimes' }),
      lineItem(4, { campaign_id: 2 }),
      lineItem(5, { campaign_id: 77 }),
      lineItem(6, { targeting: { dimensions: { section: ['weather'] } } }),
      lineItem(7, { rate_limit: Number.NaN }),
      lineItem(8, { end_at: Number.POSITIVE_INFINITY }),
      lineItem(9, { targeting: 'everyone' }),
    ],
    creatives: [
      creative(1, 1),
      creative(2, 2),
      creative(3, 1, { format: 'banner', content: '{"image": ' }),
      creative(4, 4),
      creative(5, 99),
      creative(6, 1, { placement_id: 'odd' }),
      creative(7, 1, { placement_id: 'nowhere' }),
    ],
  });
  expect(ranked(snapshot)).toEqual([1]);
  expect(snapshot.quarantined.map(({ table, id, reason }) => `${table} ${id}: ${reason}`)).toEqual([
    `placements odd: /formats/0 must be one of ${CREATIVE_FORMATS.join(', ')}`,
    'placements lost: refers to publishers 9, which does not exist',
    'campaigns 2: /end_date must be after start_date',
    'line_items 2: /cpm must be a number or null',
    `line_items 3: /pacing must be one of ${PACINGS.join(', ')}`,
    'line_items 4: belongs to campaigns 2, which is set aside',
    'line_items 5: refers to campaigns 77, which does not exist',
    'line_items 6: /targeting/dimensions/section/0 must be one of news, sport',
    'line_items 7: /rate_limit must be a number or null',
    'line_items 8: /end_date must be an RFC 3339 date or date-time',
    'line_items 9: /targeting must be an object',
    'creatives 2: belongs to line_items 2, which is set aside',
    'creatives 3: /content must be a JSON object for a banner creative',
    'creatives 4: belongs to line_items 4, which is set aside',
    'creatives 5: refers to line_items 99, which does not exist',
    'creatives 6: belongs to placements odd, which is set aside',
    'creatives 7: refers to placements nowhere, which does not exist',
  ]);
  expect(snapshot.quarantinedCount).toBe(17);
});

test('the list of rows set aside is bounded, their count is not', async () => {
  const snapshot = await load({ creatives: Array.from({ length: 1500 }, (_, i) => creative(i + 1, 99)) });
  expect(snapshot.quarantined).toHaveLength(1000);
  expect(snapshot.quarantinedCount).toBe(1500);
});

test.each([
  ['nothing is booked', { creatives: [] }, 'NothingBooked'],
  ['the placement does not allow the format', { placements: [placement('top', { formats: ['native'] })] }, 'SizeOrFormat'],
  ['the line item is switched off', { line_items: [lineItem(1, { active: false })] }, 'NotInFlight'],
  ['the line item has ended', { line_items: [lineItem(1, { end_at: new Date(nowMs) })] }, 'NotInFlight'],
  ['the campaign has ended', { campaigns: [campaign(1, { end_at: new Date(nowMs - 1) })] }, 'NotInFlight'],
  ['the campaign is paused', { campaigns: [campaign(1, { active: false })] }, 'NotInFlight'],
  [
    'the advertiser is archived',
    { advertisers: [{ id: 1, name: 'a', archived: true }], campaigns: [campaign(1, { advertiser_id: 1 })] },
    'NotInFlight',
  ],
  ['the placement is archived', { placements: [placement('top', { archived: true })] }, 'NothingBooked'],
  ['the creative waits for approval', { creatives: [creative(1, 1, { status: 'pending' })] }, 'NotInFlight'],
  ['the creative is blocked', { creatives: [creative(1, 1, { blocked_at: new Date() })] }, 'NotInFlight'],
  [
    'one creative has the wrong format and another a line item that is switched off',
    { line_items: [lineItem(1, { active: false })], creatives: [creative(1, 1), creative(2, 1, { format: 'native', content: '{}' })] },
    'NotInFlight',
  ],
  ['the flight is yet to begin', { line_items: [lineItem(1, { start_at: new Date(nowMs + 1) })] }, undefined],
])('vacancy when %s', async (_, change, expected) => {
  const snapshot = await load(change);
  expect(snapshot.slot(1, 'top').vacancy).toBe(expected);
  expect(snapshot.slot(1, 'top').direct === undefined).toBe(expected !== undefined);
});

test('a price per thousand viewable impressions ranks by its smoothed viewable rate', async () => {
  const snapshot = await load({
    line_items: [1, 2].map((id) => lineItem(id, { budget_type: 'VCPM', cpm_micros: '8000000' })),
    creatives: [1, 2].map((id) => creative(id, id)),
    recentCounts: new Map([[2, { impressions: 9_900, clicks: 0, billingEvents: 7_450, days: 3 }]]),
  });
  const prices = new Map(Array.from(snapshot.slot(1, 'top').direct ?? [], ({ lineItem: { id }, ecpmMicros }) => [id, ecpmMicros]));
  expect(prices.get(1)).toBe(4_000_000); // half of the impressions
  expect(prices.get(2)).toBe(6_000_000); // (7,450 + 50) of (9,900 + 100)
});

test('a price per completed view ranks by its smoothed completion rate, and is what an ad holds', async () => {
  const snapshot = await load({
    line_items: [1, 2].map((id) => lineItem(id, { budget_type: 'CPCV', cpm_micros: null, cpcv_micros: '20000' })),
    creatives: [1, 2].map((id) => creative(id, id)),
    recentCounts: new Map([[2, { impressions: 9_900, clicks: 0, billingEvents: 7_450, days: 3 }]]),
  });
  const candidates = Array.from(snapshot.slot(1, 'top').direct ?? []);
  const prices = new Map(candidates.map(({ lineItem: { id }, ecpmMicros }) => [id, ecpmMicros]));
  expect(prices.get(1)).toBe(10_000_000); // half of the impressions: 0.02 × 0.5 × 1000
  expect(prices.get(2)).toBe(15_000_000); // (7,450 + 50) of (9,900 + 100)
  expect(candidates.map((one, i) => rankDirect(one, i).priceMicros)).toEqual([20_000, 20_000]);
});

test('a price per click ranks by its smoothed click-through rate, a flat fee by its rest over the impressions expected', async () => {
  const snapshot = await load({
    line_items: [
      lineItem(1, { budget_type: 'CPC', cpm_micros: null, cpc_micros: '500000' }),
      lineItem(2, { budget_type: 'CPC', cpm_micros: null, cpc_micros: '500000' }),
      lineItem(3, { budget_type: 'Flat', cpm_micros: null, budget_micros: '3000000000' }),
      lineItem(4, { budget_type: 'Flat', cpm_micros: '250000', budget_micros: '3000000000' }),
    ],
    creatives: [1, 2, 3, 4].map((id) => creative(id, id)),
    recentCounts: new Map([[2, { impressions: 9000, clicks: 99, billingEvents: 0, days: 3 }]]),
  });
  const prices = new Map(Array.from(snapshot.slot(1, 'top').direct ?? [], ({ lineItem: { id }, ecpmMicros }) => [id, ecpmMicros]));
  expect(prices.get(1)).toBe(500_000); // 1 of 1,000 clicks: 0.50 × 0.001 × 1000
  expect(prices.get(2)).toBe(5_000_000); // (99 + 1) of (9,000 + 1,000): 0.50 × 0.01 × 1000
  expect(prices.get(3)).toBe(10_000_000); // 3,000 USD in 30 days, 100 a day, over 10,000 impressions a day
  expect(prices.get(4)).toBe(250_000);
});

test('stored line items whose price cannot be billed are set aside: Flat without fee and value, programmatic by click or fee', async () => {
  const programmatic = { type: 'programmatic', endpoint: 'https://bidder.example/bid' };
  const snapshot = await load({
    line_items: [
      lineItem(1, { budget_type: 'Flat', cpm_micros: null, budget_micros: null }),
      lineItem(2, { ...programmatic, budget_type: 'Flat', budget_micros: '10000' }),
      lineItem(3, { ...programmatic, budget_type: 'CPC', cpc_micros: '500000' }),
      lineItem(4, programmatic),
    ],
    creatives: [],
  });
  expect([...snapshot.lineItems.keys()]).toEqual([4]);
  expect(snapshot.quarantined.map(({ id, reason }) => [id, reason.split(' ', 1)[0]])).toEqual([
    ['1', '/budget'],
    ['2', '/budget_type'],
    ['3', '/budget_type'],
  ]);
});

test('the candidates of 20,000 line items are in rank order, and each leads to its own line item', async () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => i + 1);
  const snapshot = await load({
    line_items: ids.map((id) =>
      lineItem(id, { cpm_micros: String((id % 900) * 1000), targeting: { key_values: { topic: [`t${id % 50}`] } } }),
    ),
    creatives: ids.map((id) => creative(id, id)),
  });
  const candidates = [...(snapshot.slot(1, 'top').direct ?? [])];
  expect(candidates).toHaveLength(20_000);
  expect(candidates.every(({ ecpmMicros }, i) => i === 0 || ecpmMicros <= candidates[i - 1]!.ecpmMicros)).toBe(true);
  expect(
    candidates.every(
      ({ creative: { id }, lineItem: { cpmMicros }, ecpmMicros }) => cpmMicros === (id % 900) * 1000 && ecpmMicros === cpmMicros,
    ),
  ).toBe(true);
});

test('a campaign knows what caps over it count, and is another edition with it', async () => {
  const caps = [
    { scope: 'campaign', impressions: 3, window: 60 },
    { scope: 'advertiser', clicks: 1, window: null },
  ];
  const tables = (frequency_caps: readonly object[]) => ({
    advertisers: [{ id: 7, name: 'Shoes' }],
    campaigns: [1, 2, 3].map((id) => campaign(id, { advertiser_id: id === 3 ? null : 7 })),
    line_items: [lineItem(1, { campaign_id: 1, frequency_caps }), ...[2, 3].map((id) => lineItem(id, { campaign_id: id }))],
  });
  const builder = createCatalogBuilder({ dimensions });
  const first = openSnapshot(await builder.build(read(tables([])), nowMs));
  const second = openSnapshot(await builder.build(read(tables(caps)), nowMs), first);
  const third = openSnapshot(await builder.build(read(tables([])), nowMs), second);
  const counted = ({ snapshot }: typeof first) => [1, 2, 3].map((id) => snapshot.campaigns.get(id)!.counted);
  const clicks = { scope: 'advertiser', of: 'clicks', windowMs: 366 * 86_400_000 };
  expect(counted(first)).toEqual([[], [], []]);
  expect(counted(second)).toEqual([[{ scope: 'campaign', of: 'impressions', windowMs: 60_000 }, clicks], [clicks], []]);
  expect(counted(third)).toEqual([[], [], []]);
  const editions = [first, second, third].map(({ snapshot }) => snapshot.campaigns.get(2)!.edition);
  expect([editions[1] === editions[0], editions[2] === editions[0]]).toEqual([false, true]);
});

test('a full block keeps the numbers of each of its rows, from the least to the greatest', async () => {
  const ids = Array.from({ length: 256 }, (_, i) => i);
  const line_items = ids.map((id) =>
    lineItem(id + 1, {
      cpm_micros: String(id * 1000),
      ...{
        budget_micros: String(1_000_000_000_000_000 - id),
        daily_impression_cap: id + 1,
        daily_spend_cap_micros: String(id + 0.5 * 1e6),
      },
      ...{ goal_impressions: 100_000_000_000 - id, rate_limit: id + 1, rate_burst: id + 2, value_cpm_micros: String(id) },
    }),
  );
  const creatives = ids.map((id) =>
    creative(id + 1, id + 1, {
      ...{ width: 32_767 - id, height: id === 0 ? null : id, weight: 1000 - id, step: id % 101 === 0 ? null : id % 101 },
    }),
  );
  const { lineItems, creatives: kept, quarantined } = await load({ line_items, creatives });
  expect(quarantined).toEqual([]);
  expect(ids.map((id) => lineItems.get(id + 1))).toMatchObject(
    ids.map((id) => ({
      ...{ cpmMicros: id * 1000, budgetMicros: 1_000_000_000_000_000 - id, dailyImpressionCap: id + 1 },
      ...{ dailySpendCapMicros: id + 0.5 * 1e6, valueCpmMicros: id, cpcMicros: null },
      ...{ goals: { impressions: 100_000_000_000 - id, clicks: null }, rateLimit: { perSecond: id + 1, burst: id + 2 } },
    })),
  );
  expect(ids.map((id) => kept.get(id + 1))).toMatchObject(
    ids.map((id) => ({
      ...{ width: 32_767 - id, height: id === 0 ? null : id, weight: 1000 - id, step: id % 101 === 0 ? null : id % 101 },
    })),
  );
});
