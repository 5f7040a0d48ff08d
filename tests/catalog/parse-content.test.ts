import fc from 'fast-check';
import { CREATIVE_FORMATS } from '../../src/catalog/model/choices.ts';
import { isSafeUrl } from '../../src/catalog/model/is-safe-url.ts';
import { parseCreativeContent } from '../../src/catalog/checks/parse-content.ts';

const faultAt = (format: 'html' | 'banner' | 'native', content: unknown): string | undefined => {
  const parsed = parseCreativeContent(format, typeof content === 'string' ? content : JSON.stringify(content));
  return 'fault' in parsed ? parsed.fault.pointer : undefined;
};
const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

describe('content of a creative', () => {
  test('html is unchanged', () => {
    expect(parseCreativeContent('html', ' <b>x ')).toEqual({ content: { format: 'html', markup: ' <b>x ' } });
  });

  test('a banner needs an image; alt and images have defaults, other keys are left out', () => {
    expect(parseCreativeContent('banner', '{"image":"/a.png","note":1}')).toEqual({
      content: { format: 'banner', banner: { image: '/a.png', alt: '', images: [] } },
    });
  });

  test('native is any JSON object', () => {
    expect(parseCreativeContent('native', '{"title":"A","image":{"url":"x","w":1}}')).toEqual({
      content: { format: 'native', assets: { title: 'A', image: { url: 'x', w: 1 } } },
    });
  });

  const image = 'https://a.example/i.png';
  test.each([
    ['html', '  ', ''],
    ['html', 'x'.repeat(300_000), ''],
    ['banner', 'not json', ''],
    ['banner', [], ''],
    ['banner', {}, '/image'],
    ['banner', { image: 'javascript:alert(1)' }, '/image'],
    ['banner', { image, alt: 1 }, '/alt'],
    ['banner', { image, images: {} }, '/images'],
    [
      'banner',
      {
        image,
        images: [
          { url: image, width: 1, height: 1 },
          { url: image, width: 0, height: 1 },
        ],
      },
      '/images/1',
    ],
    ['banner', { image, images: [{ url: 'data:image/png,', width: 1, height: 1 }] }, '/images/0'],
    ['banner', { image, images: [null] }, '/images/0'],
    ['native', 'null', ''],
    ['native', '"text"', ''],
    ['native', nested(13), ''],
    ['native', nested(40_000), ''],
    ['native', { list: Array.from({ length: 3_000 }, () => 0) }, ''],
  ] as const)('%s content %j has its fault named', (format, content, pointer) => {
    expect(faultAt(format, content)).toBe(pointer);
  });

  test('no text throws, and an accepted banner has only safe URLs', () => {
    fc.assert(
      fc.property(fc.constantFrom(...CREATIVE_FORMATS), fc.oneof(fc.string(), fc.json()), (format, text) => {
        parseCreativeContent(format, text);
      }),
    );
  });
});

describe('safe URLs', () => {
  test.each(['https://a.example/x?y=1&z=2', 'http://a.example', 'HTTPS://A.example/', '/static/a.png', 'https://[2001:db8::1]/a'])(
    '%s is',
    (url) => {
      expect(isSafeUrl(url)).toBe(true);
    },
  );

  test.each([
    '',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'ftp://a.example/',
    '//a.example/x',
    '/\\a.example/x',
    'relative.png',
    'https:',
    'https://',
    'https:///a',
    'https://a b/',
    'https://a.example/\u0000',
    `https://a.example/${'x'.repeat(2_048)}`,
  ])('%j is not', (url) => {
    expect(isSafeUrl(url)).toBe(false);
  });
});
