import { createHostCheck } from '../../src/http/server/check-host.ts';

const check = createHostCheck(['ads.example.com', '0.0.0.0']);

test.each([
  'ads.example.com',
  'ADS.example.com.:8443',
  'localhost:8787',
  'gazette.localhost',
  '127.0.0.1:8787',
  '10.1.2.3',
  '[::1]:8787',
  '[2001:db8::1]',
  undefined,
])('a request to %s is answered', (host) => {
  expect(check(host)).toBeUndefined();
});

test.each([
  'evil.example',
  'ads.example.com.evil.example',
  'localhost.evil.example',
  'evil-localhost',
  '127.0.0.1.evil.example',
  '::1',
  '[evil.example]',
  'ads.example.com:80:80',
  'user@localhost',
  '',
  ' ',
])('a request to %j gets 421', (host) => {
  expect(check(host)).toMatchObject({ status: 421, code: 'unknown_host' });
});

test('two Host headers get 400, also where every name is known', () => {
  for (const refusalOf of [check, createHostCheck(undefined)]) expect(refusalOf('localhost, evil.example')).toMatchObject({ status: 400 });
  expect(createHostCheck(undefined)('anything.example')).toBeUndefined();
});
