import { strFromU8, unzipSync } from 'fflate';
import knexFactory, { type Knex } from 'knex';
import { browse } from '../../testkit/person.ts';
import { eventually } from '../../testkit/until.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, askForAd, book, each, serveAd, type ApiCall, type Booked, type Json } from '../api/api-client.ts';

const TOKENS = { alice: 'the-token-of-alice-and-nobody-else', bob: 'the-token-of-bob-and-no-one-besides' };

let replica: Replica;
let api: ApiCall;
let asBob: ApiCall;
let knex: Knex;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: `alice:${TOKENS.alice},bob:${TOKENS.bob}` };
  replica = await startReplica({ env });
  const as =
    (name: keyof typeof TOKENS): ApiCall =>
    (method, path, body, headers) =>
      apiOf(replica.url)(method, path, body, { Authorization: `Bearer ${TOKENS[name]}`, ...headers });
  [api, asBob] = [as('alice'), as('bob')];
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
});
afterAll(() => knex.destroy());

const report = async (query: string): Promise<Json> => {
  const { status, body } = await api('GET', `/reports?${query}`);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body;
};
const faultsOf = async (query: string): Promise<readonly string[]> => {
  const { status, body } = await api('GET', `/reports?${query}`);
  expect(status).toBe(400);
  return (body.errors as { pointer: string; detail: string }[]).map(({ pointer }) => pointer);
};
/** A row of the roll-up by day. */
const delivered = (day: string, { publisher, campaign, lineItem, creative, placement }: Booked, changes: object = {}) =>
  knex('report_days').insert({
    ...{ day, publisher_id: publisher.id, campaign_id: campaign, line_item_id: lineItem, creative_id: creative, placement_id: placement },
    ...{ reason: '', ...changes },
  });

test('a report of today has what pages asked for, was served, seen and clicked, and equals the campaign’s', async () => {
  const booked = await book(api, 'figures', { cpm: 10 });
  const bid = await serveAd(replica.url, booked);
  await serveAd(replica.url, booked, 'u2');
  await askForAd(replica.url, { ...booked, placement: 'no-such-place' });
  for (const url of [bid.impurl, `${bid.evturl}&type=viewable`, `${bid.evturl}&type=like`]) await browse(`${replica.url}${url}`);
  const metrics = 'requests,unfilled,fill_rate,gross_impressions,impressions,viewable,events,revenue,ecpm';
  await eventually(async () => {
    const { totals } = await report(`group_by=day,placement&metrics=${metrics}&filter[publisher]=${booked.publisher.id}&range=today`);
    expect(totals).toEqual({
      ...{
        requests: 3,
        unfilled: 1,
        fill_rate: 2 / 3,
        gross_impressions: 1,
        impressions: 1,
        viewable: 1,
        events: 1,
        revenue: 0.01,
        ecpm: 10,
      },
    });
  });
  // The tally of serves is copied every five seconds.
  await eventually(async () => {
    const serves = await report(`group_by=line_item&metrics=serves,impressions,revenue&filter[line_item]=${booked.lineItem}`);
    expect(serves.rows).toEqual([{ line_item_id: booked.lineItem, line_item: 'Boots', serves: 2, impressions: 1, revenue: 0.01 }]);
  });
  const ofCampaign = (await api('GET', `/campaigns/${booked.campaign}/report`)).body.totals;
  expect([ofCampaign.impressions, ofCampaign.spend, ofCampaign.serves]).toEqual([1, 0.01, 2]);
  const reasons = await report(`group_by=reason&metrics=requests&filter[publisher]=${booked.publisher.id}`);
  expect(reasons.rows).toEqual([
    { reason: null, requests: 2 },
    { reason: 'unknown_placement', requests: 1 },
  ]);
  const devices = await report(`group_by=device,browser&metrics=impressions&filter[campaign]=${booked.campaign}`);
  expect(devices.rows).toEqual([{ device: 'desktop', browser: expect.any(String), impressions: 1 }]);
  const hours = await report(`group_by=hour&metrics=impressions&filter[campaign]=${booked.campaign}`);
  expect(hours.rows).toEqual([{ hour: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:00Z$/), impressions: 1 }]);
});

test('what was forecast a week before stands beside what came, with how far it was off; null where no forecast was kept', async () => {
  const booked = await book(api, 'forecast');
  const of = { publisher_id: booked.publisher.id };
  const item = { ...of, campaign_id: booked.campaign, line_item_id: booked.lineItem };
  await knex('forecast_days').insert([
    { ...item, day: '2026-06-01', forecast: 100, came: 80, off: 20 },
    { ...item, day: '2026-06-02', forecast: 50, came: 100, off: 50 },
  ]);
  await knex('request_forecast_days').insert({
    ...of,
    placement_id: booked.placement,
    day: '2026-06-01',
    forecast: 900,
    came: 1_000,
    off: 100,
  });
  await delivered('2026-06-01', booked, { impressions: 80 });
  await delivered('2026-06-03', booked, { impressions: 30 });
  const days = 'from=2026-06-01&to=2026-06-03';
  const ofItems = await report(
    `group_by=day,line_item&metrics=impressions,forecast,forecast_error&${days}&filter[campaign]=${booked.campaign}`,
  );
  expect(
    (ofItems.rows as Json[]).map(({ day, impressions, forecast, forecast_error }) => [day, impressions, forecast, forecast_error]),
  ).toEqual([
    ['2026-06-01', 80, 100, 0.25],
    ['2026-06-02', 0, 50, 0.5],
    ['2026-06-03', 30, null, null],
  ]);
  expect(ofItems.totals).toEqual({ impressions: 110, forecast: 150, forecast_error: 70 / 180 });
  const placements = `group_by=placement&metrics=request_forecast,request_forecast_error&${days}&filter[publisher]=${booked.publisher.id}`;
  expect((await report(placements)).rows).toEqual([{ placement_id: booked.placement, request_forecast: 900, request_forecast_error: 0.1 }]);
  expect(await faultsOf('group_by=placement&metrics=forecast')).toEqual(['/metrics/0']);
  expect(await faultsOf('group_by=line_item&metrics=request_forecast')).toEqual(['/metrics/0']);
});

test('revenue is exact to the millionth at the largest budgets', async () => {
  const booked = await book(api, 'large');
  for (const day of ['2026-06-01', '2026-06-02']) await delivered(day, booked, { impressions: 1_000, spend_micros: '999999999999999' });
  const { rows, totals } = await report(
    `group_by=day&metrics=revenue,ecpm&from=2026-06-01&to=2026-06-02&filter[campaign]=${booked.campaign}`,
  );
  expect((rows as Json[]).map(({ revenue }) => revenue)).toEqual([999_999_999.999999, 999_999_999.999999]);
  expect(totals).toEqual({ revenue: 1_999_999_999.999998, ecpm: 999_999_999.999999 });
});

test('plays are a source of their own: quartiles, the completion rate, and errors by code', async () => {
  const booked = await book(api, 'played');
  const keys = {
    publisher_id: booked.publisher.id,
    campaign_id: booked.campaign,
    line_item_id: booked.lineItem,
    creative_id: booked.creative,
  };
  const row = { ...keys, day: '2026-06-01', placement_id: booked.placement, reason: '', advertiser_id: 0, size: '640x360', error_code: '' };
  await knex('play_days').insert([
    { ...row, starts: 8, first_quartiles: 7, midpoints: 6, third_quartiles: 5, completes: 2, skips: 1 },
    { ...row, reason: 'data_center', starts: 50, completes: 50 },
    { ...row, error_code: '303', errors: 3 },
    { ...row, error_code: '401', errors: 1 },
  ]);
  const of = `from=2026-06-01&to=2026-06-01&filter[campaign]=${booked.campaign}`;
  const quartiles = 'starts,first_quartiles,midpoints,third_quartiles,completes,completion_rate,skips,video_errors';
  const { rows } = await report(`group_by=placement,size&metrics=${quartiles},impressions&${of}`);
  expect(rows).toEqual([
    {
      ...{ placement_id: booked.placement, size: '640x360', starts: 8, first_quartiles: 7, midpoints: 6 },
      ...{ third_quartiles: 5, completes: 2, completion_rate: 0.25, skips: 1, video_errors: 4, impressions: 0 },
    },
  ]);
  const errors = await report(`group_by=error_code&metrics=video_errors&${of}&sort=-video_errors&filter[error_code]=303,401`);
  expect(errors.rows).toEqual([
    { error_code: '303', video_errors: 3 },
    { error_code: '401', video_errors: 1 },
  ]);
  expect(await faultsOf('group_by=error_code&metrics=starts,impressions,completion_rate')).toEqual([
    '/metrics/0',
    '/metrics/1',
    '/metrics/2',
  ]);
  expect(await faultsOf('group_by=device&metrics=completes')).toEqual(['/metrics/0']);
  expect(await faultsOf('group_by=day&metrics=video_errors&filter[error_code]=42')).toEqual(['/filter/error_code/0']);
});

test('rows are sorted, paged and totalled; what is gone keeps its figures and its name', async () => {
  const [one, two] = [await book(api, 'sorted-1'), await book(api, 'sorted-2')];
  await delivered('2026-05-01', one, { impressions: 5, spend_micros: 7 });
  await delivered('2026-05-02', one, { impressions: 3 });
  await delivered('2026-05-02', two, { impressions: 4, clicks: 2 });
  await delivered('2026-05-02', two, { impressions: 9, reason: 'spider' });
  await api('DELETE', `/campaigns/${two.campaign}`);
  const asked = `group_by=campaign&metrics=gross_impressions,impressions,ctr&from=2026-05-01&to=2026-05-02&sort=-impressions`;
  const whole = await report(asked);
  expect(whole).toMatchObject({
    ...{ from: '2026-05-01', to: '2026-05-02', time_zone: 'UTC', row_count: 2 },
    rows: [
      { campaign_id: one.campaign, campaign: 'Autumn', gross_impressions: 8, impressions: 8, ctr: 0 },
      { campaign_id: two.campaign, campaign: 'Autumn', gross_impressions: 13, impressions: 4, ctr: 0.5 },
    ],
    totals: { gross_impressions: 21, impressions: 12, ctr: 2 / 12 },
  });
  const page = await api('GET', `/reports?${asked}&limit=1`);
  expect([page.body.rows.length, page.body.row_count, page.headers.get('link')]).toEqual([1, 2, expect.stringContaining('offset=1')]);
  expect((await report(`${asked}&filter[campaign]=${two.campaign}`)).rows).toHaveLength(1);
  const sizes = await report('group_by=size&metrics=impressions&from=2026-05-01&to=2026-05-02&filter[size]=300x250');
  expect(sizes.rows).toEqual([{ size: '300x250', impressions: 12 }]);
});

describe('the fee of a Flat line item', () => {
  const flat = { budget_type: 'Flat', budget: 0.000007, cpm: undefined, start_date: '2026-03-28', end_date: '2026-03-30' };
  const micros = (rows: Json): readonly number[] => each(rows, 'revenue').map((revenue) => Math.round(Number(revenue) * 1e6));
  const days = 'from=2026-03-01&to=2026-04-30';

  it('is revenue by the publisher’s days, to the micro, with or without delivery', async () => {
    const booked = await book(api, 'fee-days', flat);
    // The day on which the clock goes forward has 23 of the 72 hours; the flight is in UTC.
    await api('PATCH', `/publishers/${booked.publisher.id}`, { time_zone: 'Europe/Berlin' });
    const { rows, totals, time_zone } = await report(`group_by=day&metrics=revenue&${days}&filter[publisher]=${booked.publisher.id}`);
    expect(each(rows, 'day')).toEqual(['2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31']);
    expect([micros(rows).reduce((sum, one) => sum + one, 0), totals.revenue, time_zone]).toEqual([7, 0.000007, 'Europe/Berlin']);
  });

  it('is the sum of the publisher’s days in a report by month, beside what was billed', async () => {
    const booked = await book(api, 'fee-months', { ...flat, budget: 61, end_date: '2026-04-27' });
    const advertiser = (await api('POST', '/advertisers', { name: 'Boots' })).body.id;
    await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: advertiser });
    await delivered('2026-04-30', booked, { impressions: 3, spend_micros: 250_000 });
    const months = `group_by=month,advertiser&metrics=impressions,revenue&${days}&filter[publisher]=${booked.publisher.id}`;
    const of = { advertiser_id: advertiser, advertiser: 'Boots' };
    const fee = 61 / 31;
    const { rows, totals } = await report(`${months}&sort=-advertiser`);
    expect(rows).toEqual([
      { month: '2026-03', ...of, impressions: 0, revenue: expect.closeTo(4 * fee, 5) },
      { month: '2026-04', ...of, impressions: 3, revenue: expect.closeTo(27 * fee + 0.25, 5) },
    ]);
    expect([micros(rows).reduce((sum, one) => sum + one, 0), totals]).toEqual([61_250_000, { impressions: 3, revenue: 61.25 }]);
  });

  it('is divided among countries as among their regions, to the micro', async () => {
    const booked = await book(api, 'fee-places', { ...flat, budget: 0.000011, end_date: '2026-03-28' });
    const of = {
      day: '2026-03-28',
      publisher_id: booked.publisher.id,
      campaign_id: booked.campaign,
      line_item_id: booked.lineItem,
      reason: '',
    };
    const regions = [
      ...['DE-BE', 'DE-BY', 'DE-HH'].map((region) => ({ country: 'DE', region, impressions: 3 })),
      { country: 'FR', region: '', impressions: 5 },
    ];
    await knex('report_places').insert(regions.map((row) => ({ ...of, ...row })));
    await knex('report_countries').insert([
      { ...of, country: 'DE', impressions: 9 },
      { ...of, country: 'FR', impressions: 5 },
    ]);
    const by = async (dimensions: string) =>
      (await report(`group_by=${dimensions}&metrics=revenue&${days}&filter[line_item]=${booked.lineItem}`)).rows;
    const [countries, places] = [await by('country'), await by('country,region')];
    const sumOf = (country: string) =>
      micros((places as { country: string }[]).filter((row) => row.country === country)).reduce((sum, one) => sum + one, 0);
    expect(each(countries, 'country')).toEqual(['DE', 'FR']);
    expect([micros(countries), [sumOf('DE'), sumOf('FR')]]).toEqual([
      [7, 4],
      [7, 4],
    ]);
  });

  it('is divided by impressions where the report has dimensions that a line item does not have', async () => {
    const booked = await book(api, 'fee-parts', flat);
    await delivered('2026-03-28', booked, { impressions: 2, creative_id: 71 });
    await delivered('2026-03-28', booked, { impressions: 1, creative_id: 72 });
    const { rows, totals } = await report(`group_by=day,creative&metrics=revenue,impressions&${days}&filter[line_item]=${booked.lineItem}`);
    expect((rows as Record<string, unknown>[]).map(({ day, creative_id, impressions }) => [day, creative_id, impressions])).toEqual([
      ['2026-03-28', 71, 2],
      ['2026-03-28', 72, 1],
      ['2026-03-29', null, 0],
      ['2026-03-30', null, 0],
    ]);
    expect([micros(rows), Math.round(totals.revenue * 1e6)]).toEqual([[1, 1, 2, 3], 7]);
    const of = (name: string) => report(`group_by=${name}&metrics=revenue&${days}&filter[line_item]=${booked.lineItem}`);
    for (const name of ['placement', 'size', 'country', 'browser', 'reason'])
      expect([name, Math.round((await of(name)).totals.revenue * 1e6)]).toEqual([name, 7]);
  });
});

describe('a report is refused', () => {
  test.each([
    ['group_by=day,colour', ['/group_by/1']],
    ['metrics=impressions,fame', ['/metrics/1']],
    ['filter[colour]=red&filter[day]=2026-05-01', ['/filter/colour', '/filter/day']],
    ['filter[campaign]=x&filter[country]=XX&filter[reason]=boredom', ['/filter/campaign/0', '/filter/country/0', '/filter/reason/0']],
    [
      'filter[campaign]=2147483000,2147483001&filter[placement]=nowhere',
      ['/filter/campaign/0', '/filter/campaign/1', '/filter/placement/0'],
    ],
    ['from=2020-01-01&to=2026-01-01', ['/from']],
    ['from=2026-05-02&to=2026-05-01', ['/from']],
    ['from=yesterday', ['/from']],
    ['group_by=hour&from=2026-05-01&to=2026-06-10', ['/from']],
    ['group_by=hour&from=2020-05-01&to=2020-05-02', ['/from']],
    ['range=eternity', ['/range']],
    ['range=today&from=2026-05-01', ['/range']],
    ['group_by=country,device', ['/group_by']],
    ['group_by=day,publisher,campaign,line_item,creative,size', ['/group_by']],
    ['group_by=region&metrics=impressions,requests', ['/metrics/1']],
    ['group_by=placement,country&metrics=serves', ['/group_by']],
    ['metrics=', ['/metrics']],
    ['sort=fame', ['/sort']],
    ['format=pdf', ['/format']],
    ['colour=red', ['/colour']],
  ])('%s', async (query, pointers) => {
    expect(await faultsOf(query)).toEqual(pointers);
  });

  it('while another of the same person runs; one of another person is answered', async () => {
    const lock = await knex.transaction();
    await lock.raw(`select pg_advisory_xact_lock(7240117, hashtext('alice'))`);
    const busy = await api('GET', '/reports');
    expect([busy.status, busy.body.code, busy.headers.get('retry-after')]).toEqual([429, 'too_many_requests', '1']);
    expect((await asBob('GET', '/reports')).status).toBe(200);
    await lock.rollback();
    expect((await api('GET', '/reports')).status).toBe(200);
  });
});

test('CSV has all rows and runs no formula; Excel has numbers as numbers', async () => {
  const booked = await book(api, '=place', { name: '=HYPERLINK("http://evil.example")' });
  await delivered('2026-02-01', booked, { impressions: 1234, spend_micros: 5_000_000 });
  const query = `group_by=line_item,placement&metrics=impressions,ctr,revenue&from=2026-02-01&to=2026-02-01&filter[line_item]=${booked.lineItem}`;
  const csv = await api('GET', `/reports?${query}&format=csv`);
  expect(csv.headers.get('content-disposition')).toBe('attachment; filename="report_2026-02-01_2026-02-01.csv"');
  expect(csv.body).toBe(
    'line_item_id,line_item,placement_id,impressions,ctr,revenue\r\n' +
      `${booked.lineItem},"'=HYPERLINK(""http://evil.example"")",'=place,1234,0,5\r\n`,
  );
  const xlsx = await fetch(`${replica.url}/api/reports?${query}&format=xlsx`, { headers: { Authorization: `Bearer ${TOKENS.alice}` } });
  const files = unzipSync(new Uint8Array(await xlsx.arrayBuffer()));
  const sheet = strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
  const strings = strFromU8(files['xl/sharedStrings.xml'] ?? new Uint8Array());
  expect(strings).toContain('Line item');
  expect(strings).toContain('=HYPERLINK');
  expect(sheet).toContain('<v>1234</v>');
  expect(sheet).not.toContain('<f>');
});

test('the fields of reports are described, each metric with its dimensions', async () => {
  const { body } = await api('GET', '/reports/fields');
  const serves = each(body.metrics, 'name').indexOf('serves');
  expect(body.metrics[serves]).toMatchObject({
    label: 'Serves',
    kind: 'count',
    dimensions: expect.not.arrayContaining(['region', 'reason']),
  });
  expect(each(body.dimensions, 'name')).toContain('browser');
});

test('amounts of several currencies have a row and a total for each, and are not added; one currency is said', async () => {
  const [dollars, euros] = [await book(api, 'in-usd'), await book(api, 'in-eur', {}, { currency: 'EUR' })];
  await delivered('2026-04-02', dollars, { impressions: 1000, spend_micros: 3_000_000 });
  await delivered('2026-04-02', euros, { impressions: 500, spend_micros: 2_000_000 });
  const both = `filter[publisher]=${dollars.publisher.id},${euros.publisher.id}&from=2026-04-01&to=2026-04-30`;
  const mixed = await report(`group_by=day&metrics=impressions,revenue,ecpm&${both}`);
  expect(mixed).toMatchObject({
    ...{ currency: null, group_by: ['day', 'currency'], row_count: 2 },
    rows: [
      { day: '2026-04-02', currency: 'EUR', impressions: 500, revenue: 2, ecpm: 4 },
      { day: '2026-04-02', currency: 'USD', impressions: 1000, revenue: 3, ecpm: 3 },
    ],
    totals: { impressions: 1500, revenue: null, ecpm: null },
    totals_by_currency: [
      { currency: 'EUR', impressions: 500, revenue: 2 },
      { currency: 'USD', impressions: 1000, revenue: 3 },
    ],
  });
  const csv = (await api('GET', `/reports?group_by=day&metrics=revenue&${both}&format=csv`)).body;
  expect(csv).toBe('day,currency,revenue\r\n2026-04-02,EUR,2\r\n2026-04-02,USD,3\r\n');
  // Without amounts there is nothing to keep apart; with figures in one currency alone neither.
  expect(await report(`group_by=day&metrics=impressions&${both}`)).toMatchObject({ rows: [{ impressions: 1500 }], totals_by_currency: [] });
  expect(await report(`group_by=day&metrics=revenue&${both}&filter[currency]=EUR`)).toMatchObject({
    ...{ currency: 'EUR', group_by: ['day'], rows: [{ revenue: 2 }], totals: { revenue: 2 }, totals_by_currency: [] },
  });
  const only = `filter[line_item]=${euros.lineItem}&from=2026-04-01&to=2026-04-30`;
  expect(await report(`group_by=day&metrics=revenue&${only}`)).toMatchObject({
    currency: 'EUR',
    group_by: ['day'],
    totals: { revenue: 2 },
  });
  expect(await faultsOf(`metrics=revenue&filter[currency]=euro`)).toEqual(['/filter/currency/0']);
});

test('the report of an advertiser is of its campaigns in one currency at a time', async () => {
  const [dollars, euros] = [await book(api, 'spent-usd'), await book(api, 'spent-eur', {}, { currency: 'EUR' })];
  const advertiser = (await api('POST', '/advertisers', { name: 'Boots' })).body.id;
  for (const { campaign } of [dollars, euros]) await api('PATCH', `/campaigns/${campaign}`, { advertiser_id: advertiser });
  const reportIn = (query: string) => api('GET', `/advertisers/${advertiser}/report?from=2026-04-01&to=2026-04-30${query}`);
  const { currency, currencies } = (await reportIn('')).body;
  expect([currency, currencies]).toEqual(['EUR', ['EUR', 'USD']]);
  expect((await reportIn('&currency=USD')).body.currency).toBe('USD');
  const refused = await reportIn('&currency=CHF');
  expect([refused.status, refused.body.errors]).toEqual([400, [{ pointer: '/currency', detail: 'must be one of: EUR, USD' }]]);
});

test('a report by class and by what a line item is worth names both, and filters by them', async () => {
  const booked = await book(api, 'classes', { class: 'price' });
  const added = (await api('POST', '/line_items', { ...ADDED, campaign_id: booked.campaign })).body;
  expect(added.errors).toBeUndefined();
  await delivered('2026-04-03', booked, { impressions: 1000, spend_micros: 3_000_000 });
  await delivered('2026-04-03', { ...booked, lineItem: added.id }, { impressions: 200 });
  const asked = `from=2026-04-01&to=2026-04-30&filter[publisher]=${booked.publisher.id}&metrics=impressions,revenue`;
  expect((await report(`group_by=class,value_type&${asked}`)).rows).toEqual([
    { class: 'house', value_type: 'added_value', impressions: 200, revenue: 0 },
    { class: 'price', value_type: 'paid', impressions: 1000, revenue: 3 },
  ]);
  expect((await report(`group_by=value_type&filter[class]=house&${asked}`)).rows).toEqual([
    { value_type: 'added_value', impressions: 200, revenue: 0 },
  ]);
  expect((await report(`group_by=class&filter[value_type]=paid&${asked}`)).rows).toMatchObject([{ class: 'price' }]);
  expect(await faultsOf('filter[class]=gold&filter[value_type]=gift')).toEqual(['/filter/class/0', '/filter/value_type/0']);
});

const ADDED = {
  name: 'Thanks',
  active: true,
  start_date: '2026-01-01',
  end_date: '2999-12-31',
  added_value: true,
  class: 'house',
  budget_type: 'Flat',
};
