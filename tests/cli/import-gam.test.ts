import { gamJson, gamReport } from '../../src/imports/gam/gam-line-item.ts';
import { importGam } from '../../src/imports/gam/import-gam.ts';

const head = { installation: 'here', publisher: { id: 3, name: 'Gazette' } };
const HEAD = [
  'Order ID',
  'Order',
  'Advertiser',
  'Line item ID',
  'Line item',
  'Line item type',
  'Status',
  'Start date',
  'End date',
  'Cost type',
  'Rate',
  'Goal',
];
const ROW = ['7', 'Spring', 'Boots', '70', 'Sport', 'Standard', 'Delivering', '2026-03-01', '2026-03-31', 'CPM', '4.50', '120,000'];

test('orders and line items of a report are bookings', () => {
  const rows = [HEAD, ROW, ['7', 'Spring', 'Boots', '71', 'Exchange', 'Ad Exchange', '', '2026-03-01', 'Unlimited', '', '', ''], ['Total']];
  const { bookings, notes } = importGam({ file: 'report.csv', items: gamReport('report.csv', rows), head, prefix: 'gam' });
  expect(bookings).toEqual({
    installation: 'here',
    publisher: { id: 3, name: 'Gazette' },
    advertisers: [{ key: 'gam:advertiser:Boots', name: 'Boots' }],
    placements: [],
    campaigns: [
      {
        ...{ key: 'gam:order:7', name: 'Spring', advertiser: 'gam:advertiser:Boots', start_date: '2026-03-01', end_date: '2026-03-31' },
        line_items: [
          {
            ...{ key: 'gam:line_item:70', name: 'Sport', start_date: '2026-03-01', end_date: '2026-03-31', priority: 2, active: true },
            ...{ budget_type: 'CPM', cpm: 4.5, goal_impressions: 120_000, pacing: 'Even' },
          },
        ],
      },
    ],
  });
  expect(notes.map(({ level, id, text }) => `${level} ${id} ${text}`)).toEqual([
    'left_out 71 is of the type Ad Exchange, which has no equal here',
    expect.stringContaining('left_out report.csv has no creatives'),
  ]);
});

test('what the API says and has no equal leaves a line item not active, with the reason', () => {
  const lineItem = {
    ...{ id: 70, orderId: 7, name: 'Sport', lineItemType: 'SPONSORSHIP', status: 'DELIVERING', unlimitedEndDateTime: true },
    ...{ startDateTime: { date: { year: 2026, month: 3, day: 1 } }, costType: 'CPD', costPerUnit: { microAmount: 9e6 } },
    ...{ primaryGoal: { units: 40 }, frequencyCaps: [{ maxImpressions: 3, numTimeUnits: 2, timeUnit: 'DAY' }] },
    targeting: {
      inventoryTargeting: { targetedAdUnits: [1] },
      geoTargeting: { targetedLocations: [{ id: 2276 }] },
      dayPartTargeting: null,
    },
  };
  const text = JSON.stringify({ orders: [{ id: 7, name: 'Spring' }], lineItems: [lineItem] });
  const { bookings, notes } = importGam({ file: 'api.json', items: gamJson('api.json', text), head, prefix: 'gam' });
  expect(bookings.campaigns).toMatchObject([
    {
      name: 'Spring',
      line_items: [
        {
          ...{ active: false, budget_type: 'Flat', share_of_voice: 40, start_date: '2026-03-01', end_date: '2999-12-31' },
          frequency_caps: [{ scope: 'line_item', impressions: 3, window: 172_800 }],
        },
      ],
    },
  ]);
  expect(notes.filter(({ level }) => level === 'paused').map((note) => note.text)).toEqual([
    'has targeting (geoTargeting) by ids of Google, which have no names here',
    'costs 9 by CPD, which is no price here',
  ]);
});

test.each([
  ['a report without the ids', () => gamReport('r.csv', [['Order', 'Line item']]), 'r.csv has no column for id, orderId, type, startDate'],
  ['a date in two readings', () => gamReport('r.csv', [HEAD, ROW.with(7, '3/1/26')]), 'H2: must be a date such as 2026-12-31'],
  ['half of a JSON file', () => gamJson('a.json', '{"lineItems": ['), 'a.json is no JSON, or half of it'],
  [
    'a line item without an order',
    () => gamJson('a.json', '{"lineItems": [{"id": 1}]}'),
    'a.json: /lineItems/0 must have an id and an orderId',
  ],
])('%s is refused in words', (_, read, words) => expect(read).toThrow(words));
