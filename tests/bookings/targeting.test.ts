import { setUp } from './targeting-rig.ts';

const { served, booked, refusal } = setUp();

const PHONE =
  'Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/24.0 Chrome/117.0.0.0 Mobile Safari/537.36';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15';
const segments = (...ids: string[]) => ({ user: { id: 'u', data: [{ segment: ids.map((id) => ({ id })) }] } });
const GDPR = { regs: { gdpr: 1 } };

describe.each([
  ['languages', { languages: ['de', 'pt-BR'] }, { device: { language: 'de' } }, { device: { language: 'en' } }],
  ['a-region-of-a-language', { languages: ['DE_at'] }, { device: { langb: 'de-AT' } }, { device: { language: 'de' } }],
  [
    'the-header',
    { languages: ['fr'] },
    { headers: { 'Accept-Language': 'fr-CH, fr;q=0.9, en;q=0.8' } },
    { headers: { 'Accept-Language': 'en, fr' } },
  ],
  ['browsers', { browsers: ['safari'] }, { device: { ua: MAC } }, { device: { ua: PHONE } }],
  [
    'browser-brands',
    { browsers: ['Microsoft Edge'] },
    { device: { sua: { browsers: [{ brand: 'Microsoft Edge' }] } } },
    { device: { ua: MAC } },
  ],
  ['os', { os: ['Android'] }, { device: { ua: PHONE } }, { device: { ua: MAC } }],
  ['os-of-the-request', { os: ['iOS'] }, { device: { os: 'iPadOS', ua: MAC } }, { device: { ua: MAC } }],
  ['connection', { connection: ['wifi', '5g'] }, { device: { connectiontype: 7 } }, { device: { connectiontype: 6 } }],
  ['mobile-network', { connection: ['cellular'] }, { device: { connectiontype: 4 } }, { device: { connectiontype: 2 } }],
  [
    'urls',
    { urls: ['https://News.example/Sport/'] },
    { site: { page: 'https://www.news.example/sport/golf?x=1' } },
    { site: { page: 'https://news.example/sports' } },
  ],
  ['host', { urls: ['news.example'] }, { site: { page: 'http://m.news.example:8080/' } }, { site: { page: 'https://badnews.example/' } }],
  ['the-referer', { urls: ['news.example'] }, { headers: { Referer: 'https://news.example/' } }, {}],
  [
    'referrers',
    { referrers: ['search.example'] },
    { site: { ref: 'https://www.search.example/?q=golf' } },
    { site: { page: 'https://search.example/' } },
  ],
  ['audiences', { audiences: ['golfers', 'sailors'] }, segments('parents', 'sailors'), segments('parents')],
  ['audiences-without-consent', { audiences: ['golfers'] }, segments('golfers'), { ...segments('golfers'), ...GDPR }],
  ['a-range', { key_values: { years: { min: 18, max: 34 } } }, { kv: { years: '34' } }, { kv: { years: 34.5 } }],
  ['an-open-range', { key_values: { years: [{ max: 12 }, { min: 65 }] } }, { kv: { years: [30, 70] } }, { kv: { years: 30 } }],
  ['a-prefix', { key_values: { part: [{ prefix: 'sport' }, 'news'] } }, { kv: { part: 'sport/golf' } }, { kv: { part: 'newsroom' } }],
  ['excluded-countries', { exclude: { countries: ['DE'], devices: ['mobile'] } }, { device: { ua: MAC } }, { device: { ua: PHONE } }],
  [
    'excluded-pages',
    { exclude: { urls: ['news.example/war'] } },
    { site: { page: 'https://news.example/' } },
    { site: { page: 'https://news.example/war/1' } },
  ],
  ['excluded-values', { exclude: { key_values: { age: { max: 17 } } } }, {}, { kv: { age: 17 } }],
  ['excluded-audiences', { exclude: { audiences: ['customers'] } }, segments('golfers'), segments('golfers', 'customers')],
])('%s', (name, targeting, matching, other) => {
  test('is targeted', async () => {
    const placement = await booked(`rules-${name}`, targeting);
    expect(await served(placement, matching)).toBe('served');
    expect(await served(placement, other)).toMatch(/^targeting: /);
  });
});

test('a trace says what the request offered and what the rule wants', async () => {
  const placement = await booked('words', { urls: ['news.example'], exclude: { key_values: { age: { min: 18 } } } });
  expect(await served(placement, { site: { page: 'https://paper.example/' } })).toBe(
    'targeting: urls: page is paper.example, example, wanted news.example',
  );
  expect(await served(placement, { site: { page: 'https://news.example' }, kv: { age: 20 } })).toBe(
    'targeting: key_values: age is 20, excluded 18 and more',
  );
});

test.each([
  [{ languages: ['xx'] }, '/targeting/languages/0', 'must be a language as BCP 47 writes it, such as de or pt-BR'],
  [{ browsers: ['Netscape'] }, '/targeting/browsers/0', /^must be one of Chrome, Safari/],
  [{ os: ['BeOS'] }, '/targeting/os/0', /^must be one of Windows/],
  [{ connection: ['6g'] }, '/targeting/connection/0', /^must be one of ethernet/],
  [{ urls: ['news.example/*'] }, '/targeting/urls/0', /^must be a host and the first segments of a path/],
  [{ referrers: ['news.example?q=1'] }, '/targeting/referrers/0', /^must be a host/],
  [{ key_values: { years: { min: 34, max: 18 } } }, '/targeting/key_values/years/max', 'must not be below min: exchange the two'],
  [
    { key_values: { years: [{ min: 1, prefix: '1' }] } },
    '/targeting/key_values/years/0',
    'has a prefix and a range: write them as two values of a list',
  ],
  [{ dimensions: { age: { min: 18, max: 1000 } } }, '/targeting/dimensions/age', 'must be at most 120'],
  [{ dimensions: { section: { prefix: 'xyz' } } }, '/targeting/dimensions/section', /^must begin one of/],
  [{ exclude: { color: ['red'] } }, '/targeting/exclude/color', 'is not a known field'],
  [
    { countries: ['DE', 'AT'], exclude: { countries: ['at'] } },
    '/targeting/exclude/countries/0',
    'excludes AT, and the targeting includes AT: remove one of them',
  ],
  [
    { urls: ['news.example/sport'], exclude: { urls: ['example'] } },
    '/targeting/exclude/urls/0',
    'excludes example, and the targeting includes news.example/sport: remove one of them',
  ],
  [
    { languages: ['de-AT'], exclude: { languages: ['de'] } },
    '/targeting/exclude/languages/0',
    'excludes de, and the targeting includes de-AT: remove one of them',
  ],
  [
    { key_values: { age: [{ min: 20, max: 30 }] }, exclude: { key_values: { age: { min: 18 } } } },
    '/targeting/exclude/key_values/age',
    'excludes {"min":18}, and the targeting includes {"min":20,"max":30}: remove one of them',
  ],
])('%j is refused', async (targeting, pointer, detail) => {
  const faults = await refusal(targeting);
  expect(faults).toContainEqual({ pointer, detail: typeof detail === 'string' ? detail : expect.stringMatching(detail) });
});
