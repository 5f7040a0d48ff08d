import fc from 'fast-check';
import { ROWS } from '../../src/catalog/postgres/rows.ts';
import { CHECKS } from '../../src/catalog/checks/check-entities.ts';
import type { Checked } from '../../src/catalog/checks/shape-record.ts';
import { parseEndDate, parseStartDate, showEndDate, showStartDate } from '../../src/catalog/model/flight-dates.ts';
import { microsFromAmount, amountFromMicros } from '../../src/catalog/model/money.ts';
import { parseDimensionSchema } from '../../src/targeting/dimension-schema.ts';

const parsed = parseDimensionSchema({ properties: { section: { type: 'string', enum: ['news'] }, age: { type: 'integer', minimum: 13 } } });
if (!parsed.ok) throw new Error('the schema of this test is not valid');
const context = { dimensions: parsed.schema };

const LINE_ITEM = { campaign_id: 1, name: 'Spring', active: true, start_date: '2026-03-01', end_date: '2026-03-31', cpm: 1.333 };
const CREATIVE = { placement_id: 'top', line_item_id: 1, format: 'html', content: '<b>ad</b>' };

const accepted = <T>(checked: Checked<T>): T => {
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults));
  return checked.record;
};
const faultsOf = (checked: Checked<unknown>): readonly string[] => (checked.ok ? [] : checked.faults.map(({ pointer }) => pointer));

test('a line item with only its required fields gets the defaults of the contract', () => {
  expect(accepted(CHECKS.line_items(LINE_ITEM, context))).toEqual({
    ...LINE_ITEM,
    type: 'direct',
    class: null,
    budget_type: 'CPM',
    cpc: null,
    cpcv: null,
    list_price: null,
    discount: null,
    added_value: false,
    budget: null,
    priority: null,
    pacing: 'ASAP',
    daily_impression_cap: null,
    daily_spend_cap: null,
    rotation: 'weighted',
    goal_impressions: null,
    goal_clicks: null,
    frontload: 0,
    frequency_cap: null,
    frequency_window: null,
    frequency_caps: [],
    rate_limit: null,
    rate_burst: null,
    targeting: {},
    bidder_id: null,
    targeting_id: null,
    placement_ids: [],
    schedule: [],
    schedule_zone: 'publisher',
    share_of_voice: null,
    roadblock: false,
    external_key: null,
    endpoint: null,
    gvl_id: null,
    notice_hosts: [],
    floor: null,
    value_cpm: null,
    deal_id: null,
    archived: false,
  });
});

test('enumerations are accepted in any letter case and returned in the specification’s', () => {
  const record = accepted(
    CHECKS.line_items(
      {
        ...LINE_ITEM,
        type: 'DIRECT',
        budget_type: 'flat',
        pacing: 'pid',
        targeting: { countries: ['de', 'DE', 'us'], devices: ['Mobile'] },
      },
      context,
    ),
  );
  expect(record).toMatchObject({
    type: 'direct',
    budget_type: 'Flat',
    pacing: 'PID',
    targeting: { countries: ['DE', 'US'], devices: ['mobile'] },
  });
  expect(accepted(CHECKS.placements({ id: 'top', width: 300, height: 250, formats: ['HTML', 'Native'] })).formats).toEqual([
    'html',
    'native',
  ]);
});

test('one answer lists every fault', () => {
  const faults = faultsOf(
    CHECKS.line_items(
      {
        campaign_id: '1',
        name: 7,
        active: 'yes',
        start_date: '2026-03-31',
        end_date: '2026-03-01',
        budget_type: 'CPA',
        cpm: -1,
        priority: 4,
        pacing: 'fast',
        frequency_cap: 101,
        rate_limit: Number.NaN,
        targeting: { countries: ['XX'], devices: ['tv'], dimensions: { section: 'sport', colour: ['red'], age: [12] }, postcodes: [] },
        type: 'programmatic',
        colour: 'red',
      },
      context,
    ),
  );
  expect([...faults].sort()).toEqual(
    [
      '/campaign_id',
      '/name',
      '/active',
      '/end_date',
      '/budget_type',
      '/cpm',
      '/priority',
      '/pacing',
      '/frequency_cap',
      '/rate_limit',
      '/targeting/countries/0',
      '/targeting/devices/0',
      '/targeting/dimensions/section',
      '/targeting/dimensions/colour',
      '/targeting/dimensions/age/0',
      '/targeting/postcodes',
      '/endpoint',
      '/colour',
    ].sort(),
  );
});

test.each([
  ['CPM without a cpm', { cpm: null }, ['/cpm']],
  ['CPC without a cpc', { budget_type: 'CPC' }, ['/cpc']],
  ['CPCV without a cpcv', { budget_type: 'CPCV' }, ['/cpcv']],
  ['CPC with a negative cpc', { budget_type: 'CPC', cpc: -0.01 }, ['/cpc']],
  ['Flat without a fee and a value', { budget_type: 'Flat', cpm: null }, ['/budget']],
  ['Flat with a fee alone', { budget_type: 'Flat', cpm: null, budget: 100 }, []],
  ['Flat with a value alone', { budget_type: 'Flat', cpm: 0 }, []],
  ['a CPM that does not bill whole micros per impression', { cpm: 1.3335 }, ['/cpm']],
  ['an infinite price', { cpm: Number.POSITIVE_INFINITY }, ['/cpm']],
  ['a programmatic item with an endpoint and no price', { type: 'programmatic', cpm: null, endpoint: 'https://bidder.example/bid' }, []],
  [
    'a programmatic item that is billed by click',
    { type: 'programmatic', endpoint: 'https://bidder.example/bid', budget_type: 'CPC', cpc: 1 },
    ['/budget_type'],
  ],
  [
    'a programmatic item with a fee',
    { type: 'programmatic', endpoint: 'https://bidder.example/bid', budget_type: 'Flat', budget: 1 },
    ['/budget_type'],
  ],
  ['notice hosts', { notice_hosts: ['notices.bidder.example', '203.0.113.7'] }, []],
  [
    'notice hosts that are URLs, or have a port',
    { notice_hosts: ['https://bidder.example', 'bidder.example:80', 'bidder.example/x', ''] },
    ['/notice_hosts/0', '/notice_hosts/1', '/notice_hosts/2', '/notice_hosts/3'],
  ],
  ['a programmatic item with a bidder', { type: 'programmatic', cpm: null, bidder_id: 1, deal_id: 'd', floor: 0.5 }, []],
  ['a programmatic item with neither a bidder nor an endpoint', { type: 'programmatic', cpm: null }, ['/endpoint']],
  [
    'a programmatic item with a bidder and what the bidder has',
    { type: 'programmatic', bidder_id: 1, endpoint: 'https://bidder.example/bid', gvl_id: 5, notice_hosts: ['n.example'] },
    ['/endpoint', '/gvl_id', '/notice_hosts'],
  ],
  ['a direct item with a bidder', { bidder_id: 1 }, ['/bidder_id']],
  [
    'a programmatic item with an endpoint that is not a web address',
    { type: 'programmatic', endpoint: 'file:///etc/passwd' },
    ['/endpoint'],
  ],
  ['one day', { end_date: '2026-03-01' }, []],
  ['an end at the very start', { start_date: '2026-03-01T00:00:00Z', end_date: '2026-03-01T00:00:00Z' }, ['/end_date']],
  ['a day that does not exist', { start_date: '2026-02-30' }, ['/start_date']],
  ['a time without an offset', { end_date: '2026-03-31T10:00:00' }, ['/end_date']],
  [
    'a registered dimension with a value of its schema',
    { targeting: { dimensions: { section: ['news'] }, key_values: { x: [1, 'a', true] } } },
    [],
  ],
])('%s', (_, change, expected) => {
  expect(faultsOf(CHECKS.line_items({ ...LINE_ITEM, ...change }, context))).toEqual(expected);
});

test.each([
  ['a banner with an image', { format: 'banner', content: '{"image": "https://cdn.example/a.png"}' }, []],
  ['a banner without an image', { format: 'banner', content: '{"alt": "x"}' }, ['/content']],
  ['a banner whose image would run', { format: 'banner', content: '{"image": "javascript:alert(1)"}' }, ['/content']],
  [
    'a banner with a half image in its set',
    { format: 'banner', content: '{"image": "a.png", "images": [{"url": "b.png"}]}' },
    ['/content'],
  ],
  ['a banner of broken JSON', { format: 'banner', content: '{' }, ['/content']],
  ['native assets', { format: 'NATIVE', content: '{"title": "t"}' }, []],
  ['a native list', { format: 'native', content: '[]' }, ['/content']],
  ['a click address that would run', { click_url: 'javascript:alert(1)' }, ['/click_url']],
])('%s', (_, change, expected) => {
  expect(faultsOf(CHECKS.creatives({ ...CREATIVE, ...change }))).toEqual(expected);
});

test('a creative of a format that its placement does not allow is refused', () => {
  expect(faultsOf(CHECKS.creatives(CREATIVE, { placements: [{ id: 'top', formats: ['banner', 'native'] }] }))).toEqual(['/format']);
  expect(faultsOf(CHECKS.creatives(CREATIVE, { placements: [{ id: 'top', formats: ['html'] }] }))).toEqual([]);
});

test.each([null, [], 'x', 7, undefined])('%p is not a record', (input) => {
  for (const check of [
    CHECKS.publishers,
    CHECKS.placements,
    CHECKS.campaigns,
    CHECKS.creatives,
    (x: unknown) => CHECKS.line_items(x, context),
  ]) {
    expect(faultsOf(check(input))).toEqual(['']);
  }
});

test('keys such as __proto__ are unknown fields or plain key-values', () => {
  const faults = faultsOf(
    CHECKS.line_items(JSON.parse(`{"__proto__": {"active": true}, "constructor": 1, ${JSON.stringify(LINE_ITEM).slice(1)}`), context),
  );
  expect([...faults].sort()).toEqual(['/__proto__', '/constructor']);
  const record = accepted(
    CHECKS.line_items(
      JSON.parse(`{${JSON.stringify(LINE_ITEM).slice(1, -1)}, "targeting": {"key_values": {"__proto__": ["x"]}}}`),
      context,
    ),
  );
  expect(Object.keys(record.targeting.key_values ?? {})).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});

test('an end date without a time includes that day, and is shown as given', () => {
  expect(parseStartDate('2026-03-01')).toBe(Date.UTC(2026, 2, 1));
  expect(parseEndDate('2026-03-31')).toBe(Date.UTC(2026, 3, 1));
  expect(showEndDate(Date.UTC(2026, 3, 1))).toBe('2026-03-31');
  expect(parseEndDate('2026-03-31T12:00:00.5+02:00')).toBe(Date.UTC(2026, 2, 31, 10, 0, 0, 500));
  expect(parseStartDate('2024-02-29')).toBe(Date.UTC(2024, 1, 29));
  expect(parseStartDate('0001-01-01')).toBeUndefined();
});

test('every time is read back as it was shown', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('1970-01-02'), max: new Date('2200-01-01'), noInvalidDate: true }), (date) => {
      const ms = date.getTime();
      expect(parseStartDate(showStartDate(ms))).toBe(ms);
      expect(parseEndDate(showEndDate(ms))).toBe(ms);
    }),
  );
});

test('every amount of whole micros up to a billion dollars is exact as decimal dollars', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000_000_000 }), (micros) => {
      expect(microsFromAmount(JSON.parse(JSON.stringify(amountFromMicros(micros))) as number)).toBe(micros);
    }),
    { numRuns: 1000 },
  );
});

test('a record is unchanged after a round trip through its row', () => {
  const lineItem = accepted(
    CHECKS.line_items(
      {
        ...LINE_ITEM,
        budget: 99.999999,
        daily_spend_cap: 0.1,
        priority: 1,
        frequency_cap: 3,
        rate_limit: 2.5,
        targeting: { countries: ['DE'] },
      },
      context,
    ),
  );
  const row = ROWS.line_items.toRow(lineItem);
  expect(row).toMatchObject({ cpm_micros: 1_333_000, budget_micros: 99_999_999, end_at: new Date('2026-04-01T00:00:00Z') });
  // Postgres gives bigint as text and jsonb parsed.
  const read = {
    ...row,
    id: 5,
    cpm_micros: '1333000',
    budget_micros: '99999999',
    schedule: [],
    frequency_caps: JSON.parse(String(row['frequency_caps'])) as unknown,
    targeting: JSON.parse(String(row['targeting'])) as unknown,
    notice_hosts: JSON.parse(String(row['notice_hosts'])) as unknown,
  };
  expect(ROWS.line_items.toRecord(read)).toEqual({ id: 5, ...lineItem });

  const campaign = accepted(
    CHECKS.campaigns({ publisher_id: 1, name: 'c', start_date: '2026-01-01', end_date: '2026-01-31T10:00:00Z', budget: 5 }),
  );
  const rowOfCampaign = ROWS.campaigns.toRow(campaign);
  const screenshots = JSON.parse(String(rowOfCampaign['screenshots'])) as unknown;
  expect(ROWS.campaigns.toRecord({ id: 2, ...rowOfCampaign, screenshots })).toEqual({
    id: 2,
    ...campaign,
    end_date: '2026-01-31T10:00:00.000Z',
  });
});

describe('categories that their taxonomy cannot have', () => {
  const publisher = { name: 'The Gazette', domain: 'gazette.example' };
  const bidder = { name: 'Exchange', endpoint: 'https://exchange.example/bid' };

  test('are refused where they are booked: they would match nothing, and say nothing', () => {
    const wrong = ['99999', '0', 'abc', '123456', 'IAB1', 'JLBCU7X'];
    const right = ['1', '483', '700', 'JLBCU7', '6i4dB6', '80DV8O'];
    expect(faultsOf(CHECKS.advertisers({ name: 'Boots', categories: [...right, ...wrong] }))).toEqual(
      wrong.map((_, i) => `/categories/${right.length + i}`),
    );
    const lists = { bcat: ['IAB25', 'IAB25-3', 'IAB27', '483'], acat: ['IAB1-1', 'iab1'] };
    expect(faultsOf(CHECKS.publishers({ ...publisher, ...lists }))).toEqual(['/bcat/2', '/bcat/3', '/acat/1']);
    expect(faultsOf(CHECKS.publishers({ ...publisher, ...lists, cattax: 7 }))).toEqual([
      '/bcat/0',
      '/bcat/1',
      '/bcat/2',
      '/acat/0',
      '/acat/1',
    ]);
    expect(faultsOf(CHECKS.bidders({ ...bidder, bcat: ['IAB99'] }))).toEqual(['/bcat/0']);
    // The ids of other taxonomies are not known here.
    expect(faultsOf(CHECKS.publishers({ ...publisher, ...lists, cattax: 500 }))).toEqual([]);
  });

  test('stay in a load, which would take the ads of their advertiser away', () => {
    const load = { isLoad: true };
    expect(faultsOf(CHECKS.advertisers({ name: 'Boots', categories: ['99999'] }, load))).toEqual([]);
    expect(faultsOf(CHECKS.publishers({ ...publisher, bcat: ['IAB99'] }, load))).toEqual([]);
    expect(faultsOf(CHECKS.bidders({ ...bidder, bcat: ['IAB99'] }, load))).toEqual([]);
  });
});

describe('frequency caps', () => {
  const faults = (caps: readonly object[], more: object = {}) => {
    const checked = CHECKS.line_items({ ...LINE_ITEM, frequency_caps: caps, ...more }, context);
    return checked.ok ? [] : checked.faults.map(({ pointer, detail }) => `${pointer} ${detail}`);
  };
  const cap = (impressions: number, window: number | null, scope = 'line_item') => ({ scope, impressions, window });

  it('may be several, of which each allows something that the others do not', () => {
    expect(
      faults([cap(1, 600), cap(10, null), cap(4, 86_400, 'campaign'), { scope: 'advertiser', clicks: 1, window: null }], {
        frequency_cap: 3,
      }),
    ).toEqual([]);
  });

  it.each([
    [
      'the same one twice',
      [cap(3, 60), cap(3, 60)],
      {},
      '/frequency_caps/1 never applies: /frequency_caps/0 allows only 3 impressions within 60 s',
    ],
    [
      'one that a longer window includes',
      [cap(5, 3600), cap(3, 86_400)],
      {},
      '/frequency_caps/0 never applies: /frequency_caps/1 allows only 3',
    ],
    [
      'one that its campaign includes',
      [cap(3, 3600, 'campaign'), cap(3, 60)],
      {},
      '/frequency_caps/1 never applies: /frequency_caps/0 allows only 3 impressions of the campaign',
    ],
    ['the short form', [cap(2, 86_400)], { frequency_cap: 3 }, '/frequency_cap never applies: /frequency_caps/0 allows only 2'],
    ['one that counts nothing', [{ scope: 'line_item', window: 60 }], {}, '/frequency_caps/0 must say how many impressions or clicks'],
    ['one that counts two things', [{ ...cap(1, 60), clicks: 1 }], {}, '/frequency_caps/0/clicks cannot be in the same cap as impressions'],
    ['an unknown scope', [cap(1, 60, 'publisher')], {}, '/frequency_caps/0/scope'],
    ['a window longer than is kept', [cap(1, 40_000_000)], {}, '/frequency_caps/0/window'],
  ])('are refused with their place: %s', (_, caps, more, words) => {
    expect(faults(caps, more)).toEqual([expect.stringContaining(words)]);
  });
});

test('the daily budget of a campaign that is more than its budget is refused', () => {
  const booked = { publisher_id: 1, name: 'c', start_date: '2026-01-01', end_date: '2026-01-31', budget: 5, daily_budget: 6 };
  expect(faultsOf(CHECKS.campaigns(booked))).toEqual(['/daily_budget']);
});
