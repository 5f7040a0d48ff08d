import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';
import { parseAdRequest } from '../../src/http/openrtb/parse-ad-request.ts';
import { problem } from '../../src/http/problems/problem.ts';
import { clientAddress } from '../../src/context/client-address.ts';
import { parseUrl } from '../../src/base/parse-url.ts';
import { CHECKS } from '../../src/catalog/checks/check-entities.ts';
import { targetingQuery } from '../../src/targeting/targeting-query.ts';
import { pairOf } from '../../src/targeting/targeting-rules.ts';
import { createCountryLookup } from '../../src/context/country-lookup.ts';
import { expectCpuBelow } from '../setup/expect-cpu-below.ts';

const COUNTRY_TABLES = path.join(__dirname, '../../dist/geodata');
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heapMb = (): number => {
  collect();
  return process.memoryUsage().heapUsed / 1e6;
};

test('an ad request with 21,000 faults is refused for the first one, within milliseconds of CPU time', async () => {
  const kv = Object.fromEntries(Array.from({ length: 21_000 }, (_, i) => [`k${i}`, {}]));
  const body = { id: 'r', imp: [{ id: 'i', tagid: 't' }], user: { id: 'u' }, ext: { publisher_id: 1, kv } };
  expect(parseAdRequest(body)).toEqual({ ok: false, faults: [{ pointer: '/ext/kv', detail: 'must have at most 50 values' }] });
  await expectCpuBelow(20, () => parseAdRequest(body));
});

test('of the key-values of an impression, a bounded number counts', () => {
  const crowded = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, Array.from({ length: 50 }, (__, j) => `v${j}`)]));
  const { pairs } = targetingQuery(new Map(), { country: 'DE' }, crowded);
  expect(pairs).toHaveLength(500);
  expect(pairs.at(-1)).toBe(pairOf('key_values', 'k9', 'v48'));
});

test('an address of a million characters is none, and is not read', () => {
  const creative = { line_item_id: 1, placement_id: 'a', format: 'html', content: 'x' };
  const longest = CHECKS.creatives({ ...creative, click_url: `https://a.example/${'é'.repeat(330)}` });
  expect(longest).toMatchObject({ ok: true, record: { click_url: `https://a.example/${'%C3%A9'.repeat(330)}` } });
  expect(parseUrl(`https://a.example/${'a'.repeat(8_000)}`)?.host).toBe('a.example');
  expect(parseUrl(`https://a.example/${'é'.repeat(1_000_000)}`)).toBeUndefined();
});

test('a problem lists at most 50 faults, and cuts the pointers that a client chose', () => {
  const faults = Array.from({ length: 21_000 }, (_, i) => ({ pointer: `/ext/kv/${'x'.repeat(5_000)}${i}`, detail: 'is wrong' }));
  const sent = problem('invalid_request', 'The ad request has faults.', faults);
  expect(sent.errors).toHaveLength(50);
  expect(JSON.stringify(sent).length).toBeLessThan(20_000);
});

test('an address out of a long header does not keep the header in memory', () => {
  const countryOf = createCountryLookup({ dataDir: COUNTRY_TABLES, cacheSize: 10_000 });
  const before = heapMb();
  for (let i = 0; i < 3_000; i++) {
    const forwardedFor = `198.${100 + (i % 100)}.${100 + (Math.floor(i / 100) % 100)}.100, ${'10.0.0.1, '.repeat(1_500)}`;
    // A header arrives as a text of its own, not as the joined pieces of one.
    const header = Buffer.from(forwardedFor).toString('latin1');
    countryOf(clientAddress({ deviceIp: undefined, forwardedFor: header, remoteAddress: undefined, trustProxyHops: undefined }));
  }
  expect(heapMb() - before).toBeLessThan(10);
  // Used once more, or the collector would take the cache away before it is measured.
  expect(countryOf(null).country).toBeNull();
});

test.each([
  ['from the left, without a number of hops', undefined],
  ['from the right, with one', 2],
])('a header of 15,000 commas is read %s, in microseconds of CPU time', async (_, trustProxyHops) => {
  const forwardedFor = ','.repeat(15_000);
  const read = () => clientAddress({ deviceIp: undefined, forwardedFor, remoteAddress: '203.0.113.9', trustProxyHops });
  expect(read()).toBe('203.0.113.9');
  // Splitting it takes 130.
  await expectCpuBelow(50, () => Array.from({ length: 1_000 }, read));
});
