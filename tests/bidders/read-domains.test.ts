import { readDomains } from '../../src/bidders/openrtb/read-domains.ts';

test.each([
  ['Brand.Example', 'brand.example'],
  [' shop.brand.example. ', 'shop.brand.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['a-b.co.uk', 'a-b.co.uk'],
])('the domain %j becomes %j', (given, domain) => {
  expect(readDomains([given])).toEqual([domain]);
});

test.each([
  'https://brand.example',
  'brand.example/path',
  'brand.example:443',
  'brand',
  'localhost',
  '192.0.2.1',
  '[::1]',
  'a..example',
  '-a.example',
  'a b.example',
  'brand.example"><script>alert(1)</script>',
  "brand.example'onerror=",
  '',
  'x'.repeat(64) + '.example',
  `${'a.'.repeat(130)}example`,
  5,
  null,
  {},
])('%j is not a domain and is dropped', (given) => {
  expect(readDomains([given])).toEqual([]);
});

test('each domain is listed once, and only the first ten are read', () => {
  expect(readDomains(['a.example', 'A.EXAMPLE', 'b.example'])).toEqual(['a.example', 'b.example']);
  expect(readDomains(Array.from({ length: 50 }, (_, i) => `d${i}.example`))).toHaveLength(10);
  for (const value of ['a.example', { 0: 'a.example' }, undefined]) expect(readDomains(value)).toEqual([]);
});
