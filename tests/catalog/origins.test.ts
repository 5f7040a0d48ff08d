import { acceptsOrigin, normalOrigin } from '../../src/catalog/model/origins.ts';
import { CHECKS } from '../../src/catalog/checks/check-entities.ts';

test.each([
  ['https://news.example', 'https://news.example'],
  ['HTTPS://News.Example:443/', 'https://news.example'],
  ['http://localhost:8080', 'http://localhost:8080'],
  ['https://zeitung-münchen.example', 'https://xn--zeitung-mnchen-osb.example'],
  ['https://*.news.example', 'https://*.news.example'],
  ['https://news.example/page', undefined],
  ['https://news.example?', undefined],
  ['https://user@news.example', undefined],
  ['news.example', undefined],
  ['file:///etc', undefined],
  ['null', undefined],
  ['https://*.example', undefined],
  ['https://*', undefined],
  ['https://a*.news.example', undefined],
  ['https://*.*.news.example', undefined],
])('the origin %s is kept as %s', (given, kept) => {
  expect(normalOrigin(given)).toBe(kept);
});

const LISTED = new Set(['https://news.example', 'https://*.papers.example', 'https://*.papers.example:8443']);

test.each([
  ['https://news.example', true],
  ['https://www.papers.example', true],
  ['https://a.b.papers.example', true],
  ['https://a.papers.example:8443', true],
  [undefined, true],
  ['https://papers.example', false],
  ['https://www.news.example', false],
  ['http://news.example', false],
  ['http://www.papers.example', false],
  ['https://www.papers.example:444', false],
  ['https://papers.example.evil.example', false],
  ['https://evilpapers.example', false],
  ['https://news.example, https://evil.example', false],
  ['null', false],
  ['', false],
  [`https://${'a.'.repeat(5_000)}papers.example`, false],
])('with a list, a request from %s is accepted: %s', (origin, accepted) => {
  expect(acceptsOrigin(LISTED, origin)).toBe(accepted);
});

test('without a list every origin is accepted', () => {
  expect(acceptsOrigin(new Set(), 'https://evil.example')).toBe(true);
  expect(acceptsOrigin(new Set(), 'null')).toBe(true);
});

test('a publisher keeps its origins normalized and each once, and at most 50', () => {
  const publisher = { name: 'News', domain: 'news.example' };
  expect(CHECKS.publishers(publisher)).toMatchObject({ ok: true, record: { origins: [] } });
  expect(CHECKS.publishers({ ...publisher, origins: ['https://News.example/', 'https://news.example:443'] })).toMatchObject({
    ok: true,
    record: { origins: ['https://news.example'] },
  });
  expect(CHECKS.publishers({ ...publisher, origins: ['https://news.example/page'] })).toMatchObject({
    ok: false,
    faults: [{ pointer: '/origins/0', detail: expect.stringContaining('origin without a path') as string }],
  });
  const many = Array.from({ length: 51 }, (_, i) => `https://p${i}.example`);
  expect(CHECKS.publishers({ ...publisher, origins: many })).toMatchObject({ ok: false, faults: [{ pointer: '/origins' }] });
});
