import { halfHourAt, HALF_HOURS_A_DAY, WEEK_DAYS, type DayPart } from '../../src/targeting/week-hours.ts';
import { setUp } from './targeting-rig.ts';

const { served, booked, api, refusedItem } = setUp();

const ALL_DAYS = [...WEEK_DAYS];
/** The hours from now on, and those before and after: a test that runs at a full hour finds itself in either. */
const around = (hours: number): readonly DayPart[] => {
  const half = halfHourAt(Date.now(), 0) % HALF_HOURS_A_DAY;
  const hour = ((half >> 1) + hours + 24) % 24;
  const time = (of: number): string => `${String(of).padStart(2, '0')}:00`;
  return [{ days: ALL_DAYS, from: time(hour), to: time(hour + 1) }];
};

test('a line item serves at its hours, on the clock of the publisher', async () => {
  const one = await booked('hours-1', {});
  const set = (schedule: readonly DayPart[]) => api()('PATCH', `/line_items/${one.lineItem}`, { schedule });
  expect((await set([...around(0), ...around(1)])).status).toBe(200);
  expect(await served(one, {})).toBe('served');
  expect((await set(around(6))).status).toBe(200);
  expect(await served(one, {})).toBe('off_schedule: it serves at other hours of the publisher');
  // Six hours ahead of UTC, as in Omsk.
  await api()('PATCH', `/publishers/${one.publisher.id}`, { time_zone: 'Asia/Omsk' });
  expect(await served(one, {})).toBe('served');
});

test('a line item serves at its hours on the clock of the visitor, or the publisher’s where it is unknown', async () => {
  const one = await booked('hours-2', {});
  await api()('PATCH', `/line_items/${one.lineItem}`, { schedule: around(5), schedule_zone: 'visitor' });
  expect(await served(one, { device: { geo: { utcoffset: 300 } } })).toBe('served');
  expect(await served(one, { device: { geo: { utcoffset: -120 } } })).toBe('off_schedule: it serves at other hours of the visitor');
  expect(await served(one, {})).toMatch('off_schedule');
});

test.each([
  [
    { schedule: [{ days: ['mon'], from: '08:15', to: '10:00' }] },
    '/schedule/0/from',
    'must be a full or half hour, such as 08:30 or 24:00',
  ],
  [
    { schedule: [{ days: ['noday'], from: '08:00', to: '10:00' }] },
    '/schedule/0/days/0',
    'must be one of mon, tue, wed, thu, fri, sat, sun',
  ],
  [{ schedule: [{ days: [], from: '08:00', to: '10:00' }] }, '/schedule/0/days', 'must have at least one value'],
  [
    { schedule: [{ days: ['mon'], from: '22:00', to: '06:00' }] },
    '/schedule/0/to',
    'must be after from: hours past midnight are a part of the next day, from 00:00',
  ],
  [
    {
      schedule: [
        { days: ['mon', 'tue'], from: '08:00', to: '12:00' },
        { days: ['tue'], from: '11:30', to: '14:00' },
      ],
    },
    '/schedule/1',
    'overlaps part 1 on tue: an hour is in one part only',
  ],
  [
    { schedule: [{ days: ['fri'], from: '08:00', to: '12:00' }], start_date: '2026-12-07', end_date: '2026-12-08' },
    '/schedule',
    'names no day of the flight, which has sun, mon, tue, wed: choose one of these, or another flight',
  ],
  [
    { targeting: { regions: ['US-CA', 'California'] } },
    '/targeting/regions/1',
    'must be an ISO 3166-2 code, such as US-CA: a country, a hyphen and its region',
  ],
  [
    { targeting: { exclude: { regions: ['QX-CA'] } } },
    '/targeting/exclude/regions/0',
    'must be an ISO 3166-2 code, such as US-CA: a country, a hyphen and its region',
  ],
  [{ schedule_zone: 'Mars/Olympus' }, '/schedule_zone', 'must be one of publisher, visitor'],
  [
    { frequency_cap: 3, frequency_window: 3600, frequency_caps: [{ scope: 'line_item', impressions: 2, window: 86_400 }] },
    '/frequency_cap',
    'never applies: /frequency_caps/0 allows only 2 impressions within 86400 s. Leave one of them out',
  ],
  [{ share_of_voice: 30 }, '/share_of_voice', 'needs priority 1: it comes before all others'],
  [
    { roadblock: true, type: 'programmatic', endpoint: 'https://b.example/bid' },
    '/roadblock',
    'is for a direct line item: a bidder answers for each impression by itself',
  ],
  [
    { rotation: 'sequence', frequency_caps: [{ scope: 'campaign', impressions: 3, window: 60 }] },
    '/rotation',
    'needs a frequency cap of the impressions of the line item, which counts what a user has seen: set frequency_cap',
  ],
  [
    { rotation: 'sequence', frequency_cap: 3, roadblock: true },
    '/rotation',
    'cannot be sequence: a roadblock shows its creatives together',
  ],
  [{ share_of_voice: 101, priority: 1 }, '/share_of_voice', 'must be at most 100'],
  [
    { share_of_voice: 30, priority: 1, type: 'programmatic', endpoint: 'https://b.example/bid' },
    '/share_of_voice',
    'is for a direct line item: a bidder may not bid',
  ],
])('%j is refused', async (fields, pointer, detail) => {
  await booked(`first-${Math.random()}`, {});
  expect(await refusedItem(fields)).toContainEqual({ pointer, detail });
});

test('a publisher in a time zone or with a currency that does not exist is refused', async () => {
  const { body, status } = await api()('POST', '/publishers', {
    name: 'P',
    domain: 'p.example',
    time_zone: 'Mars/Olympus',
    currency: 'ZZZ',
  });
  expect([status, body.errors]).toEqual([
    400,
    [
      { pointer: '/time_zone', detail: 'must be the IANA name of a time zone, such as Europe/Berlin, or UTC' },
      { pointer: '/currency', detail: 'must be an ISO 4217 currency code, such as EUR' },
    ],
  ]);
});

test('companion sets are for roadblocks, and a roadblock with some stays one', async () => {
  const one = await booked('sets', {});
  const companion = { companion_set: 'A' };
  expect((await api()('PATCH', `/creatives/${one.creative}`, companion)).body.errors).toEqual([
    { pointer: '/companion_set', detail: 'needs a roadblock, which shows its creatives together: set roadblock of the line item first' },
  ]);
  await api()('PATCH', `/line_items/${one.lineItem}`, { roadblock: true });
  expect((await api()('PATCH', `/creatives/${one.creative}`, companion)).body.companion_set).toBe('A');
  expect((await api()('PATCH', `/line_items/${one.lineItem}`, { roadblock: false })).body.errors).toEqual([
    {
      pointer: '/roadblock',
      detail: `cannot end while creatives are of a companion set: empty companion_set of creative ${one.creative} first`,
    },
  ]);
});

test('shares of more than a whole placement are accepted with a warning that names the others', async () => {
  const one = await booked('share-1', {});
  const flight = { start_date: '2026-01-01', end_date: '2999-12-31', active: true, cpm: 1, campaign_id: one.campaign };
  expect((await api()('PATCH', `/line_items/${one.lineItem}`, { share_of_voice: 70, priority: 1 })).body.warnings).toBeUndefined();
  const other = (await api()('POST', '/line_items', { ...flight, name: 'Hats', share_of_voice: 40, priority: 1 })).body.id;
  const creative = { placement_id: one.placement, line_item_id: other, format: 'html', content: '<b>hat</b>' };
  const words = (id: number, percent: number) =>
    `with line items ${id} (${percent}%) it is 110% of placement share-1: lower a share, or target them apart. Shares above 100% are scaled down`;
  expect((await api()('POST', '/creatives', creative)).body.warnings).toEqual([
    { pointer: '/placement_ids', detail: words(one.lineItem, 70) },
  ]);
  expect((await api()('PATCH', `/line_items/${other}`, { name: 'Hats, blue' })).body.warnings).toEqual([
    { pointer: '/share_of_voice', detail: words(one.lineItem, 70) },
  ]);
  expect((await api()('PATCH', `/line_items/${other}`, { share_of_voice: 30 })).body.warnings).toBeUndefined();
});

test('limits that keep a line item from its goal are accepted with a warning that says what would do', async () => {
  const one = await booked('contradicting', {});
  const set = async (fields: object) => (await api()('PATCH', `/line_items/${one.lineItem}`, fields)).body.warnings;
  const flight = { start_date: '2026-12-01', end_date: '2026-12-10', cpm: 4, budget: null, daily_impression_cap: null };
  expect(await set({ ...flight, goal_impressions: 50_000 })).toBeUndefined();
  expect(await set({ daily_impression_cap: 4_000 })).toEqual([
    {
      pointer: '/daily_impression_cap',
      detail: 'allows 40000 impressions in the 10 days of the flight, and the goal is 50000: raise it to 5000, or lower the goal',
    },
  ]);
  expect(await set({ daily_impression_cap: 5_000, budget: 150 })).toEqual([
    { pointer: '/budget', detail: 'pays for 37500 impressions at a CPM of 4, and the goal is 50000: raise it to 200, or lower the goal' },
  ]);
  expect(await set({ budget: 200, daily_spend_cap: 201 })).toEqual([
    { pointer: '/daily_spend_cap', detail: 'never applies: the budget of the whole flight is 200. Leave it out, or give less' },
  ]);
  // A fee bounds nothing.
  expect(await set({ budget_type: 'Flat', daily_spend_cap: 201, budget: 100 })).toBeUndefined();
});

test('a guaranteed line item without a price is accepted with a warning where bids may win over it', async () => {
  const one = await booked('unpriced', {});
  const priced = (cpm: number) =>
    api()('PATCH', `/line_items/${one.lineItem}`, { class: 'standard', priority: 1, pacing: 'Even', goal_impressions: 1_000, cpm });
  expect((await priced(0)).body.warnings).toBeUndefined();
  await api()('PATCH', `/publishers/${one.publisher.id}`, { dynamic_allocation: true });
  expect((await priced(0)).body.warnings).toEqual([{ pointer: '/cpm', detail: expect.stringContaining('any bid wins over it') }]);
  expect((await priced(2)).body.warnings).toBeUndefined();
});

test('a share of voice is served before others, and a trace says what it left to them', async () => {
  const one = await booked('share-2', {});
  await api()('PATCH', `/line_items/${one.lineItem}`, { share_of_voice: 100, priority: 1 });
  for (let i = 0; i < 5; i++) expect(await served(one, {})).toBe('served');
  await api()('PATCH', `/line_items/${one.lineItem}`, { share_of_voice: 0.001 });
  expect(await served(one, {})).toBe('share_of_voice: its share of voice is 0.001%');
});
