import fc from 'fast-check';
import { sanitizeAssets } from '../../sdk/src/sanitize-assets.ts';

const PAGE = 'https://ads.invalid/prefix';
const clean = (assets: unknown): unknown => sanitizeAssets(assets, PAGE);

test('http(s) URLs are kept at any depth, and paths become addresses on the ad server', () => {
  const assets = {
    image: { url: 'https://cdn.invalid/a.png', w: 300, h: 250 },
    icon: '//cdn.invalid/i.svg',
    background: '/b.png',
    images: ['http://cdn.invalid/1', '2.png'],
    rating: 4.5,
    nothing: null,
  };
  expect(clean(assets)).toEqual({ ...assets, background: `${PAGE}/b.png` });
});

test('URLs with other schemes are removed, also when the scheme is hidden', () => {
  expect(
    clean({
      image: 'javascript:alert(1)',
      click: ' \n\tjava\nscript:alert(1)',
      url: 'JAVASCRIPT:alert(1)',
      link: 'data:text/html,<script>alert(1)</script>',
      deep: { href: 'vbscript:x', list: ['https://ok.invalid/', 'blob:https://x/1'] },
      anything: 'javascript:alert("a b")',
      other: 'ftp://files.invalid/a',
    }),
  ).toEqual({ deep: { list: ['https://ok.invalid/'] } });
});

test('a URL cannot end the attribute that a template puts it into', () => {
  const hostile = 'https://cdn.invalid/a.png?"onerror="alert(1)';
  expect(clean({ image: { url: hostile }, click: "/a' onclick='alert(1)", list: [hostile], title: 'A "quoted" title' })).toEqual({
    image: { url: 'https://cdn.invalid/a.png?%22onerror=%22alert(1)' },
    click: '/a%27%20onclick=%27alert(1)',
    list: ['https://cdn.invalid/a.png?%22onerror=%22alert(1)'],
    title: 'A "quoted" title',
  });
});

test('texts with a colon are not URLs', () => {
  const words = {
    title: 'JavaScript: The course',
    description: 'data: our oil',
    brand: 'Note:well',
    sponsored: 'Ad: yes',
    offer: 'From:12',
    hint: 'Today only: 3 for 2',
  };
  expect(clean(words)).toEqual(words);
});

test('a creative cannot set the prototype of the assets', () => {
  const assets = clean(JSON.parse('{"__proto__":{"polluted":true},"title":"x"}')) as Record<string, unknown>;
  expect(assets['polluted']).toBeUndefined();
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('for any input, no URL asset in the output resolves to a scheme other than http(s)', () => {
  const url = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.constantFrom('javascript:', 'data:', '\u0001javascript:').chain((scheme) => fc.string().map((rest) => scheme + rest)),
  );
  fc.assert(
    fc.property(fc.constantFrom('image', 'click', 'background', 'url', 'clickUrl'), url, (key, value) => {
      const out = (clean({ [key]: value }) as Record<string, string>)[key];
      if (out === undefined) return;
      let protocol = 'https:';
      try {
        ({ protocol } = new URL(out, PAGE));
      } catch {
        // A browser follows no link that is not a URL.
      }
      expect(protocol).toMatch(/^https?:$/);
    }),
  );
});
