import knexFactory, { type Knex } from 'knex';
import { browse } from '../../testkit/person.ts';
import { eventually } from '../../testkit/until.ts';
import { apiOf, book, itemsOf, serveAd, type ApiCall, type Booked, type Json } from '../api/api-client.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

let replica: Replica;
let api: ApiCall;
let knex: Knex;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
});
afterAll(() => knex.destroy());

const report = async (query: string): Promise<Json> => {
  const { status, body } = await api('GET', `/reports?range=last_7_days&${query}`);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body;
};
const rowsOf = async (query: string): Promise<Json> => (await report(query)).rows;
const advertiser = async (name: string): Promise<number> => (await api('POST', '/advertisers', { name })).body.id;
/** Serves an ad and shows it. */
const show = async (booked: Booked, user: string): Promise<void> => {
  const bid = await serveAd(replica.url, booked, user);
  await browse(`${replica.url}${bid.impurl}`);
};
/** Resolves when the events of a campaign are in the roll-ups. */
const stored = (booked: Booked, impressions: number) =>
  eventually(async () =>
    expect((await report(`group_by=campaign&metrics=impressions&filter[campaign]=${booked.campaign}`)).totals).toEqual({ impressions }),
  );

describe('the size', () => {
  it('is that at which ads were shown, whatever becomes of the placement and the creative', async () => {
    const booked = await book(api, 'resized');
    await api('PATCH', '/placements/resized', { width: 320, height: 50 });
    await show(booked, 'u1');
    await stored(booked, 1);
    await api('PATCH', '/placements/resized', { width: 970, height: 250 });
    await api('PATCH', `/creatives/${booked.creative}`, { width: 728, height: 90 });
    const of = `filter[publisher]=${booked.publisher.id}`;
    expect(await rowsOf(`group_by=size&metrics=impressions&${of}`)).toEqual([{ size: '320x50', impressions: 1 }]);
    await show(booked, 'u2');
    await stored(booked, 2);
    await eventually(async () => {
      expect(await rowsOf(`group_by=size&metrics=impressions,serves&${of}`)).toEqual([
        { size: '320x50', impressions: 1, serves: 1 },
        { size: '728x90', impressions: 1, serves: 1 },
      ]);
      expect(await rowsOf(`group_by=size&metrics=requests,unfilled&${of}`)).toEqual([
        { size: '320x50', requests: 1, unfilled: 0 },
        { size: '970x250', requests: 1, unfilled: 0 },
      ]);
    });
  });

  it('is the one that the request names, for a creative that fits any', async () => {
    const booked = await book(api, 'fluid');
    const answer = await fetch(`${replica.url}/ad`, {
      method: 'POST',
      headers: { 'X-API-Key': booked.publisher.api_key },
      body: JSON.stringify({
        ...{ id: 'r', imp: [{ id: '1', tagid: 'fluid', w: 160, h: 600 }], user: { id: 'u' } },
        ext: { publisher_id: booked.publisher.id },
      }),
    });
    const { seatbid } = await answer.json();
    await browse(`${replica.url}${seatbid[0].bid[0].impurl}`);
    await stored(booked, 1);
    expect(await rowsOf(`group_by=size&metrics=impressions&filter[campaign]=${booked.campaign}`)).toEqual([
      { size: '160x600', impressions: 1 },
    ]);
    const [event] = await knex('events').where({ campaign_id: booked.campaign }).select<{ size: string }[]>('size');
    expect(event?.size).toBe('160x600');
  });
});

describe('the advertiser', () => {
  it('is the one who paid when the hit was counted; a change of the payer has a date and is said in words', async () => {
    const booked = await book(api, 'payer', { cpm: 1000 });
    const [boots, hats] = [await advertiser('Boots'), await advertiser('Hats')];
    // Who is named first pays for everything before.
    await show(booked, 'u1');
    await stored(booked, 1);
    await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: boots });
    await show(booked, 'u2');
    await stored(booked, 2);
    const changedFrom = Date.now();
    await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: hats });
    const of = `filter[campaign]=${booked.campaign}`;
    const boots2 = { advertiser_id: boots, advertiser: 'Boots', impressions: 2, revenue: 2 };
    expect(await rowsOf(`group_by=advertiser&metrics=impressions,revenue&${of}`)).toEqual([boots2]);
    await show(booked, 'u3');
    await stored(booked, 3);
    await eventually(async () => {
      const page = await report(`group_by=advertiser&metrics=impressions,revenue&${of}`);
      expect(page.rows).toEqual([boots2, { advertiser_id: hats, advertiser: 'Hats', impressions: 1, revenue: 1 }]);
      expect(page.payer_changes).toEqual([
        {
          ...{ at: expect.any(String), campaign_id: booked.campaign, campaign: 'Autumn' },
          ...{ from_advertiser_id: boots, from_advertiser: 'Boots', to_advertiser_id: hats, to_advertiser: 'Hats' },
        },
      ]);
      expect(Date.parse(page.payer_changes[0].at)).toBeGreaterThanOrEqual(changedFrom);
    });

    for (const dimension of ['country', 'device', 'placement'])
      expect(
        itemsOf(await rowsOf(`group_by=advertiser,${dimension}&metrics=impressions&${of}`)).map(({ impressions }) => impressions),
      ).toEqual([2, 1]);
    const totalsOf = async (id: number) => (await api('GET', `/advertisers/${id}/report`)).body.totals;
    expect([(await totalsOf(boots)).impressions, (await totalsOf(hats)).impressions]).toEqual([2, 1]);

    const month = new Date().toISOString().slice(0, 7);
    const { body: statement } = await api('GET', `/finance?publisher_id=${booked.publisher.id}&month=${month}`);
    expect(itemsOf(statement.lines).map((line) => [line.campaign, line.advertiser, line.impressions, line.revenue])).toEqual([
      ['Autumn', 'Boots', 2, 2],
      ['Autumn', 'Hats', 1, 1],
    ]);
    expect(itemsOf(statement.payer_changes).map(({ from_advertiser, to_advertiser }) => [from_advertiser, to_advertiser])).toEqual([
      ['Boots', 'Hats'],
    ]);
  });

  it('pays the fee of a Flat line item while the campaign names it, to the micro, by day and by hour', async () => {
    const day = 86_400_000;
    const [start, end] = [new Date(Date.now() - day).toISOString(), new Date(Date.now() + day).toISOString()];
    const booked = await book(api, 'fee-payer', {
      budget_type: 'Flat',
      cpm: undefined,
      budget: 7.000001,
      start_date: start,
      end_date: end,
    });
    const [boots, hats] = [await advertiser('Fee boots'), await advertiser('Fee hats')];
    await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: boots });
    await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: hats });
    const flight = `from=${start.slice(0, 10)}&to=${end.slice(0, 10)}`;
    const by = async (dimensions: string, more = '') =>
      (await api('GET', `/reports?${flight}&group_by=${dimensions}&metrics=revenue&filter[campaign]=${booked.campaign}${more}`)).body;
    const { rows, totals } = await by('advertiser');
    expect([itemsOf(rows).map(({ advertiser: name }) => name), totals.revenue]).toEqual([['Fee boots', 'Fee hats'], 7.000001]);
    // Half of the flight has passed, within the seconds that this takes.
    for (const { revenue } of itemsOf(rows)) expect(revenue).toBeCloseTo(3.5, 1);
    expect((await by('advertiser', `&filter[advertiser]=${boots}`)).rows).toEqual([itemsOf(rows)[0]]);
    expect((await by('hour,advertiser')).totals.revenue).toBe(7.000001);
    const ofRecord = async (id: number) => (await api('GET', `/advertisers/${id}/report?${flight}`)).body.totals.spend;
    expect([await ofRecord(boots), await ofRecord(hats)]).toEqual(itemsOf(rows).map(({ revenue }) => revenue));
  });
});

describe('what is deleted', () => {
  it('keeps its names in reports and in the statement of an open month', async () => {
    const booked = await book(api, 'forgotten');
    const boots = await advertiser('Forgotten boots');
    await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: boots });
    await show(booked, 'u1');
    await stored(booked, 1);
    expect((await api('DELETE', `/advertisers/${boots}`)).status).toBe(204);
    expect(
      await rowsOf(`group_by=advertiser,campaign,line_item&metrics=impressions&filter[publisher]=${booked.publisher.id}&sort=campaign`),
    ).toEqual([
      {
        ...{ advertiser_id: boots, advertiser: 'Forgotten boots', campaign_id: booked.campaign, campaign: 'Autumn' },
        ...{ line_item_id: booked.lineItem, line_item: 'Boots', impressions: 1 },
      },
    ]);
    const month = new Date().toISOString().slice(0, 7);
    const { body } = await api('GET', `/finance?publisher_id=${booked.publisher.id}&month=${month}`);
    expect(itemsOf(body.lines).map((line) => [line.campaign, line.advertiser, line.impressions])).toEqual([
      ['Autumn', 'Forgotten boots', 1],
    ]);
    expect((await api('GET', `/campaigns/${booked.campaign}/report`)).body.rows).toMatchObject([{ line_item: 'Boots', impressions: 1 }]);
  });
});
