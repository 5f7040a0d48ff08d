import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { geoDatabase } from '../../testkit/geo-database-file.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, book, type ApiCall, type Booked } from '../api/api-client.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const placeOf = (country: string, region: string, city: string) => ({
  country: { iso_code: country },
  subdivisions: [{ iso_code: region }],
  city: { names: { en: city } },
});
const [OAKLAND, LYON] = ['203.0.113.7', 'a000::1'];

let replica: Replica;
let api: ApiCall;

beforeAll(async () => {
  const file = path.join(temporaryFolder(), 'places.mmdb');
  writeFileSync(file, geoDatabase(placeOf('US', 'CA', 'Oakland'), placeOf('FR', 'ARA', 'Lyon')));
  replica = await startReplica({
    env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), GEO_DATABASE: file },
  });
  api = apiOf(replica.url);
});

const requestOf = ({ publisher, placement }: Booked) => ({
  id: 'r',
  imp: [{ id: '1', tagid: placement }],
  user: { id: 'u' },
  ext: { publisher_id: publisher.id },
});

const isServed = async (booked: Booked, address: string): Promise<boolean> => {
  const answer = await fetch(`${replica.url}/ad`, {
    method: 'POST',
    headers: { 'X-API-Key': booked.publisher.api_key, 'X-Forwarded-For': address },
    body: JSON.stringify(requestOf(booked)),
  });
  const { seatbid, nbr } = (await answer.json()) as { seatbid: object[]; nbr?: number };
  expect(nbr).toBe(seatbid.length > 0 ? undefined : 503);
  return seatbid.length > 0;
};

test.each([
  ['region', { regions: ['US-CA', 'US-NV'] }, [true, false]],
  ['other-region', { regions: ['FR-ARA'] }, [false, true]],
  ['city', { cities: ['Lyon', 'Brest'] }, [false, true]],
  ['city-in-region', { cities: ['Oakland'], regions: ['US-CA'] }, [true, false]],
  ['city-elsewhere', { cities: ['Oakland'], regions: ['US-NJ'] }, [false, false]],
  ['country-and-region', { countries: ['FR'], regions: ['US-CA'] }, [false, false]],
])('a line item that targets by %s is served in the places that the database gives', async (name, targeting, expected) => {
  const booked = await book(api, name, { targeting });
  expect([await isServed(booked, OAKLAND), await isServed(booked, LYON)]).toEqual(expected);
});

test('a test ad may come from another country, region and city', async () => {
  const booked = await book(api, 'chosen', { targeting: { countries: ['US'], regions: ['US-IL'], cities: ['Springfield'] } });
  const winnerIn = async (context: object) => {
    const { status, body } = await api('POST', '/test_ad', { ...requestOf(booked), context }, { 'X-Forwarded-For': OAKLAND });
    return status === 200 ? (body.debug.trace.imps[0].winner?.line_item_id ?? null) : body.errors;
  };
  const there = { region: 'US-IL', city: 'Springfield' };
  expect(await winnerIn({})).toBeNull();
  expect(await winnerIn(there)).toBe(booked.lineItem);
  expect(await winnerIn({ ...there, country: 'US' })).toBe(booked.lineItem);
  expect(await winnerIn({ ...there, country: 'CA' })).toBeNull();
  const california = await book(api, 'california', { targeting: { regions: ['US-CA'] } });
  const asked = { ...requestOf(california), context: { country: 'DE' } };
  expect((await api('POST', '/test_ad', asked, { 'X-Forwarded-For': OAKLAND })).body.nbr).toBe(503);
  expect(await winnerIn({ region: '', city: 7 })).toMatchObject([{ pointer: '/context/region' }, { pointer: '/context/city' }]);
});
